#!/usr/bin/env python3
"""Run the module masing.scripts.identify, which says with --help what it does."""

from masing.scripts.identify import main

if __name__ == "__main__":
    main()
