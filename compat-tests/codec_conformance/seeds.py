#!/usr/bin/env python3
"""Turns the corpus into seeds for the fuzzers, one file a message.

seeds.py OUT_DIR

OUT_DIR/request and OUT_DIR/response: int16 API key, int16 version, body, big-endian. OUT_DIR/data: the body of a structure or header.
"""

import hashlib
import pathlib
import sys

import corpus


def seed(instance):
    """(folder, bytes) of one message."""
    first, second, third = instance.words.split()
    body = bytes.fromhex(instance.hex)
    if first in ("data", "header"):
        return "data", body
    return third, int(first).to_bytes(2, "big") + int(second).to_bytes(2, "big") + body


def write(folder):
    """Writes all seeds below `folder`; equal content gets one file. Returns how many there are."""
    written = set()
    for instance in corpus.read():
        name, content = seed(instance)
        path = folder / name / hashlib.sha256(content).hexdigest()[:16]
        if path not in written:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            written.add(path)
    return len(written)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(f"{write(pathlib.Path(sys.argv[1]))} seeds")
