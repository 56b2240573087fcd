"""What a study shows: its claim, its levels, the figures of its errors."""
