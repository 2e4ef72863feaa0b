"""Start, stop, limits, configuration and log of the program, as an operator meets them."""

import json
import os
import pathlib
import re
import select
import signal
import socket
import struct
import tempfile
import unittest

from braid_process import LOOPS, PROGRAM, SANITIZED, Broker, config_file, eventually, run, start_in_vain
from wire import Client, api_versions, frame, header

MIB = 1024 * 1024
HELD_BACK_SECONDS = 1  # a broker that has taken nothing for so long takes no more


def fill_until_held_back(client):
    """Sends requests and reads nothing, until the broker takes no more; then replies wait in it."""
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.socket.setblocking(False)
    requests = b"".join(api_versions(0, number) for number in range(1000))
    while select.select([], [client.socket], [], HELD_BACK_SECONDS)[1]:
        client.socket.send(requests)
    client.socket.setblocking(True)
    client.socket.settimeout(60)


def nothing_under_way(port):
    """No byte waits in the kernel for the broker, nor for its clients to confirm it."""
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    queues = [row[4] for row in rows if row[1].endswith(f":{port:04X}")]
    return len(queues) > 1 and set(queues) == {"00000000:00000000"}


class Stopping(unittest.TestCase):
    def test_either_signal_stops_cleanly_with_connections_open(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number=number), Broker() as broker, Client(broker.port) as client, Client(broker.port) as half:
                client.exchange(api_versions(0))
                half.send(struct.pack(">i", 1000) + b"half")
                broker.signal(number)
                self.assertEqual(broker.wait(), 0, broker.log())
                self.assertEqual(client.until_closed(), b"")
                self.assertIn("stopped", broker.log_lines[-1])
                self.assertEqual(broker.process.stdout.read(), "")

    def test_a_hangup_changes_nothing(self):
        with Broker() as broker, Client(broker.port) as client:
            broker.signal(signal.SIGHUP)
            broker.logged("SIGHUP")
            self.assertEqual(client.exchange(api_versions(0))[:2], (7, 0))
            self.assertEqual(broker.stop(), 0)

    def test_replies_that_nobody_takes_are_given_up_in_time(self):
        with Broker({"stop.drain.max.ms": "100", "socket.send.buffer.bytes": "4096"}) as broker, Client(broker.port) as client:
            fill_until_held_back(client)
            self.assertEqual(broker.stop(), 1, broker.log())
            broker.logged("stop.drain.max.ms")

    def test_without_time_to_drain_only_replies_under_way_make_a_stop_hasty(self):
        with Broker({"stop.drain.max.ms": "0"}) as broker:
            self.assertEqual(broker.stop(), 0, broker.log())
        with Broker({"stop.drain.max.ms": "0"}) as broker, Client(broker.port) as client, Client(broker.port) as half, Client(broker.port) as third:
            for number in range(5):
                client.exchange(api_versions(0, number))
                third.exchange(api_versions(0, number))
            half.send(struct.pack(">i", 1000) + b"half")
            eventually(lambda: nothing_under_way(broker.port), "both sides to have taken everything")
            self.assertEqual(broker.stop(), 0, broker.log())
        with Broker({"stop.drain.max.ms": "0", "socket.send.buffer.bytes": "4096"}) as broker, Client(broker.port) as client:
            fill_until_held_back(client)
            self.assertEqual(broker.stop(), 1, broker.log())

    def test_a_second_signal_stops_at_once(self):
        with Broker({"stop.drain.max.ms": "600000", "socket.send.buffer.bytes": "4096"}) as broker, Client(broker.port) as client:
            fill_until_held_back(client)
            broker.signal()
            broker.logged("asked to stop")
            broker.signal()
            self.assertEqual(broker.wait(), 1, broker.log())

    def test_replies_under_way_are_sent_before_the_end(self):
        with Broker({"socket.send.buffer.bytes": "4096"}) as broker, Client(broker.port) as client:
            fill_until_held_back(client)
            broker.signal()
            broker.logged("asked to stop")
            taken = client.until_ended()
            self.assertGreater(len(taken), 0)
            (length,) = struct.unpack(">i", taken[:4])
            self.assertEqual(len(taken) % (4 + length), 0, "whole replies, which all have the same length")
            self.assertEqual(broker.wait(), 0, broker.log())


class Limits(unittest.TestCase):
    def assert_closed(self, client):
        self.assertEqual(client.until_closed(), b"")

    def test_a_connection_without_a_whole_request_is_closed(self):
        with Broker({"connections.first.request.max.ms": "200"}) as broker:
            for data in (b"", api_versions(0)[:-1], struct.pack(">i", 100)):
                with Client(broker.port) as client:
                    client.send(data)
                    self.assert_closed(client)

    def test_an_idle_connection_is_closed_and_single_bytes_do_not_help(self):
        with Broker({"connections.max.idle.ms": "300"}) as broker:
            with Client(broker.port) as client:
                client.exchange(api_versions(0))
                self.assert_closed(client)
            with Client(broker.port) as client:
                client.exchange(api_versions(0))
                client.socket.settimeout(0.02)
                for byte in struct.pack(">i", 5000) + b"x" * 2000:
                    client.send(bytes([byte]))
                    try:
                        if client.socket.recv(1) == b"":
                            break
                    except socket.timeout:
                        continue
                    except ConnectionResetError:
                        break
                else:
                    self.fail("still open")

    def test_frames_above_the_configured_size_close(self):
        with Broker({"socket.request.max.bytes": "100"}) as broker:
            with Client(broker.port) as client:
                self.assertEqual(client.exchange(frame(header(18, 0) + b"x" * 90))[:2], (7, 0))
                client.send(struct.pack(">i", 101))
                self.assert_closed(client)

    def test_an_address_has_its_maximum(self):
        with Broker({"max.connections.per.ip": "2"}) as broker:
            with Client(broker.port) as one, Client(broker.port) as two:
                one.exchange(api_versions(0))
                two.exchange(api_versions(0))
                with Client(broker.port) as three:
                    self.assert_closed(three)
                broker.logged("max.connections.per.ip")
                one.close()

                def served_again():
                    with Client(broker.port) as another:
                        try:
                            return another.exchange(api_versions(0))[:2] == (7, 0)
                        except (AssertionError, ConnectionResetError):
                            return False
                eventually(served_again, "room for the address again")

    def test_at_the_total_maximum_the_next_one_waits(self):
        with Broker({"max.connections": "1"}) as broker:
            with Client(broker.port) as one:
                one.exchange(api_versions(0))
                waiting = Client(broker.port)
                self.addCleanup(waiting.close)
                waiting.send(api_versions(0, 2))
                self.assertEqual(one.exchange(api_versions(0, 3))[:2], (3, 0))
                waiting.socket.settimeout(0.3)
                with self.assertRaises(socket.timeout):
                    waiting.socket.recv(1)
                waiting.socket.settimeout(60)
            self.assertEqual(waiting.answer()[:2], (2, 0))

    def test_the_total_maximum_counts_over_all_listeners(self):
        with Broker({"listeners": "A://127.0.0.1:0,B://127.0.0.1:0", "listener.security.protocol.map": "A:PLAINTEXT,B:PLAINTEXT",
                     "max.connections": "1"}) as broker:
            first, second = [int(port) for port in re.findall(r"clients connect to \S+:(\d+)", broker.log())]
            with Client(first) as one:
                one.exchange(api_versions(0))
                waiting = Client(second)
                self.addCleanup(waiting.close)
                waiting.send(api_versions(0, 2))
                waiting.socket.settimeout(0.3)
                with self.assertRaises(socket.timeout):
                    waiting.socket.recv(1)
                waiting.socket.settimeout(60)
            self.assertEqual(waiting.answer()[:2], (2, 0))

    def test_accepting_goes_on_after_descriptors_ran_out(self):
        with Broker(descriptors_max=40) as broker:
            clients = []
            self.addCleanup(lambda: [client.close() for client in clients])
            clients.append(Client(broker.port))
            self.assertEqual(clients[0].exchange(api_versions(0))[:2], (7, 0))
            for _ in range(60):
                clients.append(Client(broker.port))
            broker.logged("can't accept")
            self.assertEqual(clients[0].exchange(api_versions(0))[:2], (7, 0), "those that are served stay so")
            for client in clients[1:50]:
                client.close()
            self.assertEqual(clients[-1].exchange(api_versions(0))[:2], (7, 0))
            self.assertEqual(broker.stop(), 0)

    def test_an_idle_connection_costs_little_memory(self):
        count = 50 if SANITIZED else 500
        with Broker() as broker:
            warm = [Client(broker.port) for _ in range(20)]
            for client in warm:
                client.exchange(api_versions(3))
            before = broker.resident_bytes()
            clients = [Client(broker.port) for _ in range(count)]
            self.addCleanup(lambda: [client.close() for client in warm + clients])
            for client in clients:
                client.exchange(api_versions(3))
            each = (broker.resident_bytes() - before) / count
            print(f"\nan idle connection: {each:.0f} bytes; ready after {broker.ready_after_seconds * 1000:.0f} ms; "
                  f"empty: {before / MIB:.1f} MiB", flush=True)
            if not SANITIZED:
                self.assertLess(each, 4096)
                self.assertLess(before, 16 * MIB)


class Logging(unittest.TestCase):
    def test_the_banner_says_what_runs(self):
        with Broker({"node.id": "5", "cluster.id": "a-cluster"}) as broker:
            self.assertEqual(broker.stop(), 0)
            for part in ("Braid ", "commit=", "storage.layout=commitlog", "flush.mode=sync", f"loops={LOOPS}", "node.id=5", "cluster.id=a-cluster",
                         f"clients connect to 127.0.0.1:{broker.port}", "listener=PLAINTEXT", "BrokerLifecycleManager id=5"):
                self.assertIn(part, broker.log())
            for line in broker.log_lines:
                self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (info|warning|error) +[a-z]+: ")

    def test_lines_are_objects_or_pairs_when_asked(self):
        with Broker(arguments=("--log-format", "json")) as broker, Client(broker.port) as client:
            client.send(b"GET / HTTP/1.1\r\n\r\n")
            client.until_closed()
            broker.logged("HTTP")
            self.assertEqual(broker.stop(), 0)
            for line in broker.log_lines:
                self.assertLessEqual({"time", "level", "component", "message"}, json.loads(line).keys())
        with Broker(environment={"BRAID_LOG_FORMAT": "logfmt"}) as broker:
            self.assertEqual(broker.stop(), 0)
            for line in broker.log_lines:
                self.assertRegex(line, r"^time=\S+Z level=\w+ component=\w+ message=")

    def test_a_flood_of_bad_frames_leaves_few_lines(self):
        with Broker() as broker:
            for _ in range(300):
                with Client(broker.port) as client:
                    client.send(frame(b""))
                    client.until_closed()
            self.assertEqual(broker.stop(), 0)
            lines = [line for line in broker.log_lines if "no request header" in line]
            self.assertGreater(len(lines), 0)
            self.assertLess(len(lines), 150)

    def test_several_listeners_are_told_and_served(self):
        with Broker({"listeners": "A://127.0.0.1:0,B://127.0.0.1:0,C://:0", "listener.security.protocol.map": "A:PLAINTEXT,B:PLAINTEXT,C:PLAINTEXT",
                     "controller.listener.names": "C"}) as broker:
            ports = [int(port) for port in re.findall(r"clients connect to \S+:(\d+)", broker.log())]
            self.assertEqual(len(ports), 2, broker.log())
            for port in ports:
                with Client(port) as client:
                    self.assertEqual(client.exchange(api_versions(3))[:2], (7, 0))


class Configuration(unittest.TestCase):
    def print_config(self, *arguments, environment=None):
        done = run("serve", "--print-config", "--format", "json", *arguments, environment=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_later_sources_win_and_are_named(self):
        file = config_file("num.partitions=2\nnum.io.threads = 2\nnum.network.threads: 2\nbroker.rack=\\u00e9\n")
        self.addCleanup(file.close)
        shown = self.print_config(file.name, "--override", "num.partitions=4",
                                  environment={"KAFKA_NUM_PARTITIONS": "3", "KAFKA_NUM_IO_THREADS": "3", "KAFKA_HEAP_OPTS": "-Xmx1G"})
        self.assertEqual(shown["num.partitions"], {"value": "4", "source": "command line", "where": "--override", "type": "int"})
        self.assertEqual(shown["num.io.threads"], {"value": "3", "source": "environment", "where": "KAFKA_NUM_IO_THREADS", "type": "int"})
        self.assertEqual(shown["num.network.threads"]["where"], file.name + ":3")
        self.assertEqual(shown["broker.rack"]["value"], "é")
        self.assertEqual(shown["background.threads"], {"value": "10", "source": "default", "type": "int"})
        self.assertIsNone(shown["log.dirs"]["value"])
        named = run("serve", "--config", file.name, "--print-config")
        self.assertIn("\nnum.partitions\t2\tfile ", named.stdout)

    def test_secrets_are_never_shown(self):
        file = config_file("ssl.key.password=hush1\nno.such.key=hush2\nlistener.name.a.sasl.jaas.config=hush3\n")
        self.addCleanup(file.close)
        for arguments in (("--print-config",), ("--print-config", "--format", "json"), ("--check-config",)):
            done = run("serve", file.name, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("hush", done.stdout + done.stderr)

    def test_an_unknown_key_is_warned_of_once(self):
        done = run("serve", "--check-config", "--override", "no.such.key=1", "--override", "no.such.key=2")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("no.such.key"), 1)
        self.assertIn("warning", done.stderr)

    def test_bad_values_and_usage_exit_with_2_and_say_why(self):
        broken = config_file("a=\\u12\n")
        self.addCleanup(broken.close)
        for arguments, says in (
                (("serve", "--check-config", "--override", "num.partitions=0"), "num.partitions=0 (--override): too small; allowed:"),
                (("serve", "--override", "listeners=SSL://:9093"), "not opened unprotected"),
                (("serve", "--override", "authorizer.class.name=x"), "unsafe"),
                (("serve", "--override", "num.partitions"), "KEY=VALUE"),
                (("serve", "/no/such/file"), "can't open"),
                (("serve", broken.name), ":1: "),
                (("serve", broken.name, "--config", broken.name), "named twice"),
                (("serve", "--config", ""), "empty"),
                (("serve", ""), "empty"),
                (("serve", "--format", "xml"), "xml"),
                (("serve", "--no-such-option"), "no-such-option"),
                (("no-such-command",), "subcommand"),
                ((), "subcommand")):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(says, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_only_a_regular_file_is_read_as_configuration(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            for path, says in ((pipe, "is a pipe or a device"), ("/dev/zero", "is a pipe or a device"), (folder, "is a folder")):
                with self.subTest(path=path):
                    done = run("serve", path)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn(says, done.stderr)

    def test_a_file_in_another_encoding_is_refused(self):
        for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
            with self.subTest(encoding=encoding), tempfile.NamedTemporaryFile() as file:
                file.write("num.partitions=3\n".encode(encoding))
                file.flush()
                done = run("serve", file.name, "--check-config")
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"{file.name}:1: a NUL byte", done.stderr)

    def test_however_much_is_wrong_little_is_said(self):
        same_name = ",".join(f"A://:{number}" for number in range(2000))
        many_keys = "".join(f"no.such.key.{number}=1\n" for number in range(50_000))
        for text, code, says in ((f"listeners={same_name}\n", 2, "and 1900 more like these"), (f"listeners={'x,' * 100_000}x\n", 2, "bytes)"),
                                 (many_keys, 0, "and 49500 more like these"), (f"num.partitions={'9' * 900_000}\n", 2, "900000 bytes")):
            file = config_file(text)
            self.addCleanup(file.close)
            done = run("serve", file.name, "--check-config")
            with self.subTest(says=says):
                self.assertEqual(done.returncode, code)
                self.assertTrue(says in done.stderr, done.stderr[-500:])
                self.assertLess(len(done.stderr), 256 * 1024)

    def test_a_long_host_that_can_not_be_listened_on_is_cut(self):
        file = config_file(f"listeners=PLAINTEXT://{'x' * 100_000}:9092\n")
        self.addCleanup(file.close)
        done = start_in_vain(file.name)
        self.assertEqual(done.returncode, 1)
        self.assertTrue("… (100000 bytes):9092: " in done.stderr, done.stderr[-500:])
        self.assertLess(len(done.stderr), 1000)

    def test_a_variable_for_the_log_is_named_when_it_is_wrong(self):
        for variable in ("BRAID_LOG_FORMAT", "BRAID_LOG_LEVEL"):
            done = run("serve", "--check-config", environment={variable: "loud"})
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"the variable {variable} is loud; it must be one of ", done.stderr)
            self.assertNotIn("--log", done.stderr)
        done = run("serve", "--check-config", "--log-level", "info", "--log-format", "text",
                   environment={"BRAID_LOG_FORMAT": "loud", "BRAID_LOG_LEVEL": "loud"})
        self.assertEqual(done.returncode, 0, "the command line wins: " + done.stderr)

    def test_every_problem_is_named_at_once(self):
        done = run("serve", "--check-config", "--override", "num.partitions=0", "--override", "num.io.threads=x")
        self.assertEqual(len([line for line in done.stderr.splitlines() if " error " in line]), 2, done.stderr)

    def test_a_good_configuration_is_checked_without_starting(self):
        done = run("serve", "--check-config", "--override", "listeners=PLAINTEXT://127.0.0.1:1")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_all_addresses_are_never_advertised_as_such(self):
        done = run("serve", "--check-config", "--override", "listeners=PLAINTEXT://:1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning", done.stderr)
        self.assertIn(f"clients are told this host's name, {socket.gethostname()}", done.stderr)

    def test_what_is_printed_can_be_read_by_programs_and_terminals(self):
        shown = self.print_config("--override", b"broker.rack=a\xff\x1b[31m")
        self.assertEqual(shown["broker.rack"]["value"], "a\\xff\\x1b[31m")
        text = run("serve", "--print-config", "--override", b"broker.rack=\x1b[31m").stdout
        self.assertIn("\nbroker.rack\t\\x1b[31m\t", text)

    def test_a_secret_in_a_malformed_override_is_not_shown(self):
        done = run("serve", "--override", "ssl.key.password:hush", "--override", "=hush")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("hush", done.stderr)
        self.assertIn("number 2", done.stderr)

    def test_a_file_of_many_continued_lines_is_read_at_once(self):
        file = config_file("broker.rack=" + "\\\\\\\n" * 100_000 + "end\n")
        self.addCleanup(file.close)
        done = run("serve", file.name, "--check-config")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_address_in_use_exits_with_1(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            done = start_in_vain("--override", f"listeners=PLAINTEXT://127.0.0.1:{taken.getsockname()[1]}")
            self.assertEqual(done.returncode, 1)
            self.assertIn("can't listen on 127.0.0.1", done.stderr)

    def test_help_and_version_go_to_standard_output(self):
        for arguments, says in ((("--help",), "serve"), (("serve", "--help"), "--override"), (("--version",), "commit"), (("version",), "commit")):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(says, done.stdout)


if __name__ == "__main__":
    print("testing", os.path.abspath(PROGRAM))
    unittest.main()
