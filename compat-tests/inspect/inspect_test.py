"""`braid inspect` as a person and as a program meet it: on whole, damaged and busy directories, and when its output is lost."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ.get("BRAID_PROGRAM", "build/release/braid"))
MAKE_STORE = os.path.abspath(os.environ.get("MAKE_STORE", "build/release/compat-tests/inspect/make_store"))
DOCS = pathlib.Path(os.environ.get("BRAID_DOCS", "docs")).resolve()
PATIENCE_SECONDS = 120
DAMAGED_BYTE = ("shard-0/commitlog/00000000000000000000", 11152 + 200)  # of the batch with offsets 6 and 7 of orders-1


def digest(directory):
    """Of all names and bytes below it."""
    found = hashlib.sha256()
    for path in sorted(pathlib.Path(directory).rglob("*")):
        found.update(str(path).encode())
        if path.is_file():
            found.update(path.read_bytes())
    return found.hexdigest()


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)


class Directory(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory(prefix="braid-inspect-")
        self.addCleanup(room.cleanup)
        self.room = pathlib.Path(room.name)
        self.data = self.room / "data"
        self.make()

    def make(self, *arguments):
        shutil.rmtree(self.data, ignore_errors=True)
        subprocess.run([MAKE_STORE, str(self.data), *arguments], check=True, timeout=PATIENCE_SECONDS)

    def inspect(self, *arguments, cwd=None):
        return subprocess.run([PROGRAM, "inspect", *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE_SECONDS,
                              check=False, stdin=subprocess.DEVNULL, cwd=cwd or self.room)

    def objects(self, *arguments, code=0):
        done = self.inspect(*arguments, "--format", "json")
        self.assertEqual(done.returncode, code, done.stdout[-2000:] + done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def findings(self, *arguments):
        return [one for one in self.objects(*arguments, code=1) if "finding" in one]

    def commands(self):
        return [("commitlog", self.data), ("commitlog", self.data / "shard-0/commitlog"),
                ("commitlog", self.data / "shard-0/commitlog/00000000000000000000"),
                ("consumequeue", self.data / "shard-0/consumequeue/orders/0"),
                ("consumequeue", self.data / "shard-0/consumequeue/orders/0/00000000000000000000"),
                ("checkpoint", self.data), ("where", self.data, "orders", 0, 7), ("verify", self.data),
                ("verify", self.data / "shard-0")]


class Whole(Directory):
    def test_every_command_finds_nothing_and_changes_nothing(self):
        before = digest(self.data)
        for command in self.commands():
            with self.subTest(command=command):
                done = self.inspect(*command)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertNotIn("! ", done.stdout)
        self.assertEqual(digest(self.data), before)

    def test_each_line_of_json_is_an_object(self):
        for command in self.commands():
            with self.subTest(command=command):
                rows = self.objects(*command)
                self.assertGreater(len(rows), 0)
                self.assertTrue(all(isinstance(row, dict) for row in rows))

    def test_units_lead_to_entries_that_say_the_same(self):
        entries = {entry["position"]: entry for entry in self.objects("commitlog", self.data)}
        for unit in self.objects("consumequeue", self.data / "shard-0/consumequeue/payments/0")[:190]:
            entry = entries[unit["position"]]
            self.assertEqual((entry["type"], entry["topic"], entry["partition"], entry["size"]), ("batch", "payments", 0, unit["size"]))
            self.assertIn(unit["index"] - entry["offset"], range(entry["count"]))

    def test_the_way_of_an_offset_ends_at_the_bytes_of_its_record(self):
        record = self.objects("where", self.data, "orders", 1, 6)[-1]
        self.assertEqual((record["step"], record["offset"], record["headers"]),
                         ("record", 6, [{"key": "source", "value": "make_store"}]))
        stored = (self.data / record["file"]).read_bytes()[record["at"]:record["at"] + record["size"]]
        self.assertIn(record["key"].encode(), stored)
        self.assertIn(record["value"].encode(), stored)

    def test_a_path_may_be_relative_end_in_a_slash_and_be_a_link(self):
        (self.room / "link").symlink_to(self.data)
        for path in ("data", "data/", "./data/shard-0/", "link", "data/shard-0/commitlog/", "data/../data"):
            with self.subTest(path=path):
                self.assertEqual(self.inspect("verify", path).returncode, 0)
        self.assertEqual(self.inspect("verify", ".", cwd=self.data).returncode, 0)

    def test_ranges_and_limits(self):
        rows = self.objects("commitlog", self.data, "--from", 4393, "--limit", 2)
        self.assertEqual([row["position"] for row in rows], [4496, 4600])
        self.assertEqual([row["position"] for row in self.objects("commitlog", self.data, "--to", 4185)], [4096, 4184])
        self.assertEqual([row["index"] for row in self.objects("consumequeue", self.data / "shard-0/consumequeue/orders/0",
                                                               "--from", 30, "--limit", 2)], [30, 31])


class Examples(Directory):
    def test_documented_examples_are_what_the_program_prints(self):
        shutil.copytree(self.data, self.room / "damaged")
        flip(self.room / "damaged" / DAMAGED_BYTE[0], DAMAGED_BYTE[1])
        blocks = re.findall(r"```console\n(.*?)```", (DOCS / "inspect.md").read_text(), re.S)
        self.assertGreater(len(blocks), 5)
        for block in blocks:
            command, _, printed = block.partition("\n")
            with self.subTest(command=command):
                words = command.split()
                self.assertEqual(words[:3], ["$", "braid", "inspect"])
                self.assertEqual(self.inspect(*words[3:]).stdout, printed)

    def test_help_names_every_option_and_has_an_example(self):
        for command in ("commitlog", "consumequeue", "checkpoint", "where", "verify", "rebuild"):
            text = self.inspect(command, "--help").stdout
            for word in ("--format", f"  braid inspect {command} ", "Exit codes"):
                self.assertIn(word, text, command)
            self.assertIn(command, self.inspect("--help").stdout)


class Damaged(Directory):
    def test_what_is_damaged_is_named_with_file_and_byte(self):
        flip(self.data / DAMAGED_BYTE[0], DAMAGED_BYTE[1])
        found = {"finding": "the batch's CRC does not match", "file": DAMAGED_BYTE[0], "at": 11152, "position": 11152, "bytes": 504}
        for command in (("verify", self.data), ("commitlog", self.data), ("where", self.data, "orders", 1, 7)):
            self.assertEqual(self.findings(*command), [found], command)
        damaged = [row for row in self.objects("commitlog", self.data, code=1) if row.get("crc_matches") is False]
        self.assertEqual([row["position"] for row in damaged], [11152])

    def test_every_file_may_be_missing_cut_or_rubbish(self):
        paths = [path.relative_to(self.data) for path in sorted(self.data.rglob("*")) if path.is_file()]
        spoilers = {"missing": lambda path: path.unlink(),
                    "cut": lambda path: path.write_bytes(path.read_bytes()[:len(path.read_bytes()) // 2]),
                    "rubbish": lambda path: path.write_bytes(os.urandom(5000))}
        for path in paths:
            for name, spoil in spoilers.items():
                with self.subTest(path=path, name=name):
                    self.make()
                    spoil(self.data / path)
                    for command in self.commands():
                        done = self.inspect(*command, "--format", "json")
                        self.assertIn(done.returncode, (0, 1), done.stderr)
                        for line in done.stdout.splitlines():
                            json.loads(line)

    def test_a_torn_end_is_no_damage(self):
        self.make("--kill")
        self.assertEqual(self.objects("verify", self.data)[-1]["findings"], 0)

    def test_what_is_no_store_is_a_failure(self):
        (self.room / "empty").mkdir()
        for path in ("nowhere", "empty", "/dev/null"):
            with self.subTest(path=path):
                done = self.inspect("commitlog", path)
                self.assertEqual(done.returncode, 1)
                self.assertTrue(done.stdout + done.stderr)


class Busy(Directory):
    def test_a_directory_in_use_is_read_and_not_rebuilt(self):
        shutil.rmtree(self.data)
        with subprocess.Popen([MAKE_STORE, str(self.data), "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as store:
            try:
                self.assertEqual(store.stdout.readline(), b"ready\n")
                for _ in range(5):
                    for command in self.commands():
                        done = self.inspect(*command)
                        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout[-500:]}{done.stderr}")
                done = self.inspect("rebuild", self.data)
                self.assertEqual((done.returncode, done.stdout), (1, "! in use: stop the broker first; nothing was changed\n"))
            finally:
                store.stdin.close()
        self.assertEqual(store.returncode, 0)
        self.assertEqual(self.inspect("verify", self.data).returncode, 0)


class Rebuilding(Directory):
    def test_what_is_derived_is_there_again(self):
        shard = self.data / "shard-0"
        units = self.objects("consumequeue", shard / "consumequeue/orders/0")
        shutil.rmtree(shard / "consumequeue/orders")
        (shard / "checkpoint/1").unlink()
        flip(shard / "checkpoint/0", 100)
        self.assertEqual(self.inspect("verify", self.data).returncode, 1)
        done = self.inspect("rebuild", self.data)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.objects("verify", self.data)[-1]["findings"], 0)
        self.assertEqual(self.objects("consumequeue", shard / "consumequeue/orders/0"), units[5:], "the log start is 5")

    def test_killed_at_any_time_the_next_one_does_the_rest(self):
        for milliseconds in range(0, 40, 2):
            with subprocess.Popen([PROGRAM, "inspect", "rebuild", str(self.data)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as rebuild:
                try:
                    rebuild.wait(milliseconds / 1000)
                except subprocess.TimeoutExpired:
                    rebuild.send_signal(signal.SIGKILL)
        self.assertEqual(self.inspect("rebuild", self.data).returncode, 0)
        self.assertEqual(self.objects("verify", self.data)[-1]["findings"], 0)

    def test_a_file_or_a_folder_is_refused(self):
        before = digest(self.data)
        for path in ("shard-0/commitlog", "shard-0/commitlog/00000000000000000000"):
            self.assertEqual(self.inspect("rebuild", self.data / path).returncode, 1)
        self.assertEqual(digest(self.data), before)


class Streams(Directory):
    def test_lost_output_is_a_failure(self):
        for command in self.commands():
            with self.subTest(command=command), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([PROGRAM, "inspect", *map(str, command)], stdout=full, stderr=subprocess.PIPE,
                                      timeout=PATIENCE_SECONDS, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"can't write", done.stderr)

    def test_a_reader_that_has_gone_ends_it(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([PROGRAM, "inspect", "commitlog", str(self.data)], stdout=writer, stderr=subprocess.PIPE,
                              timeout=PATIENCE_SECONDS, check=False)
        os.close(writer)
        self.assertEqual(done.returncode, 1)

    def test_bad_usage(self):
        for arguments in ([], ["nonsense"], ["commitlog"], ["where", self.data, "orders", "0"], ["where", self.data, "orders", "x", "0"],
                          ["commitlog", self.data, "--limit", "-1"], ["verify", self.data, "--format", "xml"],
                          ["verify", self.data, "more"]):
            with self.subTest(arguments=arguments):
                done = self.inspect(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr)


if __name__ == "__main__":
    unittest.main()
