"""More than the broker has memory for, and clients that are slow or silent: what it takes stays bounded, and the others are served."""

import pathlib
import random
import re
import resource
import selectors
import socket
import struct
import time
import unittest

from braid_process import PATIENCE_SECONDS, SANITIZED, Broker
from records_on_the_wire import create_topic, fetch, fetch_request, produce, produce_error, produce_request, record_batch
from wire import Client, api_versions

MIB = 1 << 20
LARGE = record_batch(value=b"x" * (MIB - 256))


def peak_resident_bytes(broker):
    status = pathlib.Path(f"/proc/{broker.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024


class Producer:
    """Sends one request again and again, several at a time, and reads its answers; never waits."""

    def __init__(self, port, request, rounds, in_flight):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.request = memoryview(request)
        self.left = rounds
        self.in_flight_max = in_flight
        self.in_flight = 0
        self.sent = 0  # of the request on its way
        self.received = bytearray()
        self.errors = []

    def done(self):
        return self.left == 0 and self.in_flight == 0

    def wants(self):
        sends = self.left > 0 and self.in_flight < self.in_flight_max
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if sends else 0)

    def act(self, events):
        if events & selectors.EVENT_WRITE and self.left > 0 and self.in_flight < self.in_flight_max:
            self.sent += self.socket.send(self.request[self.sent:self.sent + 256 * 1024])
            if self.sent == len(self.request):
                self.sent = 0
                self.left -= 1
                self.in_flight += 1
        if events & selectors.EVENT_READ:
            part = self.socket.recv(65536)
            if not part:
                raise AssertionError("the broker closed the connection of a producer that behaves")
            self.received += part
            while len(self.received) >= 4:
                size = struct.unpack(">i", self.received[:4])[0] + 4
                if len(self.received) < size:
                    break
                self.errors.append(produce_error(bytes(self.received[4:size]))[0])
                del self.received[:size]
                self.in_flight -= 1


def drive(producers, watch=lambda: None):
    """Until all are done; `watch` is called now and then."""
    end = time.monotonic() + 5 * PATIENCE_SECONDS
    with selectors.DefaultSelector() as selector:
        for producer in producers:
            selector.register(producer.socket, producer.wants(), producer)
        open_count = len(producers)
        while open_count:
            if time.monotonic() > end:
                raise AssertionError(f"{open_count} producers are not done: somebody starves")
            for key, events in selector.select(timeout=1):
                producer = key.data
                producer.act(events)
                if producer.done():
                    selector.unregister(producer.socket)
                    producer.socket.close()
                    open_count -= 1
                elif key.events != producer.wants():
                    selector.modify(producer.socket, producer.wants(), producer)
            watch()


class Requests(unittest.TestCase):
    def test_many_producers_of_large_batches_stay_within_the_memory_for_requests(self):
        # 200 connections with five requests of 1 MiB each want 1 GiB. They and the log's tail get 160 MiB; the process stays
        # below 256 with what the allocator keeps between them.
        count, rounds = (20, 2) if SANITIZED else (200, 4)
        budget = 96 * MIB
        overrides = {"queued.max.request.bytes": str(budget), "commitlog.tail.bytes": str(64 * MIB), "flush.mode": "async"}
        with Broker(overrides) as broker:
            create_topic(broker.port, "t", partitions=8)
            request = produce_request("t", 0, LARGE)
            producers = [Producer(broker.port, request, rounds, in_flight=5) for _ in range(count)]
            drive(producers)
            self.assertEqual([error for producer in producers for error in producer.errors], [0] * (count * rounds))
            peak = peak_resident_bytes(broker)
            print(f"\n{count} producers of 1 MiB: at most {peak / MIB:.0f} MiB resident", flush=True)
            if not SANITIZED:
                self.assertLess(peak, 256 * MIB)

    def test_requests_that_stop_half_way_lose_their_memory_to_those_that_go_on(self):
        with Broker({"queued.max.request.bytes": str(4 * MIB)}, arguments=("--log-level", "debug")) as broker:
            create_topic(broker.port, "t", partitions=1)
            request = produce_request("t", 0, LARGE)
            halves = [Client(broker.port) for _ in range(8)]
            for half in halves:
                half.send(api_versions())
                half.answer()
                half.send(request[:len(request) // 2])
            with Client(broker.port) as client:
                self.assertEqual(produce(client, "t", 0, batch=LARGE).error, 0, "they hold the memory for no longer than 10 s")
            broker.logged("too slowly while memory is short")
            for half in halves:
                half.close()

    def test_a_request_larger_than_all_of_the_memory_is_served(self):
        with Broker({"queued.max.request.bytes": str(MIB // 2)}) as broker, Client(broker.port) as client:
            create_topic(broker.port, "t", partitions=1)
            for _ in range(3):
                self.assertEqual(produce(client, "t", 0, batch=LARGE).error, 0)

    def test_writers_of_single_bytes_hurt_nobody(self):
        count = 20 if SANITIZED else 200
        with Broker() as broker, Client(broker.port) as client:
            create_topic(broker.port, "t", partitions=1)
            request = produce_request("t", 0, record_batch(value=b"x" * 1000))
            writers = [Client(broker.port) for _ in range(count)]
            before = broker.resident_bytes()
            for at in range(40):
                for writer in writers:
                    writer.send(request[at:at + 1])
                self.assertEqual(produce(client, "t", 0).error, 0)
            self.assertLess((broker.resident_bytes() - before) / count, 16 * 1024)
            for writer in writers[:5]:
                writer.send(request[40:])
                self.assertEqual(produce_error(writer.receive_frame())[0], 0, "slow, and served in the end")
            for writer in writers:
                writer.close()


class Compressed(unittest.TestCase):
    def test_large_compressed_batches_keep_the_order_of_their_connection(self):
        # Large ones are unpacked by other threads; small ones behind them must not pass.
        noise = random.Random(7).randbytes(150_000)
        large = record_batch(value=noise, compressed=True)
        small = record_batch()
        self.assertGreater(len(large), 100_000)
        with Broker({"flush.mode": "async"}) as broker, Client(broker.port) as client:
            create_topic(broker.port, "t", partitions=1)
            count = 40
            for number in range(count):
                client.send(produce_request("t", 0, small if number % 4 else large, correlation_id=number))
                if number % 8 == 7:
                    offsets = [produce_error(client.receive_frame()) for _ in range(8)]
                    self.assertEqual(offsets, [(0, offset) for offset in range(number - 7, number + 1)])
            _, data = fetch(client, "t", 0)
            self.assertEqual(len(data), count // 4 * (len(large) + 3 * len(small)))
            damaged = large[:-1] + bytes([large[-1] ^ 1])
            self.assertEqual(produce(client, "t", 0, batch=damaged).error, 2)


class SlowReaders(unittest.TestCase):
    def test_answers_that_nobody_takes_are_bounded_and_hold_up_no_other(self):
        count = 8 if SANITIZED else 60
        overrides = {"fetch.memory.bytes": str(16 * MIB), "flush.mode": "async", "socket.send.buffer.bytes": "16384"}
        with Broker(overrides, arguments=("--log-level", "debug")) as broker, Client(broker.port) as client:
            create_topic(broker.port, "t", partitions=1)
            for _ in range(40):
                self.assertEqual(produce(client, "t", 0, batch=LARGE).error, 0)
            before = broker.resident_bytes()
            readers = []
            for _ in range(count):
                reader = Client(broker.port)
                reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                reader.send(fetch_request("t", 0, bytes_min=1, wait_ms=1000) * 3)
                readers.append(reader)
            offset = 0
            end = time.monotonic() + 2 * PATIENCE_SECONDS
            while offset < 40:
                self.assertLess(time.monotonic(), end, f"a reader that reads is held up at {offset}")
                client.send(fetch_request("t", 0, offset, bytes_min=1, wait_ms=500, bytes_max=2 * MIB))
                answer = client.receive_frame()
                size = struct.unpack_from(">i", answer, 4 + 4 + 4 + 2 + 1 + 4 + 4 + 2 + 8 + 8 + 4)[0]
                offset += round(size / len(LARGE))
            grown = broker.resident_bytes() - before
            print(f"\n{count} readers that do not read: {grown / MIB:.0f} MiB", flush=True)
            if not SANITIZED:
                self.assertLess(grown, 64 * MIB)
            broker.logged("too slowly while memory is short")
            for reader in readers:
                reader.close()


class IdleConnections(unittest.TestCase):
    def test_no_more_are_accepted_in_a_second_than_may_be(self):
        rate = 20
        with Broker({"max.connection.creation.rate": str(rate)}) as broker:
            begin = time.monotonic()
            clients = [Client(broker.port) for _ in range(2 * rate)]  # the kernel takes them
            for client in clients:
                client.exchange(api_versions())
            self.assertGreater(time.monotonic() - begin, 0.9, "a second's worth at once, and the others in the next")
            for client in clients:
                client.close()

    def test_ten_thousand_hurt_nobody(self):
        spare = 500
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 1000 if SANITIZED else 10_000
        if hard != resource.RLIM_INFINITY and hard < wanted + spare:
            wanted = hard - spare
            print(f"\nthis machine allows {hard} descriptors: {wanted} connections", flush=True)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted + spare), hard))
        with Broker({"socket.listen.backlog.size": "1024"}, descriptors_max=wanted + spare) as broker, Client(broker.port) as client:
            create_topic(broker.port, "t", partitions=1)
            produce(client, "t", 0)
            before = broker.resident_bytes()
            idle = []
            for _ in range(wanted):
                idle.append(socket.create_connection(("127.0.0.1", broker.port), timeout=PATIENCE_SECONDS))
            for connection in idle[::100]:
                connection.sendall(api_versions())
                self.assertTrue(connection.recv(1000))
            each = (broker.resident_bytes() - before) / wanted
            begin = time.monotonic()
            for _ in range(100):
                self.assertEqual(produce(client, "t", 0).error, 0)
            took = (time.monotonic() - begin) / 100
            print(f"\n{wanted} idle connections: {each:.0f} bytes each; a produce takes {took * 1000:.1f} ms", flush=True)
            self.assertEqual(fetch(client, "t", 0)[0], 101)
            if not SANITIZED:
                self.assertLess(each, 4096)
            for connection in idle:
                connection.close()
            self.assertEqual(broker.stop(), 0)


if __name__ == "__main__":
    unittest.main()
