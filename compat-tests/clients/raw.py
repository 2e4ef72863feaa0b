"""What a test asks the broker itself, without a client: which APIs it serves, a topic, and the batches as they are stored."""

import dataclasses
import struct

from wire import Client, frame, header

FETCH, API_VERSIONS, CREATE_TOPICS = 1, 18, 19
DELETE_RECORDS, DESCRIBE_CONFIGS, INCREMENTAL_ALTER_CONFIGS = 21, 32, 44
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


@dataclasses.dataclass(frozen=True)
class Batch:
    base_offset: int
    records: int
    codec: str
    idempotent: bool


def _text(word):
    return struct.pack(">h", len(word)) + word.encode()


def _ask(port, key, version, body):
    with Client(port) as client:
        client.send(frame(header(key, version) + body))
        return client.receive_frame()[4:]


def served_apis(port):
    """The highest version of each API."""
    answer = _ask(port, API_VERSIONS, 0, b"")
    error, count = struct.unpack(">hi", answer[:6])
    assert error == 0, error
    return {key: highest for key, _, highest in struct.iter_unpack(">hhh", answer[6:6 + 6 * count])}


def create_topic(port, name, partitions):
    body = struct.pack(">i", 1) + _text(name) + struct.pack(">ihiiib", partitions, 1, 0, 0, 60_000, 0)
    answer = _ask(port, CREATE_TOPICS, 2, body)
    error = struct.unpack_from(">h", answer, 4 + 4 + 2 + len(name))[0]
    assert error == 0, f"creating {name}: error {error}"


def fetch(port, topic, partition, offset=0):
    """High watermark and bytes of one partition."""
    body = struct.pack(">iiiibi", -1, 0, 0, 1 << 26, 0, 1) + _text(topic) + struct.pack(">iiqi", 1, partition, offset, 1 << 26)
    answer = _ask(port, FETCH, 4, body)
    error, watermark, _, aborted, size = struct.unpack_from(">hqqii", answer, 4 + 4 + 2 + len(topic) + 4 + 4)
    assert error == 0 and aborted <= 0, f"reading {topic}: error {error}"
    return watermark, answer[len(answer) - max(size, 0):]


def batches(port, topic, partition):
    """The first few MiB of a partition, as its clients wrote them."""
    _, data = fetch(port, topic, partition)
    found = []
    while data:
        base_offset, size = struct.unpack_from(">qi", data)
        attributes, = struct.unpack_from(">h", data, 21)
        producer_id, = struct.unpack_from(">q", data, 43)
        count, = struct.unpack_from(">i", data, 57)
        found.append(Batch(base_offset, count, CODECS[attributes & 7], producer_id >= 0))
        data = data[12 + size:]
    return found
