"""Tests of the schema tools: python3 -m unittest discover -s protocol/codegen/tests"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
