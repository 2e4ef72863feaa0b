"""What the suites are judged by: which tests ask for what Braid doesn't have yet, what Kafka 4.4 itself makes of each, and where we
differ knowingly."""

import dataclasses
import fnmatch
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Rule:
    """Holds for the tests of a suite whose name matches the pattern."""

    suite: str
    pattern: str
    reason: str

    def holds(self, suite, test):
        return suite == self.suite and fnmatch.fnmatchcase(test, self.pattern)


def rules(name):
    """Of a table in this folder: suite, pattern, reason; `#` begins a comment."""
    lines = [line for line in (HERE / name).read_text().splitlines() if line and not line.startswith("#")]
    return [Rule(*line.split("\t")) for line in lines[1:]]


def first(table, suite, test):
    """The rule that holds for the test, or None."""
    return next((rule for rule in table if rule.holds(suite, test)), None)


def of_kafka():
    """(suite, test) → the outcome on Apache Kafka 4.4.0."""
    lines = (HERE / "kafka_4_4.tsv").read_text().splitlines()[1:]
    return {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in lines}
