#!/usr/bin/env python3
"""protocol_recode where its input can't be read or its output takes nothing: it says so, and its exit status is 1.

usage: recode_streams.py PROTOCOL_RECODE
"""

import os
import subprocess
import sys
import unittest

SECONDS_MAX = 60
LINE = b"18 3 request 0263023100\n"


class Streams(unittest.TestCase):
    program = None

    def ended(self, *arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, closed=None, given=None):
        return subprocess.run([self.program, *arguments], stdin=None if given is not None else stdin, input=given, stdout=stdout,
                              stderr=subprocess.PIPE, timeout=SECONDS_MAX, check=False,
                              preexec_fn=None if closed is None else lambda: os.close(closed))

    def assert_failed(self, done, says):
        self.assertEqual((done.returncode, done.stderr.decode().split(": ")[:2]), (1, ["protocol_recode", says]), done.stderr)

    def test_input_that_ends_is_no_failure(self):
        self.assertEqual(self.ended().returncode, 0)
        done = self.ended(given=LINE + LINE[:-1])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"0263023100\n" * 2, b""))

    def test_input_that_can_not_be_read(self):
        self.assert_failed(self.ended(closed=0), "can't read standard input")
        folder = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, folder)
        self.assert_failed(self.ended(stdin=folder), "can't read standard input")

    def test_output_that_is_lost(self):
        many = LINE * 10_000  # more than the output buffer holds
        with open("/dev/full", "wb") as full:
            for given in (LINE, many):
                self.assert_failed(self.ended(stdout=full, given=given), "can't write standard output")
                self.assert_failed(self.ended(closed=1, given=given), "can't write standard output")
            for option in ("--list", "--help"):
                self.assert_failed(self.ended(option, stdout=full), "can't write standard output")
                self.assert_failed(self.ended(option, closed=1), "can't write standard output")


if __name__ == "__main__":
    Streams.program = sys.argv.pop(1)
    unittest.main()
