#!/usr/bin/env python3
"""Run the module masing.scripts.identify, which says with --help what it does."""

import sys

try:
    from masing.scripts.identify import main, run
except ImportError as lack:
    sys.exit(f"identify.py: {lack}")

if __name__ == "__main__":
    run()
