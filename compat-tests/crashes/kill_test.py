"""kill -9 at any instant: whatever was acknowledged is there, and no byte that was never written."""

import sys
import tempfile

from judge import FULL, Load, check, missing, new_random

CYCLES = 200 if FULL else 20
SECONDS_MAX = 2.0 if FULL else 0.6
CONTROLS_MAX = 20


def notices_early_acknowledgements(chance):
    """The control: a store that acknowledges what is not written yet."""
    for _ in range(CONTROLS_MAX):
        with tempfile.TemporaryDirectory(prefix="braid-kill-", dir=".") as directory:
            load = Load(directory, chance.randrange(2**32), "early")
            load.run_for(chance.uniform(0.005, 0.1))
            if missing(load.kill(), check(directory)):
                return True
    return False


def main():
    chance = new_random()
    acknowledgements = 0
    for mode in ("sync", "async"):
        with tempfile.TemporaryDirectory(prefix="braid-kill-", dir=".") as directory:
            acked = {}
            for cycle in range(CYCLES // 2):
                load = Load(directory, chance.randrange(2**32), mode)
                load.run_for(chance.uniform(0.005, SECONDS_MAX))
                for partition, end in load.kill().items():
                    acked[partition] = max(end, acked.get(partition, 0))
                acknowledgements += load.acknowledgements
                lost = missing(acked, check(directory))
                if lost:
                    print(f"{mode}, cycle {cycle}: {lost}")
                    return 1
    if not notices_early_acknowledgements(chance):
        print("an acknowledgement of what was not written is not noticed")
        return 1
    print(f"{CYCLES} kills, {acknowledgements} acknowledgements, nothing lost")
    return 0 if acknowledgements >= CYCLES else 1


if __name__ == "__main__":
    sys.exit(main())
