"""One real client against a broker, feature by feature; what it writes and reads is compared exactly."""

import itertools
import unittest

import features
import raw
from braid_process import Broker
from client_program import ClientProgram, chosen, enter
from records import numbered, odd

NAME = chosen()
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
ACKS = ("0", "1", "all")


class WithClient(unittest.TestCase):
    """One broker and one client for all tests of a class; each test has a topic of its own."""

    numbers = itertools.count()

    @classmethod
    def setUpClass(cls):
        cls.broker = enter(cls, Broker())
        cls.client = enter(cls, ClientProgram(NAME, cls.broker.port))

    def setUp(self):
        self.topic = f"topic-{next(self.numbers)}"

    def need(self, feature):
        if not self.client.can(feature):
            self.skipTest(f"{NAME} can't: {feature}")

    def need_served(self, *keys):
        missing = set(keys) - set(raw.served_apis(self.broker.port))
        if missing:
            self.skipTest(f"the broker doesn't serve {missing}")

    def made(self, partitions=1):
        raw.create_topic(self.broker.port, self.topic, partitions)
        return self.topic

    def expect(self, read, written, first=0):
        """The same records in the same order at the offsets from `first` on."""
        self.assertEqual([record.content() for record in read], [record.content() for record in written])
        self.assertEqual([record.offset for record in read], list(range(first, first + len(written))))
        if self.client.can("timestamps"):
            self.assertEqual([record.timestamp for record in read], [record.timestamp for record in written])

    def expect_offsets(self, told, first, count):
        if told is not None:
            self.assertEqual(told, list(range(first, first + count)))


class Page(WithClient):
    def test_the_page_of_clients_says_what_this_one_can(self):
        """Its version and what it can't are the driver's words; all else is tested here."""
        self.assertIn(features.row(NAME, self.client.version, self.client.cannot), features.PAGE.read_text().splitlines())


class Topics(WithClient):
    def test_a_topic_is_made_deleted_and_made_again_empty(self):
        self.need("topics")
        self.client.create(self.topic, 3)
        old, new = numbered(5, "old"), numbered(3, "new")
        self.expect_offsets(self.client.produce(self.topic, old, 2), 0, 5)
        self.expect(self.client.read(self.topic, 5, 2), old)
        self.client.delete(self.topic)
        self.client.create(self.topic, 3)
        self.expect_offsets(self.client.produce(self.topic, new, 2), 0, 3)
        self.expect(self.client.read(self.topic, 3, 2), new)

    def test_writing_to_a_missing_topic_makes_it(self):
        written = numbered(4, "auto")
        self.expect_offsets(self.client.produce(self.topic, written), 0, 4)
        self.expect(self.client.read(self.topic, 4), written)


class Administration(WithClient):
    def test_a_topic_is_described_with_all_its_partitions(self):
        self.need("description")
        self.made(5)
        self.assertEqual(self.client.partitions_of(self.topic), [0, 1, 2, 3, 4])

    def test_configs_are_set_shown_and_back_at_their_defaults(self):
        self.need("configs")
        self.need_served(raw.DESCRIBE_CONFIGS, raw.INCREMENTAL_ALTER_CONFIGS)
        before = self.client.configs(self.made())
        self.client.alter_configs(self.topic, {"retention.ms": "123456", "max.message.bytes": "54321"})
        self.assertEqual(self.client.configs(self.topic), {**before, "retention.ms": "123456", "max.message.bytes": "54321"})
        self.client.alter_configs(self.topic, {"retention.ms": None, "max.message.bytes": None})
        self.assertEqual(self.client.configs(self.topic), before)

    def test_deleted_records_are_gone_and_all_others_stay(self):
        self.need("deletion of records")
        self.need_served(raw.DELETE_RECORDS)
        written = numbered(20, "deleted")
        self.client.produce(self.made(), written)
        self.assertEqual(self.client.delete_records(self.topic, 7), 7)
        self.expect(self.client.read(self.topic, 13), written[7:], 7)


class Contents(WithClient):
    def test_null_empty_and_binary_keys_values_and_headers_come_back_as_they_were(self):
        written = odd(self.client.cannot)
        self.client.produce(self.made(), written)
        self.expect(self.client.read(self.topic, len(written)), written)

    def test_every_codec_is_stored_as_it_was_written(self):
        for codec in CODECS:
            with self.subTest(codec=codec):
                self.topic = f"codec-{codec}"
                written = numbered(50, codec, 200)
                self.client.produce(self.made(), written, codec=codec)
                self.expect(self.client.read(self.topic, 50), written)
                self.assertEqual({batch.codec for batch in raw.batches(self.broker.port, self.topic, 0)}, {codec})

    def test_records_of_all_sizes_up_to_near_the_limit_come_back(self):
        sizes = (0, 1, 127, 128, 16_383, 16_384, 900_000)
        written = [record for size in sizes for record in numbered(1, f"size-{size}", size)]
        self.client.produce(self.made(), written)
        self.expect(self.client.read(self.topic, len(written)), written)


class Acknowledgements(WithClient):
    def test_every_kind_of_acknowledgement_stores_all_records_in_order(self):
        for acks in ACKS:
            with self.subTest(acks=acks):
                self.topic = f"acks-{acks}"
                written = numbered(30, acks)
                self.expect_offsets(self.client.produce(self.made(2), written, 1, acks=acks), 0, 30)
                self.expect(self.client.read(self.topic, 30, 1), written)
                self.assertFalse(any(batch.idempotent for batch in raw.batches(self.broker.port, self.topic, 1)))

    def test_an_idempotent_producer_writes_batches_that_say_so(self):
        self.need("idempotence")
        written = numbered(30, "idempotent")
        first, second = written[:20], written[20:]
        self.expect_offsets(self.client.produce(self.made(), first, idempotent=True), 0, 20)
        self.expect_offsets(self.client.produce(self.topic, second, idempotent=True), 20, 10)
        self.expect(self.client.read(self.topic, 30), written)
        self.assertTrue(all(batch.idempotent for batch in raw.batches(self.broker.port, self.topic, 0)))


class Reading(WithClient):
    def write_twice(self):
        """Two batches at least, of which one has a middle."""
        written = numbered(40, "reading")
        self.client.produce(self.made(), written[:20], codec="gzip")
        self.client.produce(self.topic, written[20:], codec="gzip")
        self.assertTrue(any(batch.records > 2 for batch in raw.batches(self.broker.port, self.topic, 0)))
        return written

    def test_reading_starts_in_the_middle_of_a_batch(self):
        written = self.write_twice()
        batch = max(raw.batches(self.broker.port, self.topic, 0), key=lambda batch: batch.records)
        middle = batch.base_offset + batch.records // 2
        self.expect(self.client.read(self.topic, 40 - middle, offset=middle), written[middle:], middle)

    def test_reading_starts_before_the_end(self):
        written = self.write_twice()
        self.expect(self.client.read(self.topic, 3, tail=3), written[37:], 37)

    def test_reading_starts_at_a_time(self):
        written = self.write_twice()
        whole = self.client.read(self.topic, 40)
        for wanted in (0, whole[20].timestamp, whole[20].timestamp - 1, whole[39].timestamp):
            with self.subTest(wanted=wanted):
                first = next(record.offset for record in whole if record.timestamp >= wanted)
                self.expect(self.client.read(self.topic, 40 - first, timestamp=wanted), written[first:], first)


if __name__ == "__main__":
    unittest.main()
