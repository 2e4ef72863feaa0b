"""Kafka's own command-line tools. A test is a few calls, each with a text that its output must have."""

import dataclasses
import json
import pathlib
import re

import kafka
from suite import FAIL, PASS, Suite, call

TOOLS = "org.apache.kafka.tools."
RECORDS = "".join(f"key-{i}:value-{i}\n" for i in range(20))


@dataclasses.dataclass
class Step:
    """One call. In its words B stands for the broker, T for the topic of the test, G for its group, F for the file with `file`'s text."""

    tool: str
    words: str
    expected: str  # a regular expression that the output must match
    stdin: str = ""
    file: str = ""


def topics(words, expected):
    return Step("TopicCommand", f"--bootstrap-server B {words}", expected)


def configs(words, expected):
    return Step("ConfigCommand", f"--bootstrap-server B {words}", expected)


def groups(words, expected):
    return Step("consumer.group.ConsumerGroupCommand", f"--bootstrap-server B {words}", expected)


def metrics(words, expected):
    return Step("ClientMetricsCommand", f"--bootstrap-server B {words}", expected)


def offsets(words, expected):
    return Step("GetOffsetShell", f"--bootstrap-server B --topic T {words}", expected)


def assigned(partition):
    return json.dumps({"version": 1, "partitions": [{"topic": "T", "partition": partition, "replicas": [1]}]})


CREATED = topics("--create --topic T --partitions 4", "Created topic T")
PRODUCED = Step("ConsoleProducer", "--bootstrap-server B --topic T --reader-property parse.key=true --reader-property key.separator=:", "", RECORDS)
CONSUMED = Step("consumer.ConsoleConsumer", "--bootstrap-server B --topic T --group G --from-beginning --max-messages 20 --timeout-ms 30000",
                r"value-\d+")
FILLED = [CREATED, PRODUCED]
READ = [*FILLED, CONSUMED]
ALTER_TOPIC = configs("--alter --entity-type topics --entity-name T --add-config retention.ms=3600000", "Completed updating config for topic T")
ALTER_BROKER = configs("--alter --entity-type brokers --entity-name 1 --add-config log.cleaner.threads=2", "Completed updating config")
ALTER_DEFAULT = configs("--alter --entity-type brokers --entity-default --add-config message.max.bytes=1048600", "Completed updating default config")
ALTER_GROUP = configs("--alter --entity-type groups --entity-name G --add-config consumer.session.timeout.ms=50000", "Completed updating config")
ALTER_METRICS = metrics("--alter --name T --metrics org.apache.kafka.producer. --interval 30000", "Altered client metrics config")
REASSIGN = "--bootstrap-server B --reassignment-json-file F"
MOVE = Step("reassign.ReassignPartitionsCommand", f"{REASSIGN} --execute", "Successfully started partition reassignment", file=assigned(0))

TESTS = {
    "api-versions": [Step("BrokerApiVersionsCommand", "--bootstrap-server B", r"Produce\(0\): 0 to 13")],
    "topics-create": [CREATED],
    "topics-list": [CREATED, topics("--list", "T")],
    "topics-describe": [CREATED, topics("--describe --topic T", r"PartitionCount: 4\s+ReplicationFactor: 1")],
    "topics-alter-partitions": [CREATED, topics("--alter --topic T --partitions 6", "")],
    "topics-describe-4": [CREATED, topics("--alter --topic T --partitions 6", ""), topics("--describe --topic T", "PartitionCount: 6")],
    "configs-alter-topic": [CREATED, ALTER_TOPIC],
    "configs-describe-topic": [CREATED, ALTER_TOPIC, configs("--describe --entity-type topics --entity-name T", "retention.ms=3600000")],
    "configs-delete-topic": [CREATED, ALTER_TOPIC,
                             configs("--alter --entity-type topics --entity-name T --delete-config retention.ms", "Completed updating config")],
    "configs-describe-broker": [configs("--describe --entity-type brokers --entity-name 1 --all", "num.partitions=4")],
    "configs-alter-broker": [ALTER_BROKER, configs("--describe --entity-type brokers --entity-name 1", "log.cleaner.threads=2"),
                             configs("--alter --entity-type brokers --entity-name 1 --delete-config log.cleaner.threads", "Completed updating")],
    "configs-alter-broker-default": [ALTER_DEFAULT, configs("--describe --entity-type brokers --entity-default", "message.max.bytes=1048600"),
                                     configs("--alter --entity-type brokers --entity-default --delete-config message.max.bytes", "Completed updating")],
    "configs-group": [ALTER_GROUP],
    "configs-group-describe": [ALTER_GROUP, configs("--describe --entity-type groups --entity-name G", "consumer.session.timeout.ms=50000")],
    "client-metrics-alter": [ALTER_METRICS],
    "client-metrics-describe": [ALTER_METRICS, metrics("--describe --name T", "interval.ms=30000")],
    "client-metrics-list": [ALTER_METRICS, metrics("--list", "T")],
    "client-metrics-delete": [ALTER_METRICS, metrics("--delete --name T", "Deleted client metrics config")],
    "console-producer": FILLED,
    "console-consumer": READ,
    "groups-list": [*READ, Step("GroupsCommand", "--bootstrap-server B --list", r"G\s+Classic\s+consumer")],
    "consumer-groups-list": [*READ, groups("--list", "G")],
    "consumer-groups-describe": [*READ, groups("--describe --group G", r"G\s+T\s+\d+\s+\d+\s+\d+\s+0")],
    "consumer-groups-state": [*READ, groups("--describe --group G --state", "Empty")],
    "consumer-groups-reset": [*READ, groups("--reset-offsets --to-earliest --execute --group G --topic T", r"G\s+T\s+\d+\s+0")],
    "consumer-groups-reset-time": [*READ, groups("--reset-offsets --to-datetime 2020-01-01T00:00:00.000 --execute --group G --topic T", r"G\s+T\s+\d+\s+0")],
    "consumer-groups-delete-offsets": [*READ, groups("--delete-offsets --group G --topic T", r"T\s+\d+\s+Successful")],
    "consumer-groups-delete": [*READ, groups("--delete --group G", "Deletion of requested consumer groups .* was successful")],
    "get-offsets": [*FILLED, offsets("", r"T:\d+:\d+")],
    "get-offsets-max-timestamp": [*FILLED, offsets("--time max-timestamp", r"T:\d+:\d+")],
    "get-offsets-earliest": [*FILLED, offsets("--time earliest", "T:0:0")],
    "get-offsets-earliest-local": [*FILLED, offsets("--time earliest-local", "T:0:0")],
    "log-dirs": [*FILLED, Step("LogDirsCommand", "--bootstrap-server B --describe --topic-list T", r'"partition":"T-0"')],
    "delete-records": [*FILLED, Step("DeleteRecordsCommand", "--bootstrap-server B --offset-json-file F", "partition: T-0\tlow_watermark: 1",
                                     file='{"version": 1, "partitions": [{"topic": "T", "partition": 0, "offset": 1}]}')],
    "leader-election": [CREATED, Step("LeaderElectionCommand", "--bootstrap-server B --election-type preferred --all-topic-partitions",
                                      "Valid replica already elected|Successfully completed|No election needed|^$")],
    "reassign-execute": [CREATED, MOVE],
    "reassign-verify": [CREATED, MOVE, Step("reassign.ReassignPartitionsCommand", f"{REASSIGN} --verify",
                                            "Reassignment of partition T-0 is completed", file=assigned(0))],
    "reassign-list": [Step("reassign.ReassignPartitionsCommand", "--bootstrap-server B --list", "No partition reassignments found")],
    "features-describe": [Step("FeatureCommand", "--bootstrap-server B describe", "Feature: metadata.version")],
    "quorum-status": [Step("MetadataQuorumCommand", "--bootstrap-server B describe --status", r"LeaderId:\s+1")],
    "quorum-replication": [Step("MetadataQuorumCommand", "--bootstrap-server B describe --replication", r"1\s+\S+\s+\d+\s+0\s+.*Leader")],
    "cluster-id": [Step("ClusterTool", "cluster-id --bootstrap-server B", r"Cluster ID: \S{22}")],
    "cluster-endpoints": [Step("ClusterTool", "list-endpoints --bootstrap-server B", "127.0.0.1")],
    "verifiable-producer": [CREATED, Step("VerifiableProducer", "--bootstrap-server B --topic T --max-messages 20", '"acked":20')],
    "verifiable-consumer": [*FILLED, Step("VerifiableConsumer", "--bootstrap-server B --topic T --group-id G --max-messages 20 --reset-policy earliest",
                                          "offsets_committed")],
    "producer-perf": [CREATED, Step("ProducerPerformance", "--bootstrap-server B --topic T --num-records 1000 --record-size 100 --throughput -1",
                                    "1000 records sent")],
    "consumer-perf": [*FILLED, Step("ConsumerPerformance", "--bootstrap-server B --topic T --group G --num-records 20 --timeout 30000", r"data.consumed")],
    "e2e-latency": [Step("EndToEndLatency", "--bootstrap-server B --topic T --num-records 50 --producer-acks 1 --record-size 100", "Percentiles")],
    "topics-delete": [CREATED, topics("--delete --topic T", "")],
}


class KafkaTools(Suite):
    name = "kafka-tools"
    version = "4.4.0"
    streams = 2
    seconds_max = 180

    def prepare(self):
        kafka.jars()

    def tests(self):
        return list(TESTS)

    def run(self, test, broker, log):
        log = pathlib.Path(log)
        names = {"T": f"tools-{test}", "G": f"group-{test}", "B": broker}
        for number, step in enumerate(TESTS[test]):
            said = self._call(step, names, log.with_suffix(f".{number}"))
            if said is None:
                return FAIL, f"{step.tool} did not end"
            with open(log, "a") as whole:
                whole.write(said)
            expected = re.sub(r"\b[TG]\b", lambda name: re.escape(names[name[0]]), step.expected)
            if not re.search(expected, said, re.M):
                lines = [line for line in said.splitlines() if line and not line.startswith("\tat ")]
                return FAIL, f"{step.tool} {step.words}: {' / '.join(lines[-3:])[:300]}"
        return PASS, ""

    def _call(self, step, names, log):
        """What the call said; None if it did not end."""
        words = []
        for word in step.words.split():
            if word == "F":
                word = log.with_suffix(log.suffix + ".json")
                word.write_text(step.file.replace('"T"', f'"{names["T"]}"'))
            words.append(names.get(word, str(word)))
        log.unlink(missing_ok=True)
        code = call(kafka.java(TOOLS + step.tool, *words), log, self.seconds_max / 3, stdin=step.stdin)
        said = log.read_text(errors="replace")
        log.unlink()
        return None if code is None else said
