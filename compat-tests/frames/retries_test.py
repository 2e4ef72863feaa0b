"""An idempotent producer's batches over kill -9: each of the last five, sent again, has the offset that it had."""

import struct
import tempfile
import unittest

from braid_process import Broker
from wire import Client, frame, header

PRODUCE, CREATE_TOPICS = 0, 19
RECORDS = 3  # of each batch
OUT_OF_ORDER_SEQUENCE_NUMBER = 45


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def batch(producer, sequence):
    records = b""
    for delta in range(RECORDS):
        body = bytes([0, 0, 2 * delta, 1, 2]) + b"v" + b"\0"
        records += bytes([2 * len(body)]) + body
    checked = struct.pack(">hiqqqhii", 0, RECORDS - 1, 0, 0, producer, 0, sequence, RECORDS) + records
    return struct.pack(">qiibI", 0, 4 + 1 + 4 + len(checked), -1, 2, crc32c(checked)) + checked


def string(text):
    return struct.pack(">h", len(text)) + text.encode()


def create_topic(client, name):
    body = struct.pack(">i", 1) + string(name) + struct.pack(">ihii", 1, 1, 0, 0) + struct.pack(">ib", 60000, 0)
    client.send(frame(header(CREATE_TOPICS, 2) + body))
    answer = client.receive_frame()
    error = struct.unpack_from(">h", answer, 4 + 4 + 4 + 2 + len(name))[0]
    assert error == 0, error


def produce(client, name, records):
    """Error code and first offset."""
    body = struct.pack(">hhi", -1, -1, 60000) + struct.pack(">i", 1) + string(name) + struct.pack(">ii", 1, 0)
    client.send(frame(header(PRODUCE, 3) + body + struct.pack(">i", len(records)) + records))
    answer = client.receive_frame()
    _, error, offset = struct.unpack_from(">ihq", answer, 4 + 4 + 2 + len(name) + 4)
    return error, offset


class RetriesOverAKill(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="braid-")
        self.addCleanup(self.directory.cleanup)

    def broker(self):
        return Broker({"log.dirs": self.directory.name})

    def client(self, broker):
        client = Client(broker.port)
        self.addCleanup(client.close)
        return client

    def test_the_last_five_batches_have_their_offsets_after_each_kill(self):
        batches = 7
        with self.broker() as broker:
            client = self.client(broker)
            create_topic(client, "t")
            for i in range(batches):
                self.assertEqual(produce(client, "t", batch(1000, RECORDS * i)), (0, RECORDS * i))
        for kill in range(3):
            with self.broker() as broker:  # leaving it kills
                client = self.client(broker)
                for i in range(batches - 5, batches):
                    self.assertEqual(produce(client, "t", batch(1000, RECORDS * i)), (0, RECORDS * i), f"after kill {kill}")
                self.assertEqual(produce(client, "t", batch(1000, 0))[0], OUT_OF_ORDER_SEQUENCE_NUMBER)
                self.assertEqual(produce(client, "t", batch(1000, RECORDS * batches)), (0, RECORDS * batches))
                batches += 1

    def test_a_clean_stop_loses_nothing_either(self):
        with self.broker() as broker:
            client = self.client(broker)
            create_topic(client, "t")
            self.assertEqual(produce(client, "t", batch(7, 0)), (0, 0))
            self.assertEqual(broker.stop(), 0)
        with self.broker() as broker:
            client = self.client(broker)
            self.assertEqual(produce(client, "t", batch(7, 0)), (0, 0))
            self.assertEqual(produce(client, "t", batch(7, RECORDS)), (0, RECORDS))


if __name__ == "__main__":
    unittest.main()
