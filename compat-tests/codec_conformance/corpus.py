#!/usr/bin/env python3
"""The corpus: a few messages of every kind and version, and a few record batches, as Kafka's classes wrote them; kept as text,
checked without Java.

corpus.py check PROGRAM    re-encodes and decodes all of it with protocol_recode; exit 0 equal, 1 different
"""

import collections
import pathlib
import sys
import tempfile

import batches
import messages
import programs

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus"
BATCHES = FOLDER / "batches.txt"
HEX_CHARACTERS_MAX = 2400
BATCH_SETS_PER_LEVEL = 3
VIEW_CHARACTERS_MAX = 6000  # long values compress well: short batches can be long to look at
# Positions among the instances of a target, see java/conformance/Style.java: greatest values, unknown tags, mixed.
PREFERRED = (3, 4, 9)


def read():
    """All messages of the corpus."""
    files = sorted(FOLDER.glob("*.txt"))
    return [messages.Instance.parse(line) for path in files if path != BATCHES for line in path.read_text().splitlines()]


def read_batches():
    """(hex, Kafka's view) of all sets of batches of the corpus."""
    return [line.split("\t") for line in BATCHES.read_text().splitlines()]


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


def write_batches(sets, viewed):
    """Replaces the batches of the corpus: the first short ones of each codec and level."""
    chosen = []
    for begin in range(0, len(sets), batches.SETS_PER_LEVEL):
        level = zip(sets[begin : begin + batches.SETS_PER_LEVEL], viewed[begin : begin + batches.SETS_PER_LEVEL])
        chosen += [pair for pair in level if len(pair[0]) <= HEX_CHARACTERS_MAX and len(pair[1]) <= VIEW_CHARACTERS_MAX][:BATCH_SETS_PER_LEVEL]
    BATCHES.write_text("".join(f"{given}\t{view}\n" for given, view in chosen))


def check(recode, report):
    instances = read()
    messages.compare_bytes(instances, recode.answers("corpus", [f"{one.words} {one.hex}" for one in instances]), report)
    texts = recode.answers("corpus-json", [f"json {one.words} {one.hex}" for one in instances])
    messages.compare_values(instances, texts, report)
    sets, viewed = zip(*read_batches())
    batches.compare_views(sets, viewed, batches.views(recode, "corpus-records", sets), "of the corpus", report)


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
