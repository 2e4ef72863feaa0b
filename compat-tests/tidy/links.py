#!/usr/bin/env python3
"""Each relative link of each Markdown file leads to a file that is there.

usage: links.py PROJECT_ROOT
"""

import pathlib
import re
import sys

from source_tree import Finding, files, lines, report

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def check(root):
    findings, documents = [], files(root, ".md")
    for path in documents:
        for number, text in lines(root, path):
            for target in LINK.findall(text):
                if "://" in target or target.startswith("mailto:"):
                    continue
                if not (pathlib.Path(root) / path.parent / target).exists():
                    findings.append(Finding(path, number, f"the link to {target} leads nowhere"))
    return findings, len(documents)


if __name__ == "__main__":
    sys.exit(report("links", *check(sys.argv[1])))
