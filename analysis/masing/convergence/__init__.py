"""This package states what a study shows: its claim, the table of its levels, and the figures of its errors."""
