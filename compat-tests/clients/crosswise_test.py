"""What each real client writes, every other one reads: odd records, in every codec. Needs two clients at least."""

import sys
import unittest

import raw
from braid_process import Broker
from client_program import ClientProgram, available, enter
from records import odd

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
NAMES = available()
if len(NAMES) < 2:
    print(f"not run: of the clients there is only {NAMES}")
    sys.exit(77)


def topic_of(writer, codec):
    return f"{writer}-{codec}"


class Crosswise(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.broker = enter(cls, Broker())
        cls.clients = [enter(cls, ClientProgram(name, cls.broker.port)) for name in NAMES]
        cls.written = {client.name: odd(client.cannot) for client in cls.clients}

    def test_every_client_reads_what_every_client_writes(self):
        for writer in self.clients:
            for codec in CODECS:
                raw.create_topic(self.broker.port, topic_of(writer.name, codec), 1)
                writer.produce(topic_of(writer.name, codec), self.written[writer.name], codec=codec)
        compared = sum(self.compare(writer, codec) for writer in self.clients for codec in CODECS)
        self.assertEqual(compared, sum(map(len, self.written.values())) * len(self.clients) * len(CODECS))

    def compare(self, writer, codec):
        """How many records were read, by all clients together."""
        written, compared = self.written[writer.name], 0
        times = [set() for _ in written]
        for reader in self.clients:
            with self.subTest(writer=writer.name, reader=reader.name, codec=codec):
                read = reader.read(topic_of(writer.name, codec), len(written))
                self.assertEqual([record.content() for record in read], [record.content() for record in written])
                for seen, record in zip(times, read, strict=True):
                    seen.add(record.timestamp)
                compared += len(read)
        if writer.can("timestamps"):
            self.assertEqual(times, [{record.timestamp} for record in written], f"{writer.name}, {codec}")
        else:
            self.assertEqual([len(seen) for seen in times], [1] * len(times), "all read the same times")
        return compared


if __name__ == "__main__":
    unittest.main()
