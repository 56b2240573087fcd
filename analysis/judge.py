#!/usr/bin/env python3
"""Run the module masing.scripts.judge, which says with --help what it does."""

import sys

try:
    from masing.scripts.judge import main
except ImportError as missing:
    sys.exit(f"judge.py: {missing}")

if __name__ == "__main__":
    main()
