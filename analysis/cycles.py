#!/usr/bin/env python3
"""Run the module masing.scripts.cycles, which says with --help what it does."""

try:
    from masing.scripts.cycles import main
except ImportError as missing:
    raise SystemExit(f"cycles.py: {missing}") from None

if __name__ == "__main__":
    main()
