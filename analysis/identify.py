#!/usr/bin/env python3
"""Run the module masing.scripts.identify, which says with --help what it does."""

import sys

try:
    from masing.scripts.identify import main
except ImportError as missing:
    sys.exit(f"identify.py: {missing}")

if __name__ == "__main__":
    main()
