"""Power cuts of a real ext4: its image is copied under load and mounted again, so that only what was synced is sure.

Exit code 77, not run: where images can't be mounted.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from judge import FULL, Load, check, missing, new_random

CUTS = 30 if FULL else 4
SECONDS_MAX = 2.0 if FULL else 0.8
IMAGE_BYTES = 192 << 20
NOT_RUN = 77
CONTROLS_MAX = 10


class CantMount(Exception):
    pass


@contextlib.contextmanager
def mounted(image, place, options="loop"):
    place.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "-o", options, image, place], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CantMount(done.stderr.strip())
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def cut_once(folder, chance, mode, journal):
    """Loads a store on a new image, cuts the power; what was acknowledged by then, and what is found."""
    image, copy = folder / "a.img", folder / "b.img"
    with open(image, "wb") as file:
        file.truncate(IMAGE_BYTES)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
    with mounted(image, folder / "a", f"loop,data={journal}") as place:
        load = Load(str(place), chance.randrange(2**32), mode)
        try:
            load.run_for(chance.uniform(0.05, SECONDS_MAX))
        finally:
            load.process.send_signal(signal.SIGSTOP)
            # What it said before it stopped is read to the end once it is dead: it says nothing more in between.
            subprocess.run(["cp", "--sparse=always", image, copy], check=True)
            acked = load.kill()
    with mounted(copy, folder / "b") as place:
        return acked, check(str(place)), load.acknowledgements


def notices_missing_syncs(folder, chance):
    """The control: a store that acknowledges as if it had synced."""
    for _ in range(CONTROLS_MAX):
        try:
            acked, found, _ = cut_once(folder, chance, "unsynced", "ordered")
        except AssertionError:
            return True
        if missing(acked, found):
            return True
    return False


def main():
    if os.geteuid() != 0 or not shutil.which("mkfs.ext4") or not shutil.which("mount"):
        print("not root, or no mkfs.ext4")
        return NOT_RUN
    chance = new_random()
    acknowledgements = 0
    shared = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="braid-cut-", dir=shared if shared.is_dir() else None) as name:
        folder = pathlib.Path(name)
        try:
            for cut in range(CUTS):
                mode = "async" if cut % 4 == 3 else "sync"
                acked, found, count = cut_once(folder, chance, mode, "writeback" if cut % 2 else "ordered")
                acknowledgements += count
                # Of async mode a suffix may be lost: every partition is contiguous and every byte right, which check() saw.
                lost = missing(acked, found) if mode == "sync" else ""
                if lost:
                    print(f"cut {cut}: {lost}")
                    return 1
            if not notices_missing_syncs(folder, chance):
                print("a store that syncs nothing is not noticed")
                return 1
        except CantMount as why:
            print(f"not run: {why}")
            return NOT_RUN
    print(f"{CUTS} cuts, {acknowledgements} acknowledgements, nothing lost")
    return 0 if acknowledgements >= CUTS else 1


if __name__ == "__main__":
    sys.exit(main())
