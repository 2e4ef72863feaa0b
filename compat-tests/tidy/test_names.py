#!/usr/bin/env python3
"""Each ctest test is called by words: no printed values, whose raw bytes change from build to build.

usage: test_names.py BUILD_FOLDER
"""

import re
import subprocess
import sys

LISTED = re.compile(r"^\s*Test\s+#\d+: (.*)$", re.MULTILINE)
NAME = re.compile(r"[\w./-]+")


def unclean(listing):
    """The names in ctest's listing that are more than a word."""
    return [name for name in LISTED.findall(listing) if not NAME.fullmatch(name)]


if __name__ == "__main__":
    LISTING = subprocess.run(["ctest", "--test-dir", sys.argv[1], "-N"], capture_output=True, text=True, check=True).stdout
    FOUND = unclean(LISTING)
    for found in FOUND[:20]:
        print(found)
    print(f"names of {len(LISTED.findall(LISTING))} tests, {len(FOUND)} findings")
    sys.exit(1 if FOUND or not LISTED.search(LISTING) else 0)
