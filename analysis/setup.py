"""Set the version of the Python package to the version in CITATION.cff.

The file CITATION.cff is in the parent of the folder of this script, both in a clone and in an installation.
"""

import re
from pathlib import Path

from setuptools import setup

citation = Path(__file__).resolve().parents[1] / "CITATION.cff"
setup(version=re.search(r'^version: "(.*)"$', citation.read_text(encoding="utf-8"), re.MULTILINE)[1])
