#!/usr/bin/env python3
"""System calls of the loop for each unpipelined request, counted by strace: a measurement, not a test.

usage: BRAID_PROGRAM=build/release/braid python3 compat-tests/frames/loop_calls.py
"""

import os
import re
import signal
import subprocess
import tempfile

os.environ["BRAID_LOOPS"] = "1"

from braid_process import Broker  # noqa: E402: the number of loops is read when it is imported
from records_on_the_wire import create_topic, fetch_request, produce, produce_request, record_batch
from wire import Client, api_versions

REQUESTS = 1000
LINE = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)(?:\s+\d+)?\s+(\w+)$", re.MULTILINE)


def exchange(client, request):
    for _ in range(REQUESTS):
        client.send(request)
        client.receive_frame()


def calls(broker, work):
    """By name, for each request. The first loop is the process' first thread."""
    with tempfile.NamedTemporaryFile("r") as output:
        strace = subprocess.Popen(["strace", "-c", "-p", str(broker.process.pid), "-o", output.name], stderr=subprocess.PIPE, text=True)
        strace.stderr.readline()  # it is attached
        work()
        strace.send_signal(signal.SIGINT)
        strace.wait()
        strace.stderr.close()
        counts = {name: int(count) / REQUESTS for count, name in LINE.findall(output.read()) if name != "total"}
    return {name: count for name, count in sorted(counts.items()) if count >= 0.01}


def main():
    print("| flush.mode | request | " + "calls a request | waiting and looking for events |\n| --- | --- | --- | --- |")
    for mode in ("sync", "async"):
        with Broker({"flush.mode": mode}) as broker, Client(broker.port) as client:
            create_topic(broker.port, "t", partitions=1)
            produce(client, "t", 0)
            for name, request in (("Produce", produce_request("t", 0, record_batch(value=b"x" * 1000))),
                                  ("Fetch of one batch", fetch_request("t", 0, bytes_max=1)), ("ApiVersions", api_versions())):
                exchange(client, request)
                counted = calls(broker, lambda made=request: exchange(client, made))
                waits = counted.pop("epoll_wait", 0)
                print(f"| {mode} | {name} | {', '.join(f'{call} {count:.2f}' for call, count in counted.items())} | {waits:.2f} |")


if __name__ == "__main__":
    main()
