#!/usr/bin/env python3
"""Counts a ctest JUnit report: prints PASSED, FAILED, SKIPPED and the names of the failed, separated by tabs.

usage: tally.py REPORT.xml
       tally.py --tails REPORT.xml     the last lines of what each failed test said, with the seed and the reason in them
"""

import sys
import xml.etree.ElementTree

NAMES_MAX = 20
TAILS_MAX = 10  # more failures than this have one reason, or nobody reads them all
TAIL_LINES_MAX = 40
LINE_CHARACTERS_MAX = 300


def verdict(case):
    """"passed", "failed" or "skipped"; a test without a verdict counts as failed."""
    status = case.get("status")
    if case.find("skipped") is not None or status in ("notrun", "disabled"):
        return "skipped"
    return "passed" if status == "run" and case.find("failure") is None else "failed"


def cases(text):
    return [(case, verdict(case)) for case in xml.etree.ElementTree.fromstring(text).iter("testcase")]


def tally(text):
    """(passed, failed, skipped, failed names)"""
    verdicts = [verdict for _, verdict in cases(text)]
    names = [case.get("name") for case, verdict in cases(text) if verdict == "failed"]
    return verdicts.count("passed"), verdicts.count("failed"), verdicts.count("skipped"), names


def tails(text):
    """Lines to be read at the end of a log."""
    failed = [case for case, verdict in cases(text) if verdict == "failed"]
    told = []
    for case in failed[:TAILS_MAX]:
        said = (case.findtext("system-out") or "").rstrip().splitlines()
        told.append(f"--- {case.get('name')}")
        told += [line if len(line) <= LINE_CHARACTERS_MAX else line[:LINE_CHARACTERS_MAX] + "…" for line in said[-TAIL_LINES_MAX:]]
    if len(failed) > TAILS_MAX:
        told.append(f"--- and {len(failed) - TAILS_MAX} more")
    return told


def run(arguments):
    with open(arguments[-1], encoding="utf-8") as report:
        text = report.read()
    if arguments[0] == "--tails":
        print("\n".join(tails(text)))
        return
    passed, failed, skipped, names = tally(text)
    if passed + failed == 0:
        sys.exit("no test was run")
    print(passed, failed, skipped, " ".join(names[:NAMES_MAX]), sep="\t")


if __name__ == "__main__":
    run(sys.argv[1:])
