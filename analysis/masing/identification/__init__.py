"""Identification of a Masing model from a hysteresis cycle."""
