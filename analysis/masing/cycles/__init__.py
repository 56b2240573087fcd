"""Hysteresis cycles: reading measured curves, half-cycles, polygons, limit cycles, and their figures."""
