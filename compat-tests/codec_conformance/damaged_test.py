"""Damage is reproducible and real, and each outcome gets its verdict."""

import random
import unittest

import damaged
import messages
import mutate


class Damage(unittest.TestCase):
    def test_the_same_seed_gives_the_same_damage(self):
        sources = [messages.Instance("18 3 request", "0263023100", "0263023100", "{}")]
        self.assertEqual(list(damaged.make(sources, 1)), list(damaged.make(sources, 1)))
        self.assertNotEqual(list(damaged.make(sources, 1)), list(damaged.make(sources, 2)))

    def test_each_kind_of_damage_changes_most_messages(self):
        message = bytes(range(64))
        for kind in mutate.KINDS:
            changed = 0
            for seed in range(50):
                data = bytearray(message)
                kind(data, random.Random(seed))
                changed += bytes(data) != message
            self.assertGreater(changed, 40, kind.__name__)

    def test_messages_of_one_byte_and_of_none_are_damaged_without_an_error(self):
        for seed in range(300):
            for message in (b"", b"\0"):
                self.assertIsInstance(mutate.mutant(message, random.Random(seed)), bytes)

    def test_the_longest_text_is_made_one_byte_longer(self):
        message = b"\x05" + mutate.varint(32768) + b"a" * 32767 + b"\x00"
        self.assertEqual(mutate.too_long_text(message), b"\x05" + mutate.varint(32769) + b"a" * 32768 + b"\x00")
        self.assertIsNone(mutate.too_long_text(b"\x05" + mutate.varint(32767) + b"a" * 32766))


class Verdicts(unittest.TestCase):
    CASES = (
        ("00ff\t", "00ff", True),
        ("00ff\t", "00fe", False),
        ("00ff\tsurplus", "00ff", True),
        ("00ff\tnull_length", "00fe", False),
        ("00ff\t", "error malformed", False),
        ("00ff\tsurplus", "error malformed", False),
        ("00ff\tsurplus,null_length", "error malformed", True),
        ("error RuntimeException too long", "error truncated", True),
        ("error RuntimeException too long", "00ff", False),
        ("-\t", "00ff", True),
        ("-\t", "error malformed", False),
        ("error RuntimeException Tag 0 is not valid for version 9", "00ff", False),
    )

    def test_only_listed_differences_are_explained(self):
        for theirs, ours, explained in self.CASES:
            self.assertEqual(damaged.verdict(theirs, ours)[1], explained, (theirs, ours))

    def test_unexplained_outcomes_are_kept_with_their_input(self):
        verdicts = damaged.Verdicts()
        verdicts.judge("18 3 request", "00", "00ff\t", "00fe")
        verdicts.judge("18 3 request", "00", "00ff\t", "00ff")
        self.assertEqual(len(verdicts.unexplained), 1)
        self.assertEqual(sum(verdicts.counts.values()), 2)


if __name__ == "__main__":
    unittest.main()
