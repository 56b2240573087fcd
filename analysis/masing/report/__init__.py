"""This package writes the report, which is one HTML page on studies and trajectories, and the pages of the gallery."""
