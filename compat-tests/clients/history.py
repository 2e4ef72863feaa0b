"""What producers were told about numbered values, and whether a partition's records agree with it."""

import collections
import dataclasses


def value(producer, number):
    return f"{producer} {number}".encode().ljust(100, b".")


@dataclasses.dataclass
class History:
    """Of `producers` that write value n to partition n % `partitions`. `written` counts what each of them has begun to write."""

    partitions: int
    acknowledged: dict = dataclasses.field(default_factory=dict)  # (producer, number) -> offset
    lost: dict = dataclasses.field(default_factory=dict)  # (producer, number) -> error
    written: list = dataclasses.field(default_factory=list)

    def take(self, line):
        word, *rest = line.split(maxsplit=3)
        if word == "ack":
            producer, number, offset = map(int, rest)
            self.acknowledged[producer, number] = offset
        elif word == "lost":
            self.lost[int(rest[0]), int(rest[1])] = rest[2]
        elif word == "written":
            self.written = [int(count) for count in line.split()[1:]]
        else:
            raise ValueError(line)

    def outstanding(self):
        return sum(self.written) - len(self.acknowledged) - len(self.lost)

    def first_offset_after(self, partition):
        """After all that was acknowledged."""
        return 1 + max((offset for (_, number), offset in self.acknowledged.items() if number % self.partitions == partition), default=-1)

    def faults(self, partition, values):
        """What is wrong with the values that the partition holds, in order of their offsets from 0."""
        faults = [f"{producer}/{number} was acknowledged at {offset}, there is {values[offset:offset + 1]}"
                  for (producer, number), offset in self.acknowledged.items()
                  if number % self.partitions == partition and values[offset:offset + 1] != [value(producer, number)]]
        possible = {value(producer, number) for producer, count in enumerate(self.written) for number in range(partition, count, self.partitions)}
        newest = collections.defaultdict(lambda: -1)
        seen = set()
        for offset, found in enumerate(values):
            if found not in possible:
                faults.append(f"nobody wrote {found} at {offset}")
                continue
            producer, number = map(int, found.rstrip(b".").split())
            if found in seen:
                faults.append(f"{producer}/{number} is there again at {offset}")
            elif number < newest[producer]:
                faults.append(f"{producer}/{number} at {offset} comes after {newest[producer]}")
            seen.add(found)
            newest[producer] = max(newest[producer], number)
        return faults
