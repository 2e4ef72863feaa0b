"""A disk that is full and then is not, and one that breaks: what clients are told, and what is left.

The full disk is a small tmpfs; the broken one a library that makes syncs fail. What a machine can't do is skipped.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from braid_process import SANITIZED, Broker, eventually
from records_on_the_wire import create_topic, fetch, produce, record_batch
from wire import Client

STORAGE_ERROR = 56
MIB = 1 << 20
BATCH = record_batch(value=b"x" * (256 << 10))


@contextlib.contextmanager
def small_disk(size_mib):
    """A directory with so much space, or a skip."""
    with tempfile.TemporaryDirectory() as place:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size_mib}m", "tmpfs", place]
        if os.geteuid() != 0 or not shutil.which("mount") or subprocess.run(command, capture_output=True, check=False).returncode != 0:
            raise unittest.SkipTest("file systems can't be mounted here")
        try:
            yield pathlib.Path(place)
        finally:
            subprocess.run(["umount", place], check=True)


def fill(path):
    """Takes all that is left."""
    with open(path, "wb", buffering=0) as ballast:
        with contextlib.suppress(OSError):
            while True:
                ballast.write(b"\0" * MIB)
        with contextlib.suppress(OSError):
            while True:
                ballast.write(b"\0" * 4096)


class FullDisk(unittest.TestCase):
    def test_produce_is_refused_while_it_is_full_and_goes_on_when_somebody_frees_space(self):
        with small_disk(128) as disk:
            overrides = {"log.dirs": str(disk / "data"), "commitlog.file.bytes": str(16 * MIB), "http.listener": "127.0.0.1:0"}
            with Broker(overrides) as broker, Client(broker.port) as client:
                create_topic(broker.port, "t", partitions=1)
                stored = [produce(client, "t", 0, batch=BATCH).offset]
                fill(disk / "ballast")
                refused = None
                for _ in range(64 * MIB // len(BATCH)):  # what was prepared ahead is used up first
                    answer = produce(client, "t", 0, batch=BATCH)
                    if answer.error:
                        refused = answer
                        break
                    stored.append(answer.offset)
                self.assertIsNotNone(refused, "the disk is full, and nothing was refused")
                self.assertEqual((refused.error, refused.offset), (STORAGE_ERROR, -1))
                self.assertEqual(fetch(client, "t", 0)[0], len(stored), "it is read all the same")

                os.unlink(disk / "ballast")
                again = eventually(lambda: (answer := produce(client, "t", 0, batch=BATCH)).error == 0 and answer, "the disk has space")
                self.assertEqual(again.offset, len(stored))
                self.assertEqual(stored, list(range(len(stored))))
                self.assertIsNone(broker.process.poll(), "it resumes by itself")
                self.assertEqual(broker.stop(), 0)
            with Broker({**overrides, "http.listener": ""}) as broker, Client(broker.port) as client:
                self.assertEqual(fetch(client, "t", 0)[0], len(stored) + 1, "nothing of a refused batch is there")


class BrokenDisk(unittest.TestCase):
    def test_a_sync_that_fails_ends_the_process_and_acknowledges_nothing(self):
        library = os.environ.get("BRAID_FAILING_DISK")
        if SANITIZED or not library:
            self.skipTest("nothing can be preloaded into a program with a sanitizer")
        with tempfile.TemporaryDirectory() as place:
            mark = pathlib.Path(place) / "broken"
            environment = {"LD_PRELOAD": library, "BRAID_TEST_FAIL_SYNC": str(mark)}
            with Broker({"log.dirs": place + "/data"}, environment=environment) as broker, Client(broker.port) as client, \
                    Client(broker.port) as idle:
                create_topic(broker.port, "t", partitions=1)
                self.assertEqual(produce(client, "t", 0).error, 0)
                mark.touch()
                try:
                    self.assertEqual(produce(client, "t", 0).error, STORAGE_ERROR)
                except AssertionError as closed:
                    self.assertIn("closed after", str(closed))
                idle.until_closed()
                self.assertEqual(broker.wait(), 1)
                broker.logged("nothing more is acknowledged")
            mark.unlink()
            with Broker({"log.dirs": place + "/data"}) as broker, Client(broker.port) as client:
                watermark, _ = fetch(client, "t", 0)
                self.assertGreaterEqual(watermark, 1, "what was acknowledged is there")
                self.assertEqual(produce(client, "t", 0).offset, watermark)


if __name__ == "__main__":
    unittest.main()
