"""This package writes the report, one HTML page on studies, trajectories and scans, and the pages of the gallery."""
