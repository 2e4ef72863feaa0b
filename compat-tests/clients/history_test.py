"""Idempotent producers write numbered values while the broker is killed and started again: what they were told must be what is there.

BRAID_FULL makes it many cycles. BRAID_SEED repeats the moments of the kills.
"""

import os
import queue
import random
import subprocess
import sys
import tempfile
import threading
import unittest

import raw
from braid_process import PATIENCE_SECONDS, Broker
from client_program import DRIVERS, SYSTEM_PYTHON, CLIENTS, ClientProgram, NotRun
from history import History, value

CYCLES = 200 if os.environ.get("BRAID_FULL") else 5
SEED = int(os.environ.get("BRAID_SEED") or random.SystemRandom().randrange(1 << 32))
CLIENT = "confluent_debian"
TOPIC, PARTITIONS, PRODUCERS = "history", 2, 4
ACKS_MIN, ACKS_MAX = 50, 600  # between two kills

try:
    CLIENTS[CLIENT]()
except NotRun as missing:
    print(f"not run: {missing}")
    sys.exit(77)


class Writers:
    """The producers, and the history of what they were told."""

    def __init__(self, port):
        self.history = History(PARTITIONS)
        command = [SYSTEM_PYTHON, "-B", str(DRIVERS / "writers.py"), f"127.0.0.1:{port}", TOPIC, str(PARTITIONS), str(PRODUCERS)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _next(self, what):
        try:
            line = self.lines.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            raise AssertionError(f"nothing came in {PATIENCE_SECONDS} s: {what}") from None
        if line is not None:
            self.history.take(line)
        return line

    def until_acknowledged(self, count):
        """So many more."""
        wanted = len(self.history.acknowledged) + count
        while len(self.history.acknowledged) < wanted:
            assert self._next(f"{count} acknowledgements") is not None, "the writers ended"

    def catch_up(self):
        """Until all is taken that was said up to now."""
        self._say("count")
        while not (line := self._next("the count")).startswith("written"):
            pass

    def stop(self):
        self._say("stop")
        while self._next("the end") is not None:
            pass
        self.process.wait(timeout=PATIENCE_SECONDS)

    def _say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join(timeout=PATIENCE_SECONDS)
        self.process.stdin.close()
        self.process.stdout.close()


def values_of(broker, partition):
    watermark, _ = raw.fetch(broker.port, TOPIC, partition)
    with ClientProgram(CLIENT, broker.port) as client:
        return watermark, [record.value for record in client.read(TOPIC, watermark, partition)]


class Killed(unittest.TestCase):
    def start(self, port=0):
        return Broker({"log.dirs": self.directory, "listeners": f"PLAINTEXT://127.0.0.1:{port}", "flush.mode": self.mode})

    def loop(self, mode):
        """A history over some kills, and the faults that are in the partitions afterwards."""
        self.mode, chance = mode, random.Random(SEED)
        print(f"BRAID_SEED={SEED} flush.mode={mode} cycles={CYCLES}", flush=True)
        with tempfile.TemporaryDirectory(prefix="braid-history-") as self.directory:
            broker = self.start()
            raw.create_topic(broker.port, TOPIC, PARTITIONS)
            writers = Writers(broker.port)
            try:
                in_flight = 0
                for _ in range(CYCLES):
                    writers.until_acknowledged(chance.randrange(ACKS_MIN, ACKS_MAX))
                    broker.kill()
                    writers.catch_up()
                    in_flight += writers.history.outstanding() > 0
                    broker = self.start(broker.port)
                    self.expect_watermarks(broker, writers.history)
                writers.until_acknowledged(ACKS_MIN)
                writers.stop()
                self.assertGreater(in_flight, 0, "no kill met a request in flight")
                return writers.history, self.faults(broker, writers.history)
            finally:
                writers.close()
                broker.kill()

    def expect_watermarks(self, broker, history):
        for partition in range(PARTITIONS):
            self.assertGreaterEqual(raw.fetch(broker.port, TOPIC, partition)[0], history.first_offset_after(partition))

    def faults(self, broker, history):
        self.expect_watermarks(broker, history)
        faults = []
        for partition in range(PARTITIONS):
            watermark, values = values_of(broker, partition)
            self.assertEqual(len(values), watermark)
            faults += history.faults(partition, values)
        return faults

    def judge(self, mode):
        history, faults = self.loop(mode)
        self.assertEqual(history.lost, {}, "given up by the client")
        self.assertEqual(history.outstanding(), 0)
        self.assertEqual(faults[:20], [], f"{len(faults)} faults in {len(history.acknowledged)} values")
        self.assertGreater(len(history.acknowledged), CYCLES * ACKS_MIN)
        print(f"{len(history.acknowledged)} values acknowledged")

    def test_all_that_was_acknowledged_is_there_once_and_in_order_with_synchronous_flushes(self):
        self.judge("sync")

    def test_all_that_was_acknowledged_is_there_once_and_in_order_with_asynchronous_flushes(self):
        self.judge("async")


class TheJudge(unittest.TestCase):
    """Every kind of fault is found where it is planted."""

    def history(self):
        history = History(1, written=[3, 1])
        for line in ("ack 0 0 0", "ack 0 1 1", "ack 1 0 2"):
            history.take(line)
        return history, [value(0, 0), value(0, 1), value(1, 0), value(0, 2)]

    def test_a_true_history_has_no_faults(self):
        history, values = self.history()
        self.assertEqual(history.faults(0, values), [])
        self.assertEqual((history.outstanding(), history.first_offset_after(0)), (1, 3))

    def test_each_planted_fault_is_found(self):
        for name, change, words in (
            ("a lost value", lambda values: values[:2], "was acknowledged at 2"),
            ("a doubled value", lambda values: [*values, values[3]], "is there again at 4"),
            ("a foreign value", lambda values: [*values, b"else"], "nobody wrote"),
            ("a value not begun", lambda values: [*values, value(1, 1)], "nobody wrote"),
            ("another order", lambda values: [values[0], values[3], values[1], values[2]], "comes after 2"),
        ):
            with self.subTest(name):
                history, values = self.history()
                self.assertIn(words, "\n".join(history.faults(0, change(values))))


if __name__ == "__main__":
    unittest.main()
