"""The pages of monitoring: what is on them, that docs/operating.md says the same, and how the HTTP server is bounded."""

import contextlib
import http.client
import json
import pathlib
import re
import socket
import threading
import time
import unittest

from braid_process import Broker, PATIENCE_SECONDS, SANITIZED, eventually, start_in_vain
from records_on_the_wire import create_topic, fetch, produce
from wire import Client, api_versions

OPERATING = pathlib.Path(__file__).resolve().parents[2] / "docs" / "operating.md"
ON = {"http.listener": "127.0.0.1:0"}
SAMPLE = re.compile(r'^([a-z_]\w*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
HEADER_BYTES_MAX = 8 * 1024  # as broker/limits.h says


def http_port(broker):
    return int(re.search(r"monitoring at http://127\.0\.0\.1:(\d+)", broker.log()).group(1))


def get(broker, target, method="GET"):
    """Status and body."""
    connection = http.client.HTTPConnection("127.0.0.1", http_port(broker), timeout=PATIENCE_SECONDS)
    with contextlib.closing(connection):
        connection.request(method, target)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


class Page:
    """Samples of one page, by name and labels."""

    def __init__(self, text):
        self.types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
        self.helps = dict(re.findall(r"^# HELP (\S+) (.*)$", text, re.MULTILINE))
        self.samples = {}
        self.labels = {}
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            name, labels, value = SAMPLE.match(line).groups()
            pairs = tuple(LABEL.findall(labels or ""))
            assert (name, pairs) not in self.samples, f"twice: {line}"
            self.samples[name, pairs] = float(value)
            family = name if name in self.types else re.sub(r"_(bucket|sum|count)$", "", name)
            assert family in self.types, f"a sample without a type: {line}"
            self.labels.setdefault(family, set()).update(label for label, _ in pairs if label != "le")

    def value(self, metric_name, **labels):
        """Of the sample that has exactly these labels."""
        found = [value for (name, pairs), value in self.samples.items() if name == metric_name and dict(pairs) == labels]
        assert len(found) == 1, f"{metric_name} {labels}: {len(found)} samples"
        return found[0]

    def sum(self, metric_name, **labels):
        """Over all samples that have these labels among theirs."""
        return sum(value for (name, pairs), value in self.samples.items()
                   if name == metric_name and labels.items() <= dict(pairs).items())


def scrape(broker, target="/metrics"):
    status, text = get(broker, target)
    assert status == 200, (status, text)
    return Page(text)


class Metrics(unittest.TestCase):
    def test_requests_and_topics_are_counted_by_kafkas_names(self):
        with Broker(ON) as broker, Client(broker.port) as client:
            client.exchange(api_versions(version=3))
            create_topic(broker.port, "orders", partitions=2)
            before = scrape(broker)
            sent = produce(client, "orders", 1, records=3)
            self.assertEqual(sent.error, 0)
            bad = produce(client, "orders", 7, records=1)
            self.assertEqual(bad.error, 3, "there is no such partition")
            _, received = fetch(client, "orders", 1)
            after = scrape(broker)

            def grown(name, **labels):
                return after.sum(name, **labels) - before.sum(name, **labels)

            self.assertEqual(grown("kafka_network_requestmetrics_requests_total", request="Produce", version="7"), 2)
            self.assertEqual(grown("kafka_network_requestmetrics_errors_total", request="Produce", error="UNKNOWN_TOPIC_OR_PARTITION"), 1)
            self.assertEqual(grown("kafka_network_requestmetrics_totaltimems_count", request="Fetch"), 1)
            self.assertEqual(grown("kafka_network_requestmetrics_totaltimems_count", request="FetchConsumer"), 1)
            self.assertEqual(grown("braid_request_bytes_total", request="Produce"), sent.request_bytes + bad.request_bytes)
            self.assertEqual(grown("braid_response_bytes_total", request="Produce"), sent.response_bytes + bad.response_bytes)
            self.assertGreater(after.value("kafka_network_requestmetrics_totaltimems", request="Produce", quantile="0.99"), 0)
            for labels in ({}, {"topic": "orders"}):
                def value(kind):
                    return after.value(f"kafka_server_brokertopicmetrics_{kind}_total", **labels)
                self.assertEqual(value("messagesin"), 3)
                self.assertEqual(value("bytesin"), sent.batch_bytes)
                self.assertEqual(value("bytesout"), len(received))
                self.assertEqual(value("totalfetchrequests"), 1)
            self.assertEqual(after.value("kafka_server_brokertopicmetrics_failedproducerequests_total"), 1)
            self.assertEqual(after.value("kafka_topic_partitions", topic="orders"), 2)
            self.assertEqual(after.value("kafka_server_replicamanager_partitioncount"), 2)
            self.assertEqual(after.sum("kafka_server_socket_server_metrics_connection_count", listener="PLAINTEXT"), 1)
            self.assertEqual(after.sum("kafka_server_socket_server_metrics_connections_software", clientSoftwareName="test"), 1)
            layout = {"layout": "commitlog"}
            self.assertEqual(after.value("braid_commitlog_synced_position", **layout), after.value("braid_commitlog_appended_position", **layout))
            self.assertGreater(after.value("braid_commitlog_synced_position", **layout), before.value("braid_commitlog_synced_position", **layout))
            self.assertGreater(after.value("braid_commitlog_flush_seconds_count", **layout), before.value("braid_commitlog_flush_seconds_count", **layout))
            self.assertGreater(after.value("process_resident_memory_bytes"), 1 << 20)
            self.assertGreater(after.value("process_open_fds"), 5)
            self.assertLess(abs(after.value("process_start_time_seconds") - time.time()), 120)

    def test_a_batch_that_is_refused_is_counted_by_its_fault(self):
        with Broker({**ON, "auto.create.topics.enable": "false"}) as broker, Client(broker.port) as client:
            create_topic(broker.port, "t", partitions=1)
            self.assertEqual(produce(client, "t", 0, records=1, damage=True).error, 2)
            page = scrape(broker)
            for labels in ({}, {"topic": "t"}):
                self.assertEqual(page.value("kafka_server_brokertopicmetrics_invalidmessagecrcrecords_total", **labels), 1)
                self.assertEqual(page.value("kafka_server_brokertopicmetrics_failedproducerequests_total", **labels), 1)

    def test_partitions_and_topics_are_told_of_only_where_they_are_asked_for(self):
        with Broker(ON) as broker, Client(broker.port) as client:
            create_topic(broker.port, "orders", partitions=3)
            produce(client, "orders", 2, records=5)
            detailed = scrape(broker, "/metrics?x=1&detail=partition")
            self.assertEqual(detailed.value("kafka_topic_partition_current_offset", topic="orders", partition="2"), 5)
            self.assertEqual(detailed.value("kafka_log_log_logendoffset", topic="orders", partition="0"), 0)
            self.assertGreater(detailed.value("kafka_log_log_size", topic="orders", partition="2"), 0)
            self.assertNotIn("kafka_log_log_size", scrape(broker).types)
            few = scrape(broker, "/public_metrics?detail=partition")
            self.assertFalse([pairs for _, pairs in few.samples if "topic" in dict(pairs)])
            self.assertEqual(few.value("kafka_server_brokertopicmetrics_messagesin_total"), 5)

    def test_a_page_of_many_partitions_takes_little_more_memory_than_its_text(self):
        count = 500 if SANITIZED else 5000
        with Broker(ON) as broker:
            create_topic(broker.port, "wide", partitions=count)
            scrape(broker)
            before = broker.resident_bytes()
            status, text = get(broker, "/metrics?detail=partition")
            self.assertEqual(status, 200)
            self.assertEqual(text.count("kafka_topic_partition_oldest_offset{"), count)
            grown = broker.resident_bytes() - before
            print(f"\na page of {count} partitions: {len(text) / 1e6:.1f} MB, {grown / 1e6:.1f} MB more in memory", flush=True)
            if not SANITIZED:
                self.assertLess(grown, 4 * len(text) + (8 << 20))

    def test_docs_list_exactly_what_is_served(self):
        with Broker(ON) as broker, Client(broker.port) as client:
            client.exchange(api_versions(version=3))
            create_topic(broker.port, "orders", partitions=1)
            produce(client, "orders", 0, records=1)
            produce(client, "orders", 9, records=1)
            served = scrape(broker, "/metrics?detail=partition")
        expected = [f"| `{name}` | {kind} | {', '.join(sorted(served.labels.get(name, ())))} | {served.helps[name]} |"
                    for name, kind in served.types.items()]
        text = OPERATING.read_text(encoding="utf-8")
        table = text.split("<!-- metrics: begin -->\n")[1].split("<!-- metrics: end -->")[0].strip().splitlines()[2:]
        self.maxDiff = None
        self.assertEqual(table, expected, "copy the lines that are served into docs/operating.md")


class Health(unittest.TestCase):
    def test_a_broker_that_serves_is_healthy_and_ready(self):
        with Broker(ON) as broker:
            self.assertEqual(get(broker, "/healthz"), (200, "ok\n"))
            status, body = get(broker, "/readyz")
            self.assertEqual((status, json.loads(body)), (200, {"ready": True, "reasons": []}))

    def test_a_broker_that_stops_is_not_ready(self):
        # A reply that its client does not take holds the stop up.
        with Broker({**ON, "socket.send.buffer.bytes": "1024"}) as broker, Client(broker.port) as stuck:
            for _ in range(20000):
                try:
                    stuck.socket.settimeout(0.05)
                    stuck.socket.sendall(api_versions() * 10)
                except socket.timeout:
                    break
            broker.signal()
            eventually(lambda: get(broker, "/readyz")[0] == 503, "the stop to begin")
            self.assertIn("stopping", get(broker, "/readyz")[1])
            self.assertEqual(get(broker, "/healthz")[0], 200)
            self.assertEqual(scrape(broker).value("kafka_server_kafkaserver_brokerstate"), 6)
            broker.signal()
            broker.wait()


class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.broker = Broker(ON)

    @classmethod
    def tearDownClass(cls):
        cls.broker.kill()

    def raw(self, data):
        """What comes back until the server closes, or for a request that is kept open, its first answer."""
        with socket.create_connection(("127.0.0.1", http_port(self.broker)), timeout=PATIENCE_SECONDS) as connection:
            connection.sendall(data)
            received = b""
            while b"\r\n\r\n" not in received:
                part = connection.recv(65536)
                if not part:
                    break
                received += part
            return received.decode("latin-1")

    def test_what_is_not_served_is_refused_with_a_status(self):
        for request, status in ((b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", 404),
                                (b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 405),
                                (b"GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", 413),
                                (b"GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 413),
                                (b"\x00\x00\x00\x10\x00\x12\x00\x00\x00\x00\x00\x07\xff\xff\r\n\r\n", 400)):
            with self.subTest(request=request):
                self.assertIn(f" {status} ", self.raw(request).splitlines()[0])

    def test_large_headers_are_refused_and_those_within_the_bound_served(self):
        def request(bytes_):
            start = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: "
            return start + b"a" * (bytes_ - len(start) - 4) + b"\r\n\r\n"
        self.assertIn(" 200 ", self.raw(request(HEADER_BYTES_MAX)).splitlines()[0])
        self.assertIn(" 431 ", self.raw(request(HEADER_BYTES_MAX + 200)).splitlines()[0])

    def test_a_connection_is_used_again_and_head_has_no_body(self):
        connection = http.client.HTTPConnection("127.0.0.1", http_port(self.broker), timeout=PATIENCE_SECONDS)
        with contextlib.closing(connection):
            for method in ("GET", "HEAD", "GET"):
                connection.request(method, "/healthz")
                answer = connection.getresponse()
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.getheader("Content-Length"), "3")
                self.assertEqual(answer.read(), b"" if method == "HEAD" else b"ok\n")

    def test_many_silent_connections_do_not_keep_a_monitor_out_for_ever(self):
        if SANITIZED:
            self.skipTest("sanitizers multiply time")
        silent = [socket.create_connection(("127.0.0.1", http_port(self.broker))) for _ in range(100)]
        try:
            self.assertEqual(get(self.broker, "/healthz")[0], 200, "the silent ones are closed in time")
        finally:
            for connection in silent:
                connection.close()

    def test_clients_are_served_while_pages_are_made(self):
        stop = threading.Event()

        def ask():
            while not stop.is_set():
                get(self.broker, "/metrics?detail=partition")

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            with Client(self.broker.port) as client:
                for number in range(200):
                    self.assertEqual(client.exchange(api_versions(correlation_id=number))[0], number)
        finally:
            stop.set()
            for thread in threads:
                thread.join()


class Listening(unittest.TestCase):
    def test_it_is_off_where_the_address_is_empty(self):
        with Broker({"http.listener": ""}) as broker:
            self.assertNotIn("monitoring at", broker.log())

    def test_a_start_without_the_key_serves_on_loopback_or_goes_on_without(self):
        with Broker({"http.listener": None}) as broker:
            self.assertRegex(broker.log(), r"monitoring at http://127\.0\.0\.1:9404|set http\.listener to serve metrics elsewhere")

    def test_an_address_that_was_asked_for_and_is_in_use_stops_the_start(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            ended = start_in_vain("--override", "listeners=PLAINTEXT://127.0.0.1:0", "--override", f"http.listener={address}")
            self.assertEqual(ended.returncode, 1)
            self.assertIn(address, ended.stderr)

    def test_all_addresses_are_warned_of(self):
        with Broker({"http.listener": "0.0.0.0:0"}) as broker:
            broker.logged("there is no login")


if __name__ == "__main__":
    unittest.main()
