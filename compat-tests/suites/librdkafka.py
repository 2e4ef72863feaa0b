"""librdkafka's own tests, in full mode: its quick mode leaves out what is not marked quick and calls that a pass."""

import json
import os
import pathlib
import re
import shlex
import shutil
import threading

import fetched
import kafka
from suite import FAIL, PASS, SKIP, Suite, call, last_line

PACKAGE = "@confluentinc/kafka-javascript@1.10.1"  # carries librdkafka 2.15.1 with its tests
DEBIAN_PACKAGES = {"npm": "npm", "make": "make", "curl-config": "libcurl4-openssl-dev"}
BUILD_SECONDS = 1800  # some minutes on two idle cores
TOOLS = {
    "kafka-topics.sh": ["org.apache.kafka.tools.TopicCommand"],
    "kafka-configs.sh": ["org.apache.kafka.tools.ConfigCommand"],
    "kafka-consumer-groups.sh": ["org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"],
    "kafka-acls.sh": ["org.apache.kafka.tools.AclCommand"],
    "kafka-run-class.sh": [],  # the class is its first argument
}
# The names of tests that only a broker without auto-creation serves.
NO_AUTO_CREATION = ("0045_subscribe_update_topic_remove", "0045_subscribe_update_non_exist_and_partchange")
LONG = {"0081_admin": 420, "0113_cooperative_rebalance": 500, "0139_offset_validation_mock": 300, "0150_telemetry_mock": 400}


class Librdkafka(Suite):
    name = "librdkafka"
    version = "2.15.1"
    streams = 4
    seconds_max = 240

    def prepare(self):
        for tool, package in DEBIAN_PACKAGES.items():
            fetched.needs(tool, package)
        with fetched.folder("librdkafka", pathlib.Path(__file__)) as (place, stale):
            root = place / "package/deps/librdkafka"
            if stale:
                shutil.rmtree(place / "package", ignore_errors=True)
                fetched.run(["npm", "pack", "--silent", PACKAGE], cwd=place)
                fetched.run(["tar", "xzf", next(place.glob("*.tgz"))], cwd=place)
                fetched.run(["bash", "./configure"], cwd=root)
                jobs = f"-j{os.cpu_count()}"
                fetched.run(["make", jobs, "libs"], cwd=root, seconds=BUILD_SECONDS)
                fetched.run(["make", jobs, "-C", "tests", "build"], cwd=root, seconds=BUILD_SECONDS)
                self._shell_tools(place / "kafka/bin")
        self.folder, self.tools = root / "tests", place / "kafka"
        self.runs, self.lock = {}, threading.Lock()

    def _shell_tools(self, place):
        """Kafka's scripts as the tests call them."""
        place.mkdir(parents=True, exist_ok=True)
        for name, program in TOOLS.items():
            script = place / name
            script.write_text(f"#!/bin/sh\nexec {shlex.join(kafka.java(*program))} \"$@\"\n")
            script.chmod(0o755)

    def tests(self):
        listed = re.findall(r"^\s*_TEST\((\d{4}_\w+),([^)]*)", (self.folder / "test.c").read_text(), re.M)
        return sorted({name for name, flags in listed if "TEST_F_LOCAL" not in flags and "TEST_F_MANUAL" not in flags})

    def profile(self, test):
        if test in NO_AUTO_CREATION:
            return {"auto.create.topics.enable": "false"}
        if test == "0113_cooperative_rebalance":
            return {"group.initial.rebalance.delay.ms": "3000"}
        return {}

    def limit(self, test):
        return LONG.get(test, self.seconds_max)

    def run(self, test, broker, log):
        """Tests that share a number are one run of the runner, which can't choose among them; the first that is asked for waits for it."""
        scenario = "noautocreate" if test in NO_AUTO_CREATION else "default"
        with self.lock:
            lock, told = self.runs.setdefault((test[:4], scenario, broker), (threading.Lock(), {}))
        with lock:
            if not told:
                told.update(self._run_number(test, scenario, broker, pathlib.Path(log)))
        if "failure" in told:
            return FAIL, told["failure"]
        state = told["tests"].get(test)
        if state is None:
            return FAIL, f"exit {told['exit']}, and no word of this test"
        if state["state"] == "PASSED":
            return PASS, ""
        if state["state"] == "SKIPPED":
            return SKIP, state["extra"]
        failure = re.search(r'### (Test ".*) at \w{3} ', told["log"].read_text(errors="replace"))
        return FAIL, failure[1] if failure else last_line(told["log"])

    def _run_number(self, test, scenario, broker, log):
        """The runner's own report as `tests`, or a `failure`."""
        report, conf = log.with_suffix(".json"), log.with_suffix(".conf")
        report.unlink(missing_ok=True)
        conf.write_text(f"bootstrap.servers={broker}\nbroker.address.family=v4\ntest.timeout.multiplier=2\ntest.topic.random=true\n")
        seconds = self.limit(test)
        code = call(["./test-runner", "-p1", "-L", "-r", "-s", scenario], log, seconds, folder=self.folder, environment={
            "TESTS": test[:4], "TEST_KAFKA_VERSION": "4.4.0", "RDKAFKA_TEST_CONF": str(conf), "TEST_REPORT": str(report),
            "LD_LIBRARY_PATH": "../src:../src-cpp", "KAFKA_PATH": str(self.tools), "BROKERS": broker})
        if code is None:
            return {"failure": f"not ended after {seconds} s"}
        if not report.exists():
            return {"failure": f"exit {code}: {last_line(log)}"}
        return {"tests": json.loads(report.read_text(), strict=False)["tests"], "exit": code, "log": log}
