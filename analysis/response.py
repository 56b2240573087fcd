#!/usr/bin/env python3
"""Run the module masing.scripts.response, which says with --help what it does."""

try:
    from masing.scripts.response import main
except ImportError as missing:
    raise SystemExit(f"response.py: {missing}") from None

if __name__ == "__main__":
    main()
