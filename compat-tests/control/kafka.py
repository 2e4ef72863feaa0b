#!/usr/bin/env python3
"""Apache Kafka itself, from Maven: `kafka.py start DIR N PORT key=value…` and `kafka.py stop DIR`. Nodes are brokers and controllers at once."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "clients"))

import fetched
import servers

CLUSTER = "4L6g3nShT-eMCtK--X86sw"
HEAP = "-Xmx768m"
FORMAT_SECONDS = 120


def jars():
    """The class path of the broker and its tools. Raises fetched.NotRun where they are not to be had."""
    fetched.needs("java", "openjdk-17-jdk-headless")
    fetched.needs("mvn", "maven")
    with fetched.folder("kafka", HERE / "pom.xml") as (place, stale):
        if stale:
            fetched.run(["mvn", "-q", "-B", "-f", HERE / "pom.xml", "dependency:copy-dependencies", f"-DoutputDirectory={place / 'jars'}"])
    return f"{place / 'jars'}/*"


def java(*arguments):
    """The words of a call of one of Kafka's classes; quick to start rather than quick to run when it is a tool."""
    return ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{HERE}:{jars()}", *map(str, arguments)]


class Kafka:
    name = "kafka"
    ready = "Kafka Server started"

    @staticmethod
    def settings(nodes):
        controllers = servers.free_ports(len(nodes))
        voters = ",".join(f"{node.id}@127.0.0.1:{port}" for node, port in zip(nodes, controllers))
        for node, controller in zip(nodes, controllers):
            yield {
                "process.roles": "broker,controller",
                "node.id": node.id,
                "listeners": f"PLAINTEXT://127.0.0.1:{node.port},CONTROLLER://127.0.0.1:{controller}",
                "advertised.listeners": f"PLAINTEXT://127.0.0.1:{node.port}",
                "controller.listener.names": "CONTROLLER",
                "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "controller.quorum.voters": voters,
                "log.dirs": node.folder / "data",
            }

    @staticmethod
    def format(node):
        told = subprocess.run(java("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", node.config), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=FORMAT_SECONDS, check=False)
        if told.returncode != 0:
            raise servers.CannotStart(f"StorageTool: {(told.stdout + told.stderr)[-1500:]}")

    @staticmethod
    def command(node):
        return ["java", HEAP, "-cp", f"{HERE}:{jars()}", "kafka.Kafka", str(node.config)]


if __name__ == "__main__":
    servers.command_line(Kafka, "kafka.py")
