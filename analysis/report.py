#!/usr/bin/env python3
"""Run the module masing.scripts.report, which says with --help what it does."""

try:
    from masing.scripts.report import main
except ImportError as missing:
    raise SystemExit(f"report.py: {missing}") from None

if __name__ == "__main__":
    main()
