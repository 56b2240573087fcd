#!/usr/bin/env python3
"""Run the module masing.scripts.judge, which says with --help what it does."""

import sys

try:
    from masing.scripts.judge import main, run
except ImportError as lack:
    sys.exit(f"judge.py: {lack}")

if __name__ == "__main__":
    run()
