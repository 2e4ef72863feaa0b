"""kcat, one call a command. It writes what lies between two delimiters, so some records can't be written with it."""

import itertools
import re
import subprocess
import sys

from driver import ADMIN, GROUP_ADMIN, PATIENCE_SECONDS, answer_record, serve, to_bytes
from kcat_groups import Groups

BETWEEN_RECORDS, AFTER_KEY = b"|~", b"<>"
HEAD = re.compile(rb"(\d+) (-?\d+) (-?\d+) (-?\d+) \[([^\]]*)\]")


def kcat(servers, *arguments, data=b""):
    command = ["kcat", "-b", servers, "-X", "broker.address.family=v4", *arguments]
    ended = subprocess.run(command, input=data, capture_output=True, timeout=PATIENCE_SECONDS, check=False)
    if ended.returncode != 0 or b"ERROR" in ended.stderr:
        raise RuntimeError(ended.stderr.decode(errors="replace"))
    return ended.stdout


def style(record):
    """Records of one style can be written by one call: the headers, and whether what is empty is null."""
    return record["value"] is None, tuple((name, value) for name, value in record["headers"])


def line(record):
    key, value = to_bytes(record["key"]), to_bytes(record["value"]) or b""
    return value if key is None else key + AFTER_KEY + value


def header_of(field):
    name, value = field.split(b"=", 1)
    return name.decode(), None if value == b"NULL" else value


class Driver(Groups):
    def __init__(self, servers):
        self.servers = servers
        self.members = {}

    def hello(self):
        version = re.search(rb"Version (\S+) .*librdkafka (\S+)", kcat(self.servers, "-V"))
        return {"version": f"{version[1].decode()} with librdkafka {version[2].decode()}",
                "cannot": ["topics", "timestamps", "empty key with null value", "null key with empty value", "null key with null value", *ADMIN, "cooperative rebalances", "waiting for a broker", *GROUP_ADMIN]}

    def produce(self, topic, partition, records, acks, codec, idempotent):
        for (null, headers), group in itertools.groupby(records, style):
            options = ["-X", f"acks={acks}", "-X", f"enable.idempotence={str(idempotent).lower()}", "-X", "linger.ms=20", "-z", codec]
            for name, value in headers:
                options += ["-H", name.encode() if value is None else name.encode() + b"=" + to_bytes(value)]
            kcat(self.servers, "-P", "-t", topic, "-p", str(partition), "-D", BETWEEN_RECORDS, "-K", AFTER_KEY,
                 *(["-Z"] if null else []), *options, data=BETWEEN_RECORDS.join(map(line, group)))
        return {"offsets": None}

    def read(self, topic, partition, count, start):
        origin = "beginning"
        if "tail" in start:
            origin = f"-{start['tail']}"
        elif "timestamp" in start:
            origin = f"s@{start['timestamp']}"
        elif "offset" in start:
            origin = str(start["offset"])
        data = kcat(self.servers, "-C", "-q", "-t", topic, "-p", str(partition), "-o", origin, "-c", str(count), "-X", "check.crcs=true",
                    "-f", "%o %T %K %S [%h]%k%s")
        return {"records": list(self._parse(data))}

    @staticmethod
    def _parse(data):
        place = 0
        while place < len(data):
            head = HEAD.match(data, place)
            offset, timestamp, key_size, value_size = (int(number) for number in head.groups()[:4])
            key_begin = head.end()
            value_begin = key_begin + max(key_size, 0)
            place = value_begin + max(value_size, 0)
            yield answer_record(offset, timestamp, None if key_size < 0 else data[key_begin:value_begin],
                                None if value_size < 0 else data[value_begin:place],
                                [header_of(field) for field in head[5].split(b",") if field])


serve(Driver(sys.argv[1]))
