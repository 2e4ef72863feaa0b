"""The comparison finds what differs, and nothing else."""

import unittest

import messages


def instance(words="18 3 request", hex="00", expected="00", json="{}"):
    return messages.Instance(words, hex, expected, json)


class Lines(unittest.TestCase):
    def test_a_line_survives_parsing_and_writing(self):
        for line in ("18 3 request\t00ff\t=\t{}", "data offset_commit_key 0\t00ff\t00\t{\"a\":1}"):
            self.assertEqual(messages.Instance.parse(line + "\n").line(), line)

    def test_versions_of_one_direction_are_counted_together(self):
        self.assertEqual(messages.group("18 3 request"), messages.group("18 4 request"))
        self.assertNotEqual(messages.group("18 3 request"), messages.group("18 3 response"))
        self.assertNotEqual(messages.group("data offset_commit_key 0"), messages.group("data offset_commit_value 0"))


class Bytes(unittest.TestCase):
    def test_bytes_are_compared_with_the_expected_ones_not_with_the_given(self):
        report = messages.Report()
        messages.compare_bytes([instance(hex="0001", expected="00")] * 2, ["00", "0001"], report)
        self.assertEqual(report.total(), (2, 1))

    def test_the_first_differing_byte_is_named(self):
        report = messages.Report()
        messages.compare_bytes([instance(expected="00112233")], ["00112033"], report)
        self.assertIn("at byte 2 of 4", report.details[0])

    def test_an_error_differs(self):
        report = messages.Report()
        messages.compare_bytes([instance()], ["error malformed"], report)
        self.assertEqual(report.total(), (1, 1))

    def test_a_missing_answer_is_noticed(self):
        with self.assertRaises(ValueError):
            messages.compare_bytes([instance()], [], messages.Report())


class Values(unittest.TestCase):
    def test_equal_values_in_other_spelling_are_equal(self):
        for expected, got in (('{"a":1,"b":[2]}', '{ "b":[2], "a":1 }'), ('"ä"', '"\\u00e4"'), ("1.0E10", "1e10"), ("0.5", "5e-1")):
            self.assertIsNone(messages.json_difference(expected, got))

    def test_different_values_are_found(self):
        for expected, got, path in (
            ('{"a":1}', '{"a":2}', "/a"),
            ('{"a":1}', '{"a":true}', "/a"),
            ('{"a":1}', '{"a":1.0}', "/a"),
            ('{"a":0.0}', '{"a":-0.0}', "/a"),
            ('{"a":0.0}', '{"a":-0}', "/a"),
            ('{"a":-0.0}', '{"a":0}', "/a"),
            ('{"a":4.0}', '{"a":4}', "/a"),
            ('{"a":1.0}', '{"a":true}', "/a"),
            ('{"a":null}', '{"a":""}', "/a"),
            ('{"a":null}', "{}", "/a"),
            ("{}", '{"a":0}', "/a"),
            ('{"a":[1,2]}', '{"a":[1]}', "/a"),
            ('{"a":[{"b":"x"}]}', '{"a":[{"b":"y"}]}', "/a/0/b"),
            ('{"a":9223372036854775807}', '{"a":9223372036854775806}', "/a"),
        ):
            self.assertIn(path, messages.json_difference(expected, got) or "", (expected, got))

    def test_what_is_not_json_differs(self):
        self.assertIn("not JSON", messages.json_difference("{}", "error malformed"))


if __name__ == "__main__":
    unittest.main()
