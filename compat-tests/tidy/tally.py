#!/usr/bin/env python3
"""Counts a ctest JUnit report: prints PASSED, FAILED, SKIPPED and the names of the failed, separated by tabs.

usage: tally.py REPORT.xml
"""

import sys
import xml.etree.ElementTree

NAMES_MAX = 20


def tally(text):
    """(passed, failed, skipped, failed names); a test without a verdict counts as failed."""
    passed, failed, skipped, names = 0, 0, 0, []
    for case in xml.etree.ElementTree.fromstring(text).iter("testcase"):
        status = case.get("status")
        if case.find("skipped") is not None or status in ("notrun", "disabled"):
            skipped += 1
        elif status == "run" and case.find("failure") is None:
            passed += 1
        else:
            failed += 1
            names.append(case.get("name"))
    return passed, failed, skipped, names


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as report:
        PASSED, FAILED, SKIPPED, NAMES = tally(report.read())
    if PASSED + FAILED == 0:
        sys.exit("no test was run")
    print(PASSED, FAILED, SKIPPED, " ".join(NAMES[:NAMES_MAX]), sep="\t")
