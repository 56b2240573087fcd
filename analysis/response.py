#!/usr/bin/env python3
"""Run the module masing.scripts.response, which says with --help what it does."""

from masing.scripts.response import main

if __name__ == "__main__":
    main()
