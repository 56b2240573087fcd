#!/usr/bin/env python3
"""Run the module masing.scripts.judge, which says with --help what it does."""

try:
    from masing.scripts.judge import main
except ImportError as missing:
    raise SystemExit(f"judge.py: {missing}") from None

if __name__ == "__main__":
    main()
