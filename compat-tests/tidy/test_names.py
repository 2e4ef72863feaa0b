#!/usr/bin/env python3
"""Each ctest test is called by words: no printed values, whose raw bytes change from build to build.

usage: test_names.py BUILD_FOLDER
"""

import pathlib
import re
import sys

LISTED = re.compile(r"^add_test\(\[=*\[(.*?)\]=*\]", re.MULTILINE)
NAME = re.compile(r"[\w./-]+")


def names(text):
    """Of the tests in one of the files that CMake leaves for ctest after it has asked a test program for its tests."""
    return LISTED.findall(text)


def unclean(listed):
    return [name for name in listed if not NAME.fullmatch(name)]


if __name__ == "__main__":
    LISTS = sorted(pathlib.Path(sys.argv[1]).rglob("*_tests.cmake"))
    ALL = [name for path in LISTS for name in names(path.read_text(encoding="utf-8"))]
    FOUND = unclean(ALL)
    for found in FOUND[:20]:
        print(found)
    print(f"names of {len(ALL)} tests of {len(LISTS)} programs, {len(FOUND)} findings")
    sys.exit(1 if FOUND or not ALL else 0)
