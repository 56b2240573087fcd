#!/usr/bin/env python3
"""Run the module masing.scripts.cycles, which says with --help what it does."""

import sys

try:
    from masing.scripts.cycles import main
except ImportError as missing:
    sys.exit(f"cycles.py: {missing}")

if __name__ == "__main__":
    main()
