"""A range of message versions, written `3`, `0-7`, `3+` or `none`."""

import re
from dataclasses import dataclass

FOREVER = 32767


@dataclass(frozen=True)
class Versions:
    """Inclusive on both ends; empty when first > last; `last == FOREVER` means open."""

    first: int
    last: int

    @property
    def empty(self):
        return self.first > self.last

    def __contains__(self, version):
        return self.first <= version <= self.last

    def __iter__(self):
        return iter(range(self.first, self.last + 1))

    def __and__(self, other):
        both = Versions(max(self.first, other.first), min(self.last, other.last))
        return NONE if both.empty else both

    def covers(self, other):
        return other.empty or (self.first <= other.first and other.last <= self.last)

    def __str__(self):
        if self.empty:
            return "none"
        if self.last == FOREVER:
            return f"{self.first}+"
        if self.first == self.last:
            return str(self.first)
        return f"{self.first}-{self.last}"


NONE = Versions(0, -1)
ALL = Versions(0, FOREVER)


def parse_versions(text):
    """The range that `text` states; ValueError if it states none."""
    if text == "none":
        return NONE
    match = re.fullmatch(r"(\d+)(?:(\+)|-(\d+))?", text)
    if not match:
        raise ValueError(f"'{text}' is no version range; write 3, 0-7, 3+ or none")
    first = int(match[1])
    last = FOREVER if match[2] else int(match[3] or first)
    if last < first or first > FOREVER or last > FOREVER:
        raise ValueError(f"'{text}' is an empty version range; write the lower version first")
    return Versions(first, last)
