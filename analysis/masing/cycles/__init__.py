"""This package reads hysteresis curves, divides them into half-cycles, loops and straight segments, and draws them."""
