"""Brokers that outlive the call that started them. A folder holds what belongs to them: per node its configuration, log and data, and
`nodes.json`, which tells the processes that were started here from any other."""

import dataclasses
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

START_SECONDS = 120  # a JVM on a loaded machine takes tens of seconds
STOP_SECONDS = 30  # then it is killed
POLL_SECONDS = 0.05


class CannotStart(Exception):
    """The text says why, with the end of the log."""


@dataclasses.dataclass
class Node:
    """What a broker of ours or of Kafka's needs to know about itself."""

    id: int
    port: int
    folder: pathlib.Path

    @property
    def config(self):
        return self.folder / "server.properties"

    @property
    def log(self):
        return self.folder / "broker.log"


def free_ports(count):
    """Ports of the loopback that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def start(kind, directory, count, first_port, settings):
    """Starts `count` nodes in an empty folder, waits until all are ready, and returns their ports. `first_port` 0 takes free ones.
    `settings` stand above what `kind` sets."""
    directory = pathlib.Path(directory).resolve()
    if (directory / "nodes.json").exists():
        raise CannotStart(f"{directory} has nodes already: stop them first")
    ports = [first_port + i for i in range(count)] if first_port else free_ports(count)
    nodes = [Node(i + 1, port, directory / f"node-{i + 1}") for i, port in enumerate(ports)]
    for node in nodes:
        shutil.rmtree(node.folder, ignore_errors=True)
        node.folder.mkdir(parents=True)
    started = []
    try:
        for node, own in zip(nodes, kind.settings(nodes)):
            node.config.write_text("".join(f"{key}={value}\n" for key, value in {**own, **settings}.items()))
            kind.format(node)
        for node in nodes:
            with open(node.log, "wb") as log:
                process = subprocess.Popen(kind.command(node), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=node.folder,
                                           env=clean_environment(), start_new_session=True)
            started.append({"pid": process.pid, "born": birth(process.pid), "port": node.port})
            (directory / "nodes.json").write_text(json.dumps(started))
        for node, process in zip(nodes, started):
            wait_until_ready(node, process, kind.ready)
    except BaseException:
        stop(directory)
        raise
    return ports


def stop(directory):
    """Ends the nodes of the folder; kills those that do not end in time. Its files stay."""
    record = pathlib.Path(directory).resolve() / "nodes.json"
    if not record.exists():
        return
    nodes = json.loads(record.read_text())
    for number, seconds in ((signal.SIGTERM, STOP_SECONDS), (signal.SIGKILL, STOP_SECONDS)):
        for node in filter(alive, nodes):
            os.kill(node["pid"], number)
        end = time.monotonic() + seconds
        while any(map(alive, nodes)) and time.monotonic() < end:
            threading.Event().wait(POLL_SECONDS)
    record.unlink()


def wait_until_ready(node, process, ready):
    """Until the log has the text `ready`."""
    end = time.monotonic() + START_SECONDS
    while ready not in node.log.read_text(errors="replace"):
        if not alive(process) or time.monotonic() > end:
            tail = "\n".join(node.log.read_text(errors="replace").splitlines()[-15:])
            raise CannotStart(f"node {node.id} did not become ready within {START_SECONDS} s, or ended:\n{tail}")
        threading.Event().wait(POLL_SECONDS)


def birth(pid):
    """When the process began, in clock ticks since boot: a process id alone may be another's by now. None if it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else fields[19]


def alive(node):
    try:
        os.waitpid(node["pid"], os.WNOHANG)  # if it is a child of this very call
    except ChildProcessError:
        pass
    return birth(node["pid"]) == node["born"]


def clean_environment():
    """Ours, without variables that would configure a broker."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("KAFKA_", "BRAID_", "CLUSTER_ID"))}


def command_line(kind, program):
    """`start DIR N PORT key=value…` and `stop DIR`."""
    usage = f"usage: {program} start DIR N PORT key=value… | stop DIR   (PORT 0: free ones; prints host:port of every node)"
    match sys.argv[1:]:
        case ["stop", directory]:
            stop(directory)
        case ["start", directory, count, port, *settings] if count.isdigit() and port.isdigit() and all("=" in each for each in settings):
            try:
                ports = start(kind, directory, int(count), int(port), dict(each.split("=", 1) for each in settings))
            except CannotStart as reason:
                sys.exit(f"{program}: {reason}")
            print(",".join(f"127.0.0.1:{port}" for port in ports))
        case _:
            sys.exit(usage)
