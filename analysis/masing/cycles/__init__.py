"""This package reads hysteresis curves, and divides them into half-cycles, loops and straight segments."""
