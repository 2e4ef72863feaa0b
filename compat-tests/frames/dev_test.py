"""A broker for development: what it leaves behind, and what it says."""

import pathlib
import tempfile
import unittest

from braid_process import Broker, run
from records_on_the_wire import create_topic, fetch, produce
from wire import Client

DEV = {"log.dirs": None}


class Development(unittest.TestCase):
    def test_it_serves_warns_and_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as among:
            with Broker(DEV, arguments=("--dev",), environment={"TMPDIR": among}) as broker, Client(broker.port) as client:
                self.assertEqual(broker.log().count("DEVELOPMENT MODE"), 2)
                self.assertIn("flush.mode=async", broker.log())
                directory, = pathlib.Path(among).iterdir()
                self.assertIn(str(directory), broker.log())
                self.assertEqual(directory.stat().st_mode & 0o777, 0o700)
                create_topic(broker.port, "t", partitions=1)
                self.assertEqual(produce(client, "t", 0, records=2).error, 0)
                self.assertEqual(fetch(client, "t", 0)[0], 2)
                self.assertEqual(broker.stop(), 0)
                self.assertEqual(list(pathlib.Path(among).iterdir()), [])

    def test_an_override_wins_but_for_the_directory(self):
        with Broker({**DEV, "flush.mode": "sync"}, arguments=("--dev",)) as broker:
            self.assertIn("flush.mode=sync", broker.log())
            self.assertEqual(broker.log().count("DEVELOPMENT MODE"), 1)
        refused = run("serve", "--dev", "--check-config", "--override", "log.dirs=elsewhere")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("leave out --override log.dirs", refused.stderr)

    def test_only_this_machine_is_served_where_nothing_else_is_said(self):
        printed = run("serve", "--dev", "--print-config").stdout
        self.assertRegex(printed, r"(?m)^listeners\tPLAINTEXT://127\.0\.0\.1:9092\t")


if __name__ == "__main__":
    unittest.main()
