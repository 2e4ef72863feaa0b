"""The lines of text in which messages travel between the programs, and the comparison of what they say."""

import collections
import dataclasses
import json
import re

DETAILS_SHOWN = 10
CHARACTERS_SHOWN = 300


@dataclasses.dataclass(frozen=True)
class Instance:
    """A message as Kafka wrote it. `words` begins a protocol_recode line; `expected` is the message without unknown tags."""

    words: str
    hex: str
    expected: str
    json: str

    @staticmethod
    def parse(line):
        words, sent, expected, text = line.rstrip("\n").split("\t")
        return Instance(words, sent, sent if expected == "=" else expected, text)

    def line(self):
        return "\t".join((self.words, self.hex, "=" if self.expected == self.hex else self.expected, self.json))


def group(words):
    """What is counted together: all versions of a message in one direction."""
    kind, *rest = words.split()
    return f"{kind} {rest[0]}" if kind in ("data", "header", "batches") else f"{kind} {rest[1]}"


class Report:
    """Counts by group, and the first differences in full."""

    def __init__(self):
        self.compared = collections.Counter()
        self.differing = collections.Counter()
        self.details = []

    def equal(self, words):
        self.compared[group(words)] += 1

    def differs(self, words, what, **shown):
        self.compared[group(words)] += 1
        self.differing[group(words)] += 1
        if len(self.details) < DETAILS_SHOWN:
            lines = [f"{words}: {what}"] + [f"    {name}: {_cut(value)}" for name, value in shown.items()]
            self.details.append("\n".join(lines))

    def total(self):
        return sum(self.compared.values()), sum(self.differing.values())

    def table(self, names):
        """One line a group; `names` maps an API key to its name."""
        lines = []
        for words in sorted(self.compared, key=_by_key):
            key = words.split()[0]
            title = f"{words} {names[key]}" if key in names else words
            lines.append(f"  {title:<60} compared {self.compared[words]:>7}  differing {self.differing[words]}")
        return "\n".join(lines)


def compare_bytes(instances, recoded, report):
    """The re-encoded bytes are the expected ones."""
    for instance, answer in zip(instances, recoded, strict=True):
        if answer == instance.expected:
            report.equal(instance.words)
        else:
            where = _first_difference(instance.expected, answer)
            report.differs(instance.words, f"bytes differ {where}", given=instance.hex, expected=instance.expected, got=answer)


def compare_values(instances, texts, report):
    """The decoded values are Kafka's, as JSON: same names, same types, same values."""
    for instance, text in zip(instances, texts, strict=True):
        difference = json_difference(instance.json, text)
        if difference is None:
            report.equal(instance.words)
        else:
            report.differs(instance.words, f"values differ: {difference}", given=instance.hex, expected=instance.json, got=text)


def json_difference(expected, got):
    """None if both say the same, else a path and what is there."""
    if expected == got:
        return None
    try:
        ours = json.loads(got)
    except ValueError as why:
        return f"not JSON ({why})"
    return _difference(json.loads(expected), ours, "")


def _difference(expected, got, path):
    if isinstance(expected, dict) and isinstance(got, dict):
        for name in sorted(expected.keys() | got.keys()):
            if name not in expected or name not in got:
                return f"{path}/{name} is only on {'our' if name in got else 'their'} side"
            if (found := _difference(expected[name], got[name], f"{path}/{name}")) is not None:
                return found
        return None
    if isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            return f"{path} has {len(expected)} elements, ours {len(got)}"
        for index, pair in enumerate(zip(expected, got)):
            if (found := _difference(*pair, f"{path}/{index}")) is not None:
                return found
        return None
    # repr tells 1 from 1.0 from True and -0.0 from 0.0; equal doubles have equal shortest forms.
    return None if repr(expected) == repr(got) else f"{path} is {_cut(repr(expected))}, ours {_cut(repr(got))}"


def _first_difference(expected, got):
    if got.startswith("error"):
        return "(refused)"
    at = next((i for i, pair in enumerate(zip(expected, got)) if pair[0] != pair[1]), min(len(expected), len(got)))
    return f"at byte {at // 2} of {len(expected) // 2}"


def _cut(text):
    text = str(text)
    return text if len(text) <= CHARACTERS_SHOWN else f"{text[:CHARACTERS_SHOWN]}… ({len(text)} characters)"


def _by_key(words):
    return [int(part) if part.isdigit() else 10**6 for part in re.findall(r"\d+|\D+", words)[:1]], words
