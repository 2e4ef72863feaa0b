"""A broker of our own, started on a free port, and everything a test wants to know about it."""

import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time

PROGRAM = os.environ.get("BRAID_PROGRAM", "build/release/braid")
LOOPS = os.environ.get("BRAID_LOOPS", "1")
# Sanitizers multiply memory and time: figures are then not compared.
SANITIZED = bool(os.environ.get("BRAID_SANITIZED"))
PATIENCE_SECONDS = 60  # for what must happen; never waited out when it does


def clean_environment(extra=None):
    """Our own, without variables that would configure the broker."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KAFKA_", "BRAID_", "CLUSTER_ID"))}
    return {**kept, **(extra or {})}


def run(*arguments, environment=None):
    """A call that ends by itself."""
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False,
                          stdin=subprocess.DEVNULL, env=clean_environment(environment))


def start_in_vain(*arguments):
    """A start that gets as far as its data directory, which is its own, and then fails."""
    with tempfile.TemporaryDirectory(prefix="braid-") as directory:
        return run("serve", "--override", "http.listener=", *arguments, "--override", f"log.dirs={directory}")


def eventually(condition, what):
    """Polls until `condition` gives something true, which is returned."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE_SECONDS} s: {what}")
        threading.Event().wait(0.005)  # leaves the processor to the broker


class Broker:
    """`with Broker({"key": "value"}) as broker:`; killed at the end if it still runs."""

    def __init__(self, overrides=None, arguments=(), descriptors_max=None, environment=None):
        self.directory = tempfile.TemporaryDirectory(prefix="braid-")
        settings = {"listeners": "PLAINTEXT://127.0.0.1:0", "loop.threads": LOOPS, "log.dirs": self.directory.name,
                    "http.listener": "", **(overrides or {})}
        command = [PROGRAM, "serve", *arguments]
        for key, value in settings.items():
            if value is None:
                continue  # the default of the broker's own
            command += ["--override", f"{key}={value}"]
        limit = None
        if descriptors_max:
            def limit():
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors_max, descriptors_max))
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit,
                                        stdin=subprocess.DEVNULL, env=clean_environment(environment))
        self.log_lines = []
        self.ready_after_seconds = None
        self.reader = threading.Thread(target=self._read_log, daemon=True)
        self.reader.start()
        try:
            eventually(lambda: self.ready_after_seconds or self.process.poll() is not None, "the broker to be ready")
            if self.ready_after_seconds is None:
                raise AssertionError("the broker did not start: " + self.log())
            match = re.search(r"clients connect to \S+?:(\d+)\b", self.log())
            self.port = int(match.group(1))
        except BaseException:
            self.kill()
            raise

    def _read_log(self):
        for line in self.process.stderr:
            self.log_lines.append(line.rstrip("\n"))
            if "Transitioning from RECOVERY to RUNNING" in line:
                self.ready_after_seconds = time.monotonic() - self.started_at

    def log(self):
        return "\n".join(self.log_lines)

    def logged(self, text):
        return eventually(lambda: [line for line in list(self.log_lines) if text in line], f"a log line with {text!r} in\n" + self.log())

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def wait(self):
        """The exit code."""
        code = self.process.wait(timeout=PATIENCE_SECONDS)
        self.reader.join(timeout=PATIENCE_SECONDS)
        return code

    def stop(self):
        self.signal()
        return self.wait()

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join(timeout=PATIENCE_SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()
        self.directory.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def config_file(text):
    """A file that lives as long as what is returned; its path is `.name`."""
    file = tempfile.NamedTemporaryFile("w", suffix=".properties", encoding="utf-8")
    file.write(text)
    file.flush()
    return file
