"""Produce, Fetch and CreateTopics as plain bytes, for tests that need no client: Produce 7, Fetch 4, CreateTopics 2."""

import dataclasses
import gzip
import struct

from wire import Client, frame, header

PRODUCE, FETCH, CREATE_TOPICS = 0, 1, 19
PRODUCE_VERSION = 7
_CRC_POLYNOMIAL = 0x82F63B78


def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (_CRC_POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc_table()


def crc32c(data):
    """CRC-32C; slow, so that large batches are made once and sent often."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def _varint(number):
    number = (number << 1) ^ (number >> 63)
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def record_batch(records=1, value=b"value", timestamp=1_700_000_000_000, compressed=False):
    """One batch of equal records without keys; compressed: by gzip."""
    body = b""
    for delta in range(records):
        record = b"\0" + _varint(0) + _varint(delta) + _varint(-1) + _varint(len(value)) + value + _varint(0)
        body += _varint(len(record)) + record
    if compressed:
        body = gzip.compress(body)
    covered = struct.pack(">hiqqqhii", int(compressed), records - 1, timestamp, timestamp, -1, -1, -1, records) + body
    counted = struct.pack(">ib", -1, 2) + struct.pack(">I", crc32c(covered)) + covered
    return struct.pack(">qi", 0, len(counted)) + counted


def _text(word):
    return struct.pack(">h", len(word)) + word.encode()


def produce_request(topic, partition, batch, acks=-1, timeout_ms=30_000, correlation_id=7):
    body = struct.pack(">hhi", -1, acks, timeout_ms) + struct.pack(">i", 1) + _text(topic)
    body += struct.pack(">iii", 1, partition, len(batch)) + batch
    return frame(header(PRODUCE, PRODUCE_VERSION, correlation_id) + body)


def produce_error(answer):
    """Error code and base offset of an answer to one partition, from its correlation id on."""
    topic_bytes = struct.unpack_from(">h", answer, 8)[0]
    error, offset = struct.unpack_from(">hq", answer, 4 + 4 + 2 + topic_bytes + 4 + 4)
    return error, offset


@dataclasses.dataclass(frozen=True)
class Produced:
    error: int
    offset: int
    batch_bytes: int
    request_bytes: int
    response_bytes: int


def produce(client, topic, partition, records=1, damage=False, batch=None):
    """One batch, answered."""
    batch = batch or record_batch(records)
    if damage:
        batch = batch[:-1] + bytes([batch[-1] ^ 1])
    request = produce_request(topic, partition, batch)
    client.send(request)
    answer = client.receive_frame()
    error, offset = produce_error(answer)
    return Produced(error, offset, len(batch), len(request), len(answer) + 4)


def fetch_request(topic, partition, offset=0, wait_ms=0, bytes_min=0, bytes_max=1 << 26, correlation_id=7):
    body = struct.pack(">iiiibi", -1, wait_ms, bytes_min, bytes_max, 0, 1) + _text(topic)
    return frame(header(FETCH, 4, correlation_id) + body + struct.pack(">iiqi", 1, partition, offset, bytes_max))


def fetch(client, topic, partition, offset=0):
    """High watermark and batches of one partition."""
    client.send(fetch_request(topic, partition, offset))
    answer = client.receive_frame()[4:]
    error, watermark, _, _, size = struct.unpack_from(">hqqii", answer, 4 + 4 + 2 + len(topic) + 4 + 4)
    assert error == 0, f"reading {topic}: error {error}"
    return watermark, answer[len(answer) - max(size, 0):]


def create_topic(port, name, partitions, configs=()):
    body = struct.pack(">i", 1) + _text(name) + struct.pack(">ihii", partitions, 1, 0, len(configs))
    for key, value in configs:
        body += _text(key) + _text(value)
    with Client(port) as client:
        client.send(frame(header(CREATE_TOPICS, 2) + body + struct.pack(">ib", 60_000, 0)))
        answer = client.receive_frame()[4:]
    error = struct.unpack_from(">h", answer, 4 + 4 + 2 + len(name))[0]
    assert error == 0, f"creating {name}: error {error}"
