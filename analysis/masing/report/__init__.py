"""This package writes the report, one HTML page on studies, trajectories and scans."""
