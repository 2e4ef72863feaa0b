"""The tests of two clients in Go. Each top-level test is one process."""

import json
import pathlib
import re
import shutil
import subprocess

import fetched
import servers
from suite import FAIL, PASS, SKIP, Suite, call, last_line

LIST_SECONDS = 60
BUILD_SECONDS = 900
# franz-go's chained consumers are worth a row each: the balancers differ in what they ask of a broker.
ETL = ("range", "roundrobin", "sticky", "cooperative-sticky")


class GoSuite(Suite):
    module = ""
    package = "."

    def prepare(self):
        fetched.needs("go", "golang")
        with fetched.folder(self.name, pathlib.Path(__file__)) as (place, stale):
            self.program = place / "suite.test"
            self.folder = place / "source" / self.package
            if stale:
                told = subprocess.run(["go", "mod", "download", "-json", f"{self.module}@{self.version}"], capture_output=True, text=True,
                                      timeout=fetched.FETCH_SECONDS, check=False, stdin=subprocess.DEVNULL, cwd=place)
                if told.returncode != 0:
                    raise fetched.NotRun(f"go mod download {self.module}: {(told.stdout + told.stderr)[-500:]}")
                shutil.rmtree(place / "source", ignore_errors=True)
                shutil.copytree(json.loads(told.stdout)["Dir"], place / "source", copy_function=shutil.copyfile)
                fetched.run(["chmod", "-R", "u+w", place / "source"])
                self.adapt(place / "source")
                fetched.run(["go", "test", "-c", "-o", self.program, "."], cwd=self.folder, seconds=BUILD_SECONDS,
                            environment={"CGO_ENABLED": "0", "GOFLAGS": "-mod=mod"})

    def adapt(self, source):
        """What must be changed in the fetched copy so that it finds the broker."""

    def environment(self, broker):
        raise NotImplementedError

    def tests(self):
        listed = subprocess.run([self.program, "-test.list", ".*"], capture_output=True, text=True, timeout=LIST_SECONDS, check=True,
                                cwd=self.folder, stdin=subprocess.DEVNULL, env={"KGO_SEEDS": "127.0.0.1:1", "HOME": "/"})
        return [line for line in listed.stdout.splitlines() if line.startswith(("Test", "Fuzz"))]

    def run(self, test, broker, log):
        pattern = "/".join(f"^{re.escape(part)}$" for part in test.split("/"))
        seconds = self.limit(test)
        code = call([self.program, "-test.v", "-test.run", pattern, f"-test.timeout={seconds - 5}s"], log, seconds,
                    environment=self.environment(broker), folder=self.folder)
        said = pathlib.Path(log).read_text(errors="replace")
        verdict = re.search(rf"^\s*--- (PASS|FAIL|SKIP): {re.escape(test)} ", said, re.M)
        if code == 0 and verdict and verdict[1] != "FAIL":
            return (PASS, "") if verdict[1] == "PASS" else (SKIP, last_line(log, "_test.go"))
        if code is None or "panic: test timed out" in said:
            return FAIL, f"not ended after {seconds} s"
        return FAIL, last_line(log, "_test.go", "panic:")


class FranzGo(GoSuite):
    name = "franz-go"
    version = "v1.22.3"
    module = "github.com/twmb/franz-go"
    package = "pkg/kgo"
    streams = 2
    seconds_max = 180

    def environment(self, broker):
        return {"KGO_SEEDS": broker, "KGO_TEST_RF": "1", "KGO_TEST_RECORDS": "10000", "KGO_LOG_LEVEL": "none"}

    def tests(self):
        chained = [f"TestGroupETL/{balancer}{kind}" for balancer in ETL for kind in ("", "/static")]
        return [test for test in super().tests() if test not in ("TestGroupETL", "TestTxnEtl")] + chained


class KafkaGo(GoSuite):
    """Its addresses are written into the tests: the copy gets the broker's by a variable instead."""

    name = "kafka-go"
    version = "v0.4.51"
    module = "github.com/segmentio/kafka-go"
    seconds_max = 120
    settings = {"num.partitions": "1", "message.max.bytes": "200000000"}

    def prepare(self):
        super().prepare()
        self.port = int((self.folder / "port").read_text())

    def adapt(self, source):
        port = servers.free_ports(1)[0]
        (source / "port").write_text(str(port))
        for file in source.glob("*_test.go"):
            if file.name == "address_test.go":
                continue  # of names alone
            text = file.read_text()
            for old, new in ((":9092", f":{port}"), ("Port: 9092", f"Port: {port}"), ("Port:            9092", f"Port: {port}"),
                             ("Port != 9092", f"Port != {port}"), ('TCP("localhost")', f'TCP("localhost:{port}")')):
                text = text.replace(old, new)
            file.write_text(text)

    def broker_settings(self, port):
        return {**super().broker_settings(port), "advertised.listeners": f"PLAINTEXT://localhost:{port}"}

    def environment(self, broker):
        return {"KAFKA_VERSION": "4.0.0", "KAFKA_SKIP_NETTEST": "1"}
