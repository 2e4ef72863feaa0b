#!/usr/bin/env python3
"""Turns the corpus into seeds for the fuzzers, one file a message.

seeds.py OUT_DIR

OUT_DIR/request_fuzz and OUT_DIR/response_fuzz: int16 API key, int16 version, body, big-endian. OUT_DIR/data_fuzz: the body of
a structure or header. OUT_DIR/frame_fuzz: a length and that many bytes. OUT_DIR/records_fuzz: record batches.
"""

import hashlib
import pathlib
import sys

import corpus

FRAME_BYTES_MAX = 900  # the fuzzer's own bound is a little above


def seeds():
    """(fuzzer, bytes) of each message and record set, and of short frames."""
    for instance in corpus.read():
        kind, name, direction = instance.words.split()
        body = bytes.fromhex(instance.hex)
        if kind in ("data", "header"):
            yield "data_fuzz", body
        else:
            yield f"{direction}_fuzz", int(kind).to_bytes(2, "big") + int(name).to_bytes(2, "big") + body
        if len(body) <= FRAME_BYTES_MAX and direction == "request":
            yield "frame_fuzz", len(body).to_bytes(4, "big") + body
    for given, _ in corpus.read_batches():
        yield "records_fuzz", bytes.fromhex(given)


def write(folder):
    """Writes all seeds below `folder`; equal content gets one file. Returns how many there are."""
    written = set()
    for name, content in seeds():
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
