#!/usr/bin/env python3
"""The corpus: a few messages of every kind and version as Kafka's classes wrote them, kept as text, checked without Java.

corpus.py check PROGRAM    re-encodes and decodes all of it with protocol_recode; exit 0 equal, 1 different
"""

import collections
import pathlib
import sys
import tempfile

import messages
import programs

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus"
HEX_CHARACTERS_MAX = 2400
# Positions among the instances of a target, see java/conformance/Style.java: greatest values, unknown tags, mixed.
PREFERRED = (3, 4, 9)


def files():
    return sorted(FOLDER.glob("*.txt"))


def read():
    """All messages of the corpus."""
    return [messages.Instance.parse(line) for path in files() for line in path.read_text().splitlines()]


def choose(instances):
    """Of each target the instances at the preferred positions, each or the next that is not too long."""
    by_words = collections.defaultdict(list)
    for instance in instances:
        by_words[instance.words].append(instance)
    for candidates in by_words.values():
        chosen = []
        for position in PREFERRED:
            short = (one for one in candidates[position:] if len(one.hex) <= HEX_CHARACTERS_MAX and one not in chosen)
            chosen.extend([one for one in [next(short, None)] if one is not None])
        yield from chosen


def write(instances):
    """Replaces the corpus by a choice of `instances`."""
    by_file = collections.defaultdict(list)
    for instance in choose(instances):
        by_file[_file_name(instance.words)].append(instance.line())
    FOLDER.mkdir(exist_ok=True)
    for name, lines in by_file.items():
        (FOLDER / name).write_text("".join(f"{line}\n" for line in lines))


def check(recode, report):
    instances = read()
    messages.compare_bytes(instances, recode.answers("corpus", [f"{one.words} {one.hex}" for one in instances]), report)
    texts = recode.answers("corpus-json", [f"json {one.words} {one.hex}" for one in instances])
    messages.compare_values(instances, texts, report)


def _file_name(words):
    kind, _, direction = words.split()
    return "structures.txt" if kind in ("data", "header") else f"{direction}s.txt"


def main(arguments):
    if len(arguments) != 2 or arguments[0] != "check":
        print(__doc__, file=sys.stderr)
        return 2
    report = messages.Report()
    with tempfile.TemporaryDirectory(prefix="codec-corpus-") as work:
        check(programs.Recode(arguments[1], pathlib.Path(work)), report)
    compared, differing = report.total()
    print("\n".join(report.details))
    print(f"corpus: {compared} comparisons, {differing} differing")
    return 0 if compared and not differing else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except programs.Failed as why:
        sys.exit(f"corpus: {why}")
