#!/usr/bin/env python3
"""Compares Braid's codec with Kafka's own classes: messages byte for byte and value for value, damaged messages, record batches.

Exit 0: all equal. 1: something differs or a program failed. 77: not run, because Java or Maven is missing.
The last line begins with `codec_conformance:` and says which of the three it is.
"""

import argparse
import contextlib
import pathlib
import sys
import time

import batches
import corpus
import damaged
import messages
import programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_RUN = 77
DEFAULT_SEED = 20240917
UNEXPLAINED_SHOWN = 10


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="build folder: has protocol_recode, gets all that is written")
    parser.add_argument("--seed", type=int, action="append", help=f"may be given several times (default {DEFAULT_SEED})")
    parser.add_argument("--count", type=int, default=50, help="instances of each message, version and direction (default 50)")
    parser.add_argument("--write-corpus", action="store_true", help="also replace the kept corpus by messages of the first seed")
    return parser.parse_args(arguments)


class Comparison:
    """All that is compared for one seed."""

    def __init__(self, recode, kafka, work):
        self.recode = recode
        self.kafka = kafka
        self.work = work
        self.list = recode.list()
        self.names = {words[1]: words[2] for words in (line.split() for line in self.list.read_text().splitlines()) if words[0] == "api"}
        self.failures = []
        self.totals = []

    def run(self, seed, count, write_corpus):
        instances = self.generate(seed, count)
        if write_corpus:
            corpus.write(instances)
        self.compare_messages(instances)
        self.compare_damaged(instances, seed)
        self.compare_batches(seed)
        if write_corpus:
            corpus.write_batches(*((self.work / name).read_text().splitlines() for name in ("batches.out", "batches-viewed.out")))

    def generate(self, seed, count):
        with _timed("Kafka writes messages"):
            path = self.kafka.main("generate", self.list, "generate", seed, count)
        notes = [line for line in pathlib.Path(f"{path}.err").read_text().splitlines() if " is listed as " in line]
        print("\n".join(f"  note: {note}" for note in notes))
        with open(path) as lines:
            return [messages.Instance.parse(line) for line in lines]

    def compare_messages(self, instances):
        values, encoded = messages.Report(), messages.Report()
        with _timed("Braid re-encodes and decodes them"):
            recoded = self.recode.answers("recode", [f"{one.words} {one.hex}" for one in instances])
            texts = self.recode.answers("json", [f"json {one.words} {one.hex}" for one in instances])
        messages.compare_bytes(instances, recoded, encoded)
        messages.compare_values(instances, texts, values)
        print("bytes, by message and direction:", encoded.table(self.names), sep="\n")
        self.conclude("messages, bytes", encoded)
        self.conclude("messages, values", values)

    def compare_damaged(self, instances, seed):
        cases = list(damaged.make(instances, seed))
        asked = self.work / "damaged-kafka.in"
        asked.write_text("".join(f"{words}\t{given}\n" for words, given in cases))
        with _timed("both read damaged messages"):
            theirs = self.kafka.main("damaged-kafka", asked, "reread", self.list).read_text().split("\n")[:-1]
            ours = self.recode.answers("damaged", [f"{words} {given}" for words, given in cases])
        verdicts = damaged.Verdicts()
        for (words, given), their_answer, our_answer in zip(cases, theirs, ours, strict=True):
            verdicts.judge(words, given, their_answer, our_answer)
        for outcome, number in verdicts.counts.most_common():
            print(f"  {number:>7}  {outcome}")
        for words, outcome, given, their_answer, our_answer in verdicts.unexplained[:UNEXPLAINED_SHOWN]:
            self.failures.append(f"{words}: {outcome}\n    given: {given[:400]}\n    Kafka: {their_answer[:400]}\n    Braid: {our_answer[:400]}")
        self.totals.append(("damaged messages", len(cases), len(verdicts.unexplained)))

    def compare_batches(self, seed):
        for name, compare in (
            ("batches of Kafka", batches.compare_theirs),
            ("batches of Braid", batches.compare_ours),
            ("batches with a flipped bit", batches.compare_flipped),
        ):
            report = messages.Report()
            with _timed(name):
                compare(self.kafka, self.recode, seed, report)
            print(report.table({}))
            self.conclude(name, report)

    def conclude(self, name, report):
        self.failures.extend(report.details)
        self.totals.append((name, *report.total()))


@contextlib.contextmanager
def _timed(what):
    started = time.monotonic()
    yield
    print(f"{what}: {time.monotonic() - started:.1f} s", flush=True)


def remove_work_files(work):
    """After a failure the files stay, to look at; otherwise they are some hundred MiB for nothing."""
    for path in [*work.glob("*.in"), *work.glob("*.out")]:
        path.unlink()


def summary(totals):
    return "; ".join(f"{name}: {compared} compared, {differing} differing" for name, compared, differing in totals)


def compare(options):
    """Runs all seeds; returns the exit code and the text for the closing line."""
    work = options.build.resolve() / "codec_conformance"
    work.mkdir(parents=True, exist_ok=True)
    recode = programs.Recode(options.build.resolve() / "protocol_recode", work)
    kafka = programs.Kafka(work)
    failed = False
    added = {}
    for index, seed in enumerate(options.seed or [DEFAULT_SEED]):
        print(f"seed {seed}, {options.count} instances each")
        comparison = Comparison(recode, kafka, work)
        comparison.run(seed, options.count, options.write_corpus and index == 0)
        print("\n".join(comparison.failures))
        for name, compared, differing in comparison.totals:
            before = added.get(name, (0, 0))
            added[name] = (before[0] + compared, before[1] + differing)
            failed = failed or differing > 0 or compared == 0
    if not failed:
        remove_work_files(work)
    return int(failed), summary([(name, *numbers) for name, numbers in added.items()])


def main(arguments):
    try:
        code, text = compare(parse_arguments(arguments))
    except programs.NotRun as why:
        code, text = NOT_RUN, str(why)
    except programs.Failed as why:
        code, text = 1, str(why)
    print(f"codec_conformance: {({0: 'passed', NOT_RUN: 'not run'}).get(code, 'failed')}: {' | '.join(text.splitlines())}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
