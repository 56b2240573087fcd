#!/usr/bin/env python3
"""Run the module masing.scripts.response, which says with --help what it does."""

import sys

try:
    from masing.scripts.response import main
except ImportError as missing:
    sys.exit(f"response.py: {missing}")

if __name__ == "__main__":
    main()
