"""This package identifies a Masing model from a measured hysteresis cycle."""
