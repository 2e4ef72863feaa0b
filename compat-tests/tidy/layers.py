#!/usr/bin/env python3
"""Layer check: base <- wire <- records <- {messages, storage} <- broker, read off the #include lines.

usage: layers.py PROJECT_ROOT
"""

import re
import sys

from source_tree import Finding, files, lines, report

# A box may include itself and the boxes named here. A folder that is no key is a finding: give it a place.
ALLOWED = {
    "protocol/base": set(),
    "protocol/wire": {"protocol/base"},
    "protocol/records": {"protocol/base", "protocol/wire"},
    "protocol/messages": {"protocol/base", "protocol/wire", "protocol/records"},
    "storage": {"protocol/base", "protocol/wire", "protocol/records"},
    "broker": {"protocol/base", "protocol/wire", "protocol/records", "protocol/messages", "storage"},
}
PROTOCOL = {"protocol/base", "protocol/wire", "protocol/records", "protocol/messages"}
# Programs beside the layers: nothing includes them.
PROGRAMS = {
    "protocol/recode": PROTOCOL,
    "protocol/fuzz": PROTOCOL,
    "protocol/bench": PROTOCOL,
    "compat-tests": PROTOCOL | {"storage", "broker"},
}
# What a box must not reach for in the outside world: protocol/ has no files, sockets or logging; storage has no sockets or logging.
OUTSIDE = {
    "protocol/": re.compile(r"<(fstream|filesystem|iostream|thread|mutex|sys/socket\.h|unistd\.h|fcntl\.h|spdlog/.*|boost/asio.*)>"),
    "storage/": re.compile(r"<(iostream|sys/socket\.h|spdlog/.*|boost/asio.*)>"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|(<[^>]+>))')


def box_of(path):
    """The box that a path from the project's root belongs to."""
    parts = str(path).split("/")
    return "/".join(parts[:2]) if parts[0] == "protocol" else parts[0]


def check_include(path, number, quoted, angled):
    box = box_of(path)
    allowed = ALLOWED.get(box, PROGRAMS.get(box))
    if allowed is None:
        return Finding(path, number, f"the folder {box} has no place in layers.py")
    if quoted is not None:
        target = box_of(quoted)
        if "/" not in quoted:
            return Finding(path, number, f'write the path from the root: "{box}/…/{quoted}"')
        if target != box and target not in allowed:
            return Finding(path, number, f"{box} must not include {target}: move the code, not the rule")
    is_program = box in PROGRAMS
    for prefix, forbidden in OUTSIDE.items():
        if angled and str(path).startswith(prefix) and not is_program and not str(path).endswith("_test.cc"):
            if forbidden.match(angled) and not str(path).startswith("storage/env/"):
                return Finding(path, number, f"{prefix} does not use {angled}")
    return None


def check(root):
    findings, sources = [], files(root, ".h", ".cc")
    for path in sources:
        for number, text in lines(root, path):
            match = INCLUDE.match(text)
            if match:
                finding = check_include(path, number, match.group(1), match.group(2))
                if finding:
                    findings.append(finding)
    return findings, len(sources)


if __name__ == "__main__":
    sys.exit(report("layers", *check(sys.argv[1])))
