"""What every suite of a client's own tests has to say of itself, and what one of its tests came to."""

import dataclasses
import os
import pathlib
import signal
import subprocess
import time

PASS, FAIL, SKIP = "pass", "fail", "skip"
END_SECONDS = 10  # for what a test left running, after it was told to end


@dataclasses.dataclass
class Result:
    suite: str
    test: str
    outcome: str
    seconds: float
    detail: str = ""  # why it failed or was skipped, one line


class Suite:
    """One suite at one pinned version. A subclass fetches and builds it in prepare(), names its tests, and runs one of them by one
    process, so that a test that hangs or crashes takes no other with it."""

    name = ""
    version = ""
    streams = 1  # tests that may run side by side against one broker
    seconds_max = 120  # for one test, unless limit() knows better
    port = 0  # that its broker must have; 0: any
    settings = {}  # of the broker, beside those of all suites

    def prepare(self):
        """Fetches and builds. Raises fetched.NotRun."""
        raise NotImplementedError

    def tests(self):
        """The names of all its tests."""
        raise NotImplementedError

    def broker_settings(self, port):
        """Of a broker that listens on `port`."""
        return self.settings

    def profile(self, test):
        """What the broker of this test needs beside those: brokers are shared by tests that need the same."""
        return {}

    def limit(self, test):
        return self.seconds_max

    def run(self, test, broker, log):
        """Runs it against `broker` (host:port), writes what it says into `log` (a path), and returns (outcome, detail)."""
        raise NotImplementedError

    def result(self, test, broker, log):
        begin = time.monotonic()
        outcome, detail = self.run(test, broker, log)
        return Result(self.name, test, outcome, round(time.monotonic() - begin, 1), detail)


def call(command, log, seconds, environment=None, folder=None, stdin=""):
    """Runs a command in a process group of its own with its output in `log`; ends the whole group when the time is over, or when the
    command has ended and left others. Returns the exit code, or None when the time was over."""
    with open(log, "ab") as sink:
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=sink, stderr=sink, cwd=folder, text=True,
                                   env={**os.environ, **(environment or {})}, start_new_session=True)
        try:
            process.communicate(stdin, timeout=seconds)
            return process.returncode
        except subprocess.TimeoutExpired:
            return None
        finally:
            end_group(process)


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait(timeout=END_SECONDS)


def last_line(log, *words):
    """The last line of a log that has one of the words: what a reader should see first."""
    lines = pathlib.Path(log).read_text(errors="replace").splitlines()
    for line in reversed(lines):
        if not words or any(word in line for word in words):
            return line.strip()[:300]
    return lines[-1].strip()[:300] if lines else "it said nothing"
