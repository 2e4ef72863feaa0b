"""The files of the project that a check reads, and how a finding is printed."""

import pathlib
import subprocess
import sys


class Finding:
    """One broken rule at one line; prints as compilers do, so that editors can jump to it."""

    def __init__(self, path, line, rule):
        self.path, self.line, self.rule = path, line, rule

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}"


def files(root, *suffixes):
    """Paths relative to root, sorted: what git tracks or would track; without git, everything outside build/."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        names = [name for name in listing.stdout.split("\0") if name]
    else:
        names = [str(path.relative_to(root)) for path in pathlib.Path(root).rglob("*") if path.is_file()]
        names = [name for name in names if not name.startswith(("build/", ".git/"))]
    wanted = {name for name in names if not suffixes or name.endswith(suffixes)}
    return sorted(pathlib.PurePosixPath(name) for name in wanted if (pathlib.Path(root) / name).is_file())


def lines(root, path):
    """(number, text) of each line, from 1."""
    text = (pathlib.Path(root) / path).read_text(encoding="utf-8", errors="replace")
    return list(enumerate(text.splitlines(), start=1))


def report(name, findings, read_count):
    """Prints the findings and returns the exit code."""
    for finding in findings:
        print(finding)
    print(f"{name}: {read_count} files read, {len(findings)} findings")
    if read_count == 0:
        print(f"{name}: nothing was read, which can't be right", file=sys.stderr)
        return 1
    return 1 if findings else 0
