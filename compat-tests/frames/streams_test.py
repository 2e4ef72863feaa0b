"""The program's standard streams: readers that leave or get stuck, streams that are closed or take nothing."""

import fcntl
import os
import pty
import re
import signal
import subprocess
import tempfile
import unittest

from braid_process import LOOPS, PROGRAM, PATIENCE_SECONDS, clean_environment, eventually
from wire import Client, api_versions

PIPE_BYTES = 4096  # the smallest that the kernel makes
CLOSED, FULL = "closed", "/dev/full"


def command(*arguments, stdout=subprocess.PIPE):
    """A call that ends by itself, with a standard output that takes nothing."""
    closing = [1] if stdout == CLOSED else []
    sink = open(FULL, "wb") if stdout == FULL else subprocess.PIPE
    try:
        return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.PIPE, text=True,
                              timeout=PATIENCE_SECONDS, check=False, env=clean_environment(),
                              preexec_fn=lambda: [os.close(number) for number in closing])
    finally:
        if stdout == FULL:
            sink.close()


class Serving:
    """A broker whose standard error is read up to the line that says that it serves, and then only when a test reads on."""

    def __init__(self, *arguments, closed=()):
        self.directory = tempfile.TemporaryDirectory(prefix="braid-")  # its own: tests run side by side
        settings = ("--override", "listeners=PLAINTEXT://127.0.0.1:0", "--override", f"loop.threads={LOOPS}",
                    "--override", f"log.dirs={self.directory.name}")
        self.process = subprocess.Popen([PROGRAM, "serve", *settings, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=clean_environment(),
                                        preexec_fn=lambda: [os.close(number) for number in closed])
        self.port = None
        if 2 in closed:
            return
        fcntl.fcntl(self.process.stderr.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        for line in self.process.stderr:
            found = re.search(rb"clients connect to \S+?:(\d+)\b", line)
            self.port = int(found.group(1)) if found else self.port
            if b"to RUNNING" in line:
                return
        raise AssertionError("it did not start")

    def leads_to(self, number):
        """What a descriptor is open for; nothing when it is not open."""
        try:
            return os.readlink(f"/proc/{self.process.pid}/fd/{number}")
        except FileNotFoundError:
            return ""

    def listens(self):
        return any(self.leads_to(number).startswith("socket:") for number in os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE_SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        self.directory.cleanup()


class StandardError(unittest.TestCase):
    def serve_many(self, broker):
        """Each connection is a line at level debug, so that all together are more than the pipe holds."""
        for _ in range(100):
            with Client(broker.port) as client:
                self.assertEqual(client.exchange(api_versions(0))[:2], (7, 0))

    def test_a_reader_that_has_gone_ends_nothing(self):
        with Serving("--log-level", "debug") as broker:
            broker.process.stderr.close()
            self.serve_many(broker)
            self.assertEqual(broker.stop(), 0)

    def test_a_reader_that_is_stuck_holds_up_neither_clients_nor_the_stop(self):
        with Serving("--log-level", "debug") as broker:
            self.serve_many(broker)
            self.assertEqual(broker.stop(), 0)

    def test_a_reader_that_reads_on_gets_every_line(self):
        with Serving("--log-level", "debug") as broker:
            self.serve_many(broker)
            broker.process.send_signal(signal.SIGTERM)
            log = broker.process.stderr.read()
            self.assertEqual(broker.process.wait(timeout=PATIENCE_SECONDS), 0)
            self.assertEqual(log.count(b"closed a connection"), 100)
            self.assertTrue(log.rstrip().endswith(b"exit_code=0"), log[-200:])


class Colours(unittest.TestCase):
    def colours(self, environment):
        """Whether a log line on a terminal has any."""
        unset = {name: value for name, value in clean_environment().items() if name not in ("NO_COLOR", "COLORTERM")}
        terminal, stderr = pty.openpty()
        self.addCleanup(os.close, terminal)
        done = subprocess.run([PROGRAM, "serve", "--check-config", "--override", "num.partitions=0"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=stderr, timeout=PATIENCE_SECONDS, check=False,
                              env={**unset, "TERM": "xterm", **environment})
        os.close(stderr)
        self.assertEqual(done.returncode, 2)
        line = os.read(terminal, 4096)
        self.assertIn(b"num.partitions=0", line)
        return b"\x1b[31m\x1b[1merror  \x1b[m config: " in line

    def test_a_terminal_gets_them_unless_no_color_is_set_to_something(self):
        self.assertTrue(self.colours({}))
        self.assertTrue(self.colours({"NO_COLOR": ""}))
        self.assertFalse(self.colours({"NO_COLOR": "1"}))
        self.assertFalse(self.colours({"TERM": "dumb"}))


class ClosedStreams(unittest.TestCase):
    def test_no_socket_gets_the_number_of_a_closed_stream(self):
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            with self.subTest(closed=closed), Serving(closed=closed) as broker:
                eventually(broker.listens, "it to listen")
                for number in closed:
                    self.assertEqual(broker.leads_to(number), "/dev/null")
                self.assertEqual(broker.stop(), 0)

    def test_a_result_that_can_not_be_printed_is_a_failure_and_said(self):
        for arguments in (("--version",), ("version",), ("--help",), ("serve", "--help"), ("serve", "--print-config"),
                          ("serve", "--print-config", "--format", "json")):
            for stdout in (FULL, CLOSED):
                with self.subTest(arguments=arguments, stdout=stdout):
                    done = command(*arguments, stdout=stdout)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("can't write to standard output: ", done.stderr)


if __name__ == "__main__":
    print("testing", os.path.abspath(PROGRAM))
    unittest.main()
