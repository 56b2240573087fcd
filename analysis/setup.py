"""The version for pyproject.toml: that of CITATION.cff, which stands above this folder in a clone and an installation."""

import re
from pathlib import Path

from setuptools import setup

citation = Path(__file__).resolve().parents[1] / "CITATION.cff"
setup(version=re.search(r'^version: "(.*)"$', citation.read_text(encoding="utf-8"), re.MULTILINE)[1])
