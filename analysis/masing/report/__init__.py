"""The report: one HTML page on studies and trajectories, and the pages of the gallery."""
