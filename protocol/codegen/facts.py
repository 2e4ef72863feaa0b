"""Facts that Kafka's definitions do not hold: throttle and access columns of the APIs, and the error codes."""

import csv


def read_tsv(path):
    """The rows of a tab-separated file with a header line, as dictionaries."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def pascal_from_capitals(name):
    """`UNKNOWN_TOPIC_ID` -> `UnknownTopicId`."""
    return "".join(word.capitalize() for word in name.split("_"))
