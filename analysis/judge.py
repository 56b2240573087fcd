#!/usr/bin/env python3
"""Run the module masing.scripts.judge, which says with --help what it does."""

from masing.scripts.judge import main, run

if __name__ == "__main__":
    run()
