"""The records that are written and looked for, and their form between a test and a driver: bytes are hexadecimal there."""

import dataclasses
import itertools

ODD_BYTES = (None, b"", b"k", b"\x00\xff\xfe\n\r\t", "ключ".encode())
HEADERS = ((), (("h", b"1"),), (("h", None), ("h", b""), ("other", b"\x01\xfe"), ("h", b"again")))
START_MS = 1_600_000_000_000


@dataclasses.dataclass(frozen=True)
class Record:
    """`timestamp` is None where the client shall choose; `offset` where it is not known yet."""

    key: bytes
    value: bytes
    timestamp: int = None
    headers: tuple = ()
    offset: int = None

    def to_json(self):
        return {"key": _hex(self.key), "value": _hex(self.value), "timestamp": self.timestamp,
                "headers": [[name, _hex(value)] for name, value in self.headers], "offset": self.offset}

    @staticmethod
    def from_json(given):
        return Record(_bytes(given["key"]), _bytes(given["value"]), given.get("timestamp"),
                      tuple((name, _bytes(value)) for name, value in given.get("headers") or []), given.get("offset"))

    def content(self):
        return self.key, self.value, self.headers


def _hex(data):
    return None if data is None else data.hex()


def _bytes(text):
    return None if text is None else bytes.fromhex(text)


def numbered(count, mark, size=20):
    """Plain records that tell where they come from."""
    return [Record(f"{mark}-{number}".encode(), f"{mark} value {number} ".encode().ljust(size, b"."), START_MS + 1000 * number)
            for number in range(count)]


def pair(key, value):
    """What keys and values are called where a client can't write them together."""
    kinds = [{None: "null", b"": "empty"}.get(data, "full") for data in (key, value)]
    return f"{kinds[0]} key with {kinds[1]} value"


def odd(cannot=()):
    """Every null, empty and binary key with every such value, and headers with repeated names, null and empty values."""
    combinations = [both for both in itertools.product(ODD_BYTES, (*ODD_BYTES, b"x" * 3000)) if pair(*both) not in cannot]
    # Timestamps go up and down, to the epoch too.
    times = (START_MS, 1, START_MS + 10_000_000_000, START_MS - 1)
    return [Record(key, value, times[number % len(times)], _headers(number, cannot)) for number, (key, value) in enumerate(combinations)]


def _headers(number, cannot):
    return tuple((name, b"" if value is None and "null header values" in cannot else value) for name, value in HEADERS[number % len(HEADERS)])
