#!/usr/bin/env python3
"""Run the module masing.scripts.report, which says with --help what it does."""

import sys

try:
    from masing.scripts.report import main
except ImportError as missing:
    sys.exit(f"report.py: {missing}")

if __name__ == "__main__":
    main()
