#!/usr/bin/env python3
"""Run the module masing.scripts.cycles, which says with --help what it does."""

import sys

try:
    from masing.scripts.cycles import main, run
except ImportError as lack:
    sys.exit(f"cycles.py: {lack}")

if __name__ == "__main__":
    run()
