#!/usr/bin/env python3
"""Run the module masing.scripts.report, which says with --help what it does."""

import sys

try:
    from masing.scripts.report import main, run
except ImportError as lack:
    sys.exit(f"report.py: {lack}")

if __name__ == "__main__":
    run()
