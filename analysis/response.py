#!/usr/bin/env python3
"""Run the module masing.scripts.response, which says with --help what it does."""

import sys

try:
    from masing.scripts.response import main, run
except ImportError as lack:
    sys.exit(f"response.py: {lack}")

if __name__ == "__main__":
    run()
