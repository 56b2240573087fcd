#!/usr/bin/env python3
"""Run the module masing.scripts.identify, which says with --help what it does."""

try:
    from masing.scripts.identify import main
except ImportError as missing:
    raise SystemExit(f"identify.py: {missing}") from None

if __name__ == "__main__":
    main()
