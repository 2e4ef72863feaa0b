"""Runs a store under load, notes what it acknowledges, and looks afterwards what is left of it."""

import os
import random
import signal
import subprocess
import threading
import time

PROGRAM = os.environ["BRAID_STORE_LOAD"]
FULL = "BRAID_FULL" in os.environ
START_SECONDS_MAX = 60


def new_random():
    """Seeded by BRAID_SEED, and printed, so that a failure can be repeated as far as two processes allow it."""
    seed = int(os.environ.get("BRAID_SEED") or random.SystemRandom().randrange(2**32))
    print(f"BRAID_SEED={seed}", flush=True)
    return random.Random(seed)


class Load:
    """The loaded process. `acked`: the greatest acknowledged end of each partition."""

    def __init__(self, directory, seed, mode):
        self.acked = {}
        self.acknowledgements = 0
        self.began = threading.Event()
        self.process = subprocess.Popen([PROGRAM, directory, "load", str(seed), mode], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            words = line.split()
            if words[:1] == ["acked"] and line.endswith("\n"):
                self.acked[int(words[1])] = max(int(words[2]), self.acked.get(int(words[1]), 0))
                self.acknowledgements += 1
                self.began.set()

    def run_for(self, seconds):
        """From the first acknowledgement on."""
        if not self.began.wait(START_SECONDS_MAX):
            self.kill()
            raise AssertionError(f"it acknowledges nothing: {self.process.stderr.read()}")
        time.sleep(seconds)
        assert self.process.poll() is None, self.process.stderr.read()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join()
        return self.acked


def check(directory):
    """{partition: (start, end)} of what is there; raises when a byte is not what it should be."""
    done = subprocess.run([PROGRAM, directory, "check"], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0 or not done.stdout.endswith("whole\n"):
        raise AssertionError(f"exit {done.returncode}: {done.stderr}{done.stdout}")
    found = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("found ")]
    return {int(partition): (int(start), int(end)) for partition, start, end in found}


def missing(acked, found):
    """What was acknowledged and is not there, as text; "" if nothing."""
    return ", ".join(f"partition {partition} was acknowledged up to {end}, is there up to {found.get(partition, (0, 0))[1]}"
                     for partition, end in sorted(acked.items()) if found.get(partition, (0, 0))[1] < end)
