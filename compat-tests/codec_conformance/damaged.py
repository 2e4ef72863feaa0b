"""The second comparison: damaged messages are taken or refused by both sides alike, and what both take, both write alike."""

import collections
import random

import expected_differences
import mutate

MUTANTS_PER_TARGET = 24
LARGEST_SOURCE_BYTES = 3000
TEXT_CHANGED = "-"  # Kafka's answer where its bytes cannot be compared, see java/conformance/Reread.java


def make(instances, seed):
    """(words, hex) of damaged messages, the same number for each message and version, the same for the same seed."""
    by_words = collections.defaultdict(list)
    for instance in instances:
        by_words[instance.words].append(instance)
    for words, sources in by_words.items():
        chance = random.Random(f"{seed} {words}")
        small = [bytes.fromhex(one.hex) for one in sources if 0 < len(one.hex) <= 2 * LARGEST_SOURCE_BYTES]
        for _ in range(MUTANTS_PER_TARGET if small else 0):
            yield words, mutate.mutant(chance.choice(small), chance).hex()
        for one in sources:
            longer = mutate.too_long_text(bytes.fromhex(one.hex)) if len(one.hex) > 2 * mutate.LONGEST_TEXT else None
            if longer is not None:
                yield words, longer.hex()


class Verdicts:
    """How often each outcome came, and the outcomes that are not explained."""

    def __init__(self):
        self.counts = collections.Counter()
        self.unexplained = []

    def judge(self, words, given, theirs, ours):
        """`theirs` is Kafka's answer, HEX TAB ODDITIES or error REASON, `ours` is HEX or error REASON."""
        outcome, explained = verdict(theirs, ours)
        self.counts[outcome] += 1
        if not explained:
            self.unexplained.append((words, outcome, given, theirs, ours))


def verdict(theirs, ours):
    """(what happened, whether that is as it should be)"""
    we_refuse = ours.startswith("error")
    if theirs.startswith("error"):
        return ("both refuse", True) if we_refuse else _explained("only we accept", expected_differences.ACCEPTED_BY_US, theirs)
    written, oddities = theirs.split("\t")
    if we_refuse:
        return _explained("only we refuse", expected_differences.REFUSED_BY_US, oddities)
    if written == TEXT_CHANGED:
        return "both accept; Kafka replaces text that is not UTF-8, Braid keeps its bytes", True
    return ("both write the same", True) if written == ours else ("both accept and write different bytes", False)


def _explained(outcome, listed, text):
    reason = next((reason for part, reason in listed.items() if part in text), None)
    return (outcome, False) if reason is None else (f"{outcome}: {reason}", True)
