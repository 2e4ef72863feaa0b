"""The views of batches are put together from lines, and damage hits what the checksum covers."""

import json
import random
import unittest

import batches
import messages


class Views(unittest.TestCase):
    BATCH = '{"base_offset":0,"codec":"none"}'
    RECORD = '{"offset":0,"key":null}'

    def test_records_belong_to_the_batch_before_them(self):
        seen = batches.view([self.BATCH, self.RECORD, self.RECORD, self.BATCH])
        self.assertEqual([len(batch["records"]) for batch in seen], [2, 0])

    def test_an_error_of_braid_is_a_difference(self):
        report = messages.Report()
        theirs = json.dumps(batches.view([self.BATCH, self.RECORD]))
        batches.compare_views(["00"] * 2, [theirs] * 2, [batches.view([self.BATCH, self.RECORD]), batches.view([self.BATCH, "error truncated"])], "x", report)
        self.assertEqual(report.total(), (2, 1))

    def test_an_error_of_kafka_is_a_difference(self):
        report = messages.Report()
        batches.compare_views(["00"], ["error CorruptRecordException"], [batches.view([self.BATCH])], "x", report)
        self.assertEqual(report.total(), (1, 1))

    def test_a_missing_record_is_a_difference(self):
        report = messages.Report()
        theirs = json.dumps(batches.view([self.BATCH, self.RECORD]))
        batches.compare_views(["00"], [theirs], [batches.view([self.BATCH])], "x", report)
        self.assertEqual(report.total(), (1, 1))


class Flips(unittest.TestCase):
    def test_one_bit_behind_the_checksum_of_the_first_batch_changes(self):
        first = bytes(8) + (60).to_bytes(4, "big") + bytes(60)
        both = first + first
        for seed in range(200):
            flipped = bytes.fromhex(batches.flip(both.hex(), random.Random(seed)))
            changed = [at for at, pair in enumerate(zip(both, flipped)) if pair[0] != pair[1]]
            self.assertEqual(len(changed), 1)
            self.assertTrue(21 <= changed[0] < len(first), changed)


if __name__ == "__main__":
    unittest.main()
