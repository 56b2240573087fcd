#!/usr/bin/env python3
"""Run the module masing.scripts.report, which says with --help what it does."""

from masing.scripts.report import main

if __name__ == "__main__":
    main()
