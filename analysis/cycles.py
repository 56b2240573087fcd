#!/usr/bin/env python3
"""Run the module masing.scripts.cycles, which says with --help what it does."""

from masing.scripts.cycles import main

if __name__ == "__main__":
    main()
