#!/usr/bin/env python3
"""A broker of ours by the same two calls as Kafka: `braid.py start DIR N PORT key=value…` and `braid.py stop DIR`."""

import os
import pathlib

import servers

PROGRAM = os.environ.get("BRAID_PROGRAM", pathlib.Path(__file__).resolve().parents[2] / "build/release/braid")


class Braid:
    name = "braid"
    ready = "Transitioning from RECOVERY to RUNNING"

    @staticmethod
    def settings(nodes):
        if len(nodes) != 1:
            raise servers.CannotStart("Braid runs on one node")
        for node in nodes:
            yield {"node.id": node.id, "listeners": f"PLAINTEXT://127.0.0.1:{node.port}", "log.dirs": node.folder / "data"}

    @staticmethod
    def format(node):
        """The broker does so itself."""

    @staticmethod
    def command(node):
        return [str(PROGRAM), "serve", "--config", str(node.config)]


if __name__ == "__main__":
    servers.command_line(Braid, "braid.py")
