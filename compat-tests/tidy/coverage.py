#!/usr/bin/env python3
"""Line and branch coverage of a build with --coverage, a row a folder, the generated messages apart. Needs gcovr.

usage: coverage.py BUILD_DIR
"""

import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEFT_OUT = ("_test.cc", "_fuzz.cc", "_bench.cc")


def measure(build):
    run = subprocess.run(
        ["gcovr", "--json-summary", "--root", str(ROOT), "--gcov-executable", "gcov-12", "--exclude-throw-branches",
         "--exclude-unreachable-branches", str(build)],
        cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return json.loads(run.stdout)["files"]


def room(name):
    if "generated/" in name:
        return "generated"
    parts = name.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def main():
    rooms = collections.defaultdict(lambda: [0, 0, 0, 0])
    for file in measure(pathlib.Path(sys.argv[1]).resolve()):
        if file["filename"].endswith(LEFT_OUT) or file["filename"].startswith("compat-tests/"):
            continue
        counts = [file["line_covered"], file["line_total"], file["branch_covered"], file["branch_total"]]
        top = file["filename"].split("/")[0] + "/ in all"
        for name in {room(file["filename"]), top} - {"build/ in all"}:
            rooms[name] = [a + b for a, b in zip(rooms[name], counts)]
    print(f"{'folder':<28}{'lines':>8}{'of':>8}{'%':>7}{'branches':>10}{'of':>8}{'%':>7}")
    for name in sorted(rooms):
        covered, total, branches, branch_total = rooms[name]
        print(f"{name:<28}{covered:>8}{total:>8}{100 * covered / max(total, 1):>7.1f}{branches:>10}{branch_total:>8}{100 * branches / max(branch_total, 1):>7.1f}")


if __name__ == "__main__":
    main()
