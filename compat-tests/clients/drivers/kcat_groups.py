"""Groups with kcat -G: a process a member, which prints what it consumes and commits it when it ends."""

import queue
import re
import signal
import subprocess
import threading
import time

from driver import PATIENCE_SECONDS, SESSION_MS, to_hex

ASSIGNED = re.compile(r"assigned: (.*)")
PLACE = re.compile(r"([^ ,]+) \[(\d+)\]")


class Member:
    def __init__(self, command):
        self.command = command
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.records, self.assignment = queue.Queue(), []
        self.threads = [threading.Thread(target=self._read, daemon=True), threading.Thread(target=self._read_news, daemon=True)]
        for thread in self.threads:
            thread.start()

    def _read(self):
        for line in self.process.stdout:
            partition, offset, value = line.rstrip(b"\n").split(b" ", 2)
            self.records.put([int(partition), int(offset), to_hex(value)])

    def _read_news(self):
        for line in self.process.stderr:
            text = line.decode(errors="replace")
            if "rebalanced" in text:
                found = ASSIGNED.search(text)
                self.assignment = sorted([topic, int(number)] for topic, number in PLACE.findall(found[1])) if found else []


class Groups:
    def subscribe(self, member, group, topics, instance, cooperative):
        assert not cooperative
        options = {"auto.offset.reset": "earliest", "session.timeout.ms": SESSION_MS, "heartbeat.interval.ms": 500,
                   "topic.metadata.refresh.interval.ms": 1000, "partition.assignment.strategy": "range"}
        if instance:
            options["group.instance.id"] = instance
        settings = [word for name, value in options.items() for word in ("-X", f"{name}={value}")]
        self.members[member] = Member(["kcat", "-b", self.servers, "-X", "broker.address.family=v4", *settings, "-u", "-f", "%p %o %s\n", "-G", group,
                                       *topics])

    def assigned(self, member):
        time.sleep(0.05)  # it runs by itself
        return self.members[member].assignment

    def consume(self, member, count):
        return [self.members[member].records.get(timeout=PATIENCE_SECONDS) for _ in range(count)]

    def commit(self, member):
        """It does so every five seconds, and when it ends: another one takes its place."""
        command = self.members[member].command
        self.leave(member)
        self.members[member] = Member(command)

    def leave(self, member):
        one = self.members.pop(member)
        one.process.send_signal(signal.SIGTERM)
        one.process.wait(PATIENCE_SECONDS)
        for thread in one.threads:
            thread.join(PATIENCE_SECONDS)
        one.process.stdout.close()
        one.process.stderr.close()
