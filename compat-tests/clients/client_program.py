"""A client library or tool as a running program that takes commands; which there are, and where each of them comes from."""

import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

import fetched
from fetched import NotRun
from records import Record

HERE = pathlib.Path(__file__).resolve().parent
DRIVERS = HERE / "drivers"
ANSWER_SECONDS = 150  # longer than any driver waits for anything
SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's packages are its


def _kcat():
    fetched.needs("kcat", "kcat")
    return [sys.executable, "-B", DRIVERS / "kcat.py"]


def _debian_confluent():
    found = subprocess.run([SYSTEM_PYTHON, "-c", "import confluent_kafka"], capture_output=True, check=False)
    if found.returncode != 0:
        raise NotRun("confluent_kafka is missing: apt-get install python3-confluent-kafka")
    return [SYSTEM_PYTHON, "-B", DRIVERS / "confluent.py"]


def _of_pypi(driver):
    return lambda: [fetched.python(), "-B", DRIVERS / driver]


CLIENTS = {"kcat": _kcat, "confluent_debian": _debian_confluent, "confluent_pypi": _of_pypi("confluent.py"),
           "kafka_python": _of_pypi("kafka_python.py"), "aiokafka": _of_pypi("aiokafka_client.py"), "java": fetched.java,
           "franz_go": lambda: fetched.go("franz"), "sarama": lambda: fetched.go("sarama"), "kafka_go": lambda: fetched.go("kafkago")}


class ClientProgram:
    """`with ClientProgram("kcat", port) as client:`; every command fails the test when it is not answered well and in time."""

    def __init__(self, name, port):
        self.name = name
        command = [*map(str, CLIENTS[name]()), f"127.0.0.1:{port}"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.answers, self.complaints = queue.Queue(), []
        self.threads = [threading.Thread(target=self._read_answers, daemon=True), threading.Thread(target=self._read_complaints, daemon=True)]
        for thread in self.threads:
            thread.start()
        hello = self.ask("hello")
        self.version, self.cannot = hello["version"], hello["cannot"]

    def _read_answers(self):
        for line in self.process.stdout:
            self.answers.put(line)
        self.answers.put(None)

    def _read_complaints(self):
        self.complaints.extend(self.process.stderr)

    def ask(self, what, **words):
        try:
            self.process.stdin.write(json.dumps({"do": what, **words}) + "\n")
            self.process.stdin.flush()
            line = self.answers.get(timeout=ANSWER_SECONDS)
        except (queue.Empty, BrokenPipeError) as late:
            raise AssertionError(f"{self.name} did not answer to {what} {words}"[:1000] + self._said()) from late
        answer = {"error": "ended"} if line is None else json.loads(line)
        if "error" in answer:
            raise AssertionError(f"{self.name} {what}: {answer['error']}" + self._said())
        return answer["ok"]

    def _said(self):
        return "\nit said:\n" + "".join(self.complaints[-30:])

    def can(self, feature):
        return feature not in self.cannot

    def create(self, topic, partitions=1):
        self.ask("create", topic=topic, partitions=partitions)

    def delete(self, topic):
        self.ask("delete", topic=topic)

    def partitions_of(self, topic):
        return self.ask("partitions_of", topic=topic)

    def configs(self, topic):
        return self.ask("configs", topic=topic)

    def alter_configs(self, topic, changes):
        self.ask("alter_configs", topic=topic, changes=changes)

    def delete_records(self, topic, before, partition=0):
        """The first offset that is left."""
        return self.ask("delete_records", topic=topic, partition=partition, before=before)

    def produce(self, topic, records, partition=0, acks="all", codec="none", idempotent=False):
        """The offsets, where the client tells them."""
        return self.ask("produce", topic=topic, partition=partition, records=[record.to_json() for record in records], acks=acks, codec=codec,
                        idempotent=idempotent)["offsets"]

    def read(self, topic, count, partition=0, **start):
        records = self.ask("read", topic=topic, partition=partition, count=count, start=start)["records"]
        return [Record.from_json(record) for record in records]

    def subscribe(self, member, group, topics, instance=None, cooperative=False):
        self.ask("subscribe", member=member, group=group, topics=topics, instance=instance, cooperative=cooperative)

    def assigned(self, member):
        """Its partitions, as [topic, partition], after a short look for news."""
        return self.ask("assigned", member=member)

    def consume(self, member, count):
        """Partition, offset and value of so many more records."""
        return [(partition, offset, bytes.fromhex(value)) for partition, offset, value in self.ask("consume", member=member, count=count)]

    def commit(self, member):
        self.ask("commit", member=member)

    def leave(self, member):
        self.ask("leave", member=member)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            for thread in self.threads:
                thread.join(timeout=ANSWER_SECONDS)
            self.process.stdout.close()
            self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def enter(case, context):
    """Enters a context for all tests of a class."""
    value = context.__enter__()
    case.addClassCleanup(context.__exit__, None, None, None)
    return value


def available():
    """The clients that this machine has."""
    found = []
    for name, find in CLIENTS.items():
        try:
            find()
            found.append(name)
        except NotRun as why:
            print(f"without {name}: {why}")
    return found


def chosen():
    """The client that this run is about; ends the program as "not run" where it is missing."""
    name = os.environ["BRAID_CLIENT"]
    try:
        CLIENTS[name]()
    except NotRun as why:
        print(f"not run: {why}")
        sys.exit(77)
    return name
