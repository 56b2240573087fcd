"""Predicted scaling of the program on many ranks, from a benchmark file."""
