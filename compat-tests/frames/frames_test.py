"""Malformed, cut, odd and good frames against a running broker: the bad connection closes, and no other one notices."""

import os
import random
import socket
import struct
import unittest

from braid_process import SANITIZED, Broker, eventually
from wire import Client, api_versions, frame, header

RANDOM_FRAMES = int(os.environ.get("BRAID_RANDOM_FRAMES", "20000"))
MIB = 1024 * 1024
ANNOUNCED_MAX = 104857600


class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.broker = Broker()
        cls.addClassCleanup(cls.broker.kill)
        cls.witness = Client(cls.broker.port)
        cls.addClassCleanup(cls.witness.close)

    def tearDown(self):
        """The broker runs, and a connection that was there before is served."""
        self.assertIsNone(self.broker.process.poll(), self.broker.log())
        self.assertEqual(self.witness.exchange(api_versions(0, 99))[:2], (99, 0))

    def assert_closes(self, data, name=""):
        with self.subTest(name=name, data=data[:40].hex()), Client(self.broker.port) as client:
            client.send(data)
            self.assertEqual(client.until_closed(), b"")

    def assert_closes_or_refuses(self, data, name=""):
        with self.subTest(name=name, data=data[:40].hex()), Client(self.broker.port) as client:
            client.send(data)
            client.socket.shutdown(socket.SHUT_WR)
            reply = client.until_closed()
            if reply:
                self.assertEqual(struct.unpack(">h", reply[8:10])[0], 42)

    def assert_serves(self, data, name=""):
        with self.subTest(name=name, data=data[:40].hex()), Client(self.broker.port) as client:
            self.assertEqual(client.exchange(data)[:2], (7, 0))
            self.assertEqual(client.exchange(api_versions(0, 8))[:2], (8, 0), "the next frame is read from its beginning")

    def test_frames_without_room_for_a_header_close(self):
        for length in (0, 1, 3):
            self.assert_closes(frame(b"\0" * length))

    def test_lengths_that_are_none_close_before_the_body_comes(self):
        for length in (-1, -2**31, 2**31 - 1, ANNOUNCED_MAX + 1):
            self.assert_closes(struct.pack(">i", length))
            self.assert_closes(struct.pack(">i", length) + b"x" * 4096)

    def test_other_protocols_are_recognised(self):
        for data, says in ((b"GET / HTTP/1.1\r\n\r\n", "HTTP"), (b"HTTP/1.1 200 OK\r\n\r\n", "HTTP"), (b"POST / HTTP/1.1\r\n", "HTTP"),
                           (bytes.fromhex("1603010200010001fc0303"), "TLS")):
            # A broker of its own for each: the log lines of one are limited.
            with self.subTest(says=says), Broker() as broker, Client(broker.port) as client:
                client.send(data)
                self.assertEqual(client.until_closed(), b"")
                self.assertIn("looks like " + says, broker.logged("looks like")[0])

    def test_strings_that_do_not_fit_close_or_are_refused(self):
        for name, body in (("beyond the rest", b"\x7fab"), ("huge", b"\xff\xff\xff\xff\x0fab"), ("null", b"\0\x02a\0"), ("cut varint", b"\xff"),
                           ("varint of six bytes", b"\x80\x80\x80\x80\x80\x00"), ("above 32767", b"\xc1\xb8\x02" + b"a" * 40000 + b"\x02a\0")):
            self.assert_closes_or_refuses(api_versions(3, body=body), name)
        for length in (-2, -32768, 1, 32767):
            self.assert_closes(frame(struct.pack(">hhih", 18, 0, 7, length)), "client id")

    def test_tags_that_do_not_fit_close(self):
        names = b"\x02a\x02b"
        for name, tags in (("2^31 of them", b"\x80\x80\x80\x80\x08"), ("size beyond the rest", b"\x01\x05\x7faa"),
                           ("size 2^32 - 1", b"\x01\x05\xff\xff\xff\xff\x0f"), ("cut", b"\x02\x05\x00"), ("count of six bytes", b"\x80" * 5 + b"\0")):
            self.assert_closes(api_versions(3, body=names + tags), "body: " + name)
            self.assert_closes(frame(header(18, 3) + tags), "header: " + name)

    def test_unknown_repeated_and_unordered_tags_are_skipped(self):
        names = b"\x02a\x02b"
        self.assert_serves(api_versions(3, body=names + b"\x01\x63\x03abc"), "unknown")
        self.assert_serves(api_versions(3, body=names + b"\x03\x09\x00\x09\x01a\x02\x00"), "repeated and unordered")
        self.assert_serves(frame(header(18, 3) + b"\x01\x00\x02zz" + names + b"\0"), "in the header")

    def test_surplus_bytes_are_ignored_and_never_read_into_the_next_frame(self):
        for version in range(6):
            self.assert_serves(frame(api_versions(version)[4:] + b"\x00\x00\x00\x0a\x00\x12surplus"), f"version {version}")

    def test_requests_cut_at_every_byte_close_without_waiting(self):
        for version in (0, 3, 5):
            whole = api_versions(version)[4:]
            for length in range(len(whole)):
                self.assert_closes(frame(whole[:length]), f"version {version}, {length} bytes")

    def test_requests_that_are_not_served_close(self):
        for name, body in (("unknown key", header(32000, 0)), ("negative key", header(-1, 0)), ("removed key", header(4, 7)),
                           ("between brokers", header(52, 0, flexible=True) + b"\0" * 20), ("array of 2^31 - 1", header(3, 1) + b"\x7f\xff\xff\xff"),
                           ("compact array of 2^32 - 1", header(3, 12, flexible=True) + b"\xff\xff\xff\xff\x0f"),
                           ("produce below its served versions", header(0, 2) + b"\0" * 20)):
            self.assert_closes(frame(body), name)

    def test_an_unknown_version_of_api_versions_is_answered(self):
        for version in (6, 127, 32767, -1):
            with self.subTest(version=version), Client(self.broker.port) as client:
                reply = client.exchange(frame(header(18, version) + b"\x99whatever"))
                self.assertEqual(reply, (7, 35, bytes.fromhex("00000001001200000005")))
                self.assertEqual(client.exchange(api_versions(0, 8))[:2], (8, 0), "clients fall back on the same connection")

    def test_a_frame_byte_by_byte_is_served(self):
        for version in range(6):
            with self.subTest(version=version), Client(self.broker.port) as client:
                for byte in api_versions(version):
                    client.send(bytes([byte]))
                self.assertEqual(client.answer()[:2], (7, 0))

    def test_many_frames_in_one_packet_are_answered_in_order(self):
        for count in (100, 5000):  # more than may be unanswered at once; more than one read takes
            with self.subTest(count=count), Client(self.broker.port) as client:
                client.send(b"".join(api_versions(number % 6, number) for number in range(count)))
                self.assertEqual([client.answer()[0] for _ in range(count)], list(range(count)))

    def test_a_large_frame_is_read_whole(self):
        with Client(self.broker.port) as client:
            body = header(18, 0) + os.urandom(3 * MIB)
            self.assertEqual(client.exchange(frame(body) + api_versions(0, 8))[:2], (7, 0))
            self.assertEqual(client.answer()[:2], (8, 0))

    def test_answers_that_precede_a_bad_frame_are_sent(self):
        with Client(self.broker.port) as client:
            client.send(api_versions(0, 1) + api_versions(0, 2) + frame(b""))
            self.assertEqual(client.answer()[0], 1)
            self.assertEqual(client.answer()[0], 2)
            self.assertEqual(client.until_closed(), b"")

    def test_announced_lengths_and_half_frames_cost_what_they_sent(self):
        count = 100 if SANITIZED else 1000
        clients = []
        self.addCleanup(lambda: [client.close() for client in clients])
        before = self.broker.resident_bytes()
        for _ in range(count):
            client = Client(self.broker.port)
            clients.append(client)
            client.send(struct.pack(">i", ANNOUNCED_MAX) + b"half")
        self.assertEqual(self.witness.exchange(api_versions(0, 3))[:2], (3, 0))
        # The broker has taken them all: it has read whatever came before a further request of the last one's loop.
        eventually(lambda: all(unread(client) == 0 for client in clients), "the half frames to be read")
        grown = self.broker.resident_bytes() - before
        print(f"\n{count} half frames of 100 MiB announced: {grown / count:.0f} bytes each", flush=True)
        if not SANITIZED:
            self.assertLess(grown, count * 12 * 1024)

    def test_a_client_that_does_not_read_is_held_back(self):
        with Client(self.broker.port) as client:
            before = self.broker.resident_bytes()
            client.socket.setblocking(False)
            requests = b"".join(api_versions(0, number) for number in range(1000))
            sent = 0
            blocked = 0
            while blocked < 20 and sent < 64 * MIB:
                try:
                    sent += client.socket.send(requests[sent % len(requests):])
                    blocked = 0
                except BlockingIOError:
                    blocked += 1
                    self.assertEqual(self.witness.exchange(api_versions(0, 4))[:2], (4, 0), "others are served meanwhile")
            self.assertLess(sent, 64 * MIB, "the broker must stop reading")
            grown = self.broker.resident_bytes() - before
            print(f"\na client that does not read: {sent} bytes taken, {grown} bytes more in memory", flush=True)
            if not SANITIZED:
                self.assertLess(grown, 4 * MIB)
            client.socket.setblocking(True)
            client.socket.settimeout(60)
            whole = sent // len(api_versions(0))
            for number in range(whole):
                self.assertEqual(client.answer()[0], number % 1000)

    def test_random_frames_and_mutations_close_or_are_answered(self):
        seed = int(os.environ.get("BRAID_SEED") or random.SystemRandom().randrange(2**32))
        print(f"\nrandom frames: {RANDOM_FRAMES}, seed {seed}", flush=True)
        dice = random.Random(seed)
        client = None
        closed = answered = 0
        for _ in range(RANDOM_FRAMES):
            client = client or Client(self.broker.port)
            client.send(frame(random_body(dice)))
            client.send(api_versions(0, 77))  # its answer comes unless the connection was closed
            while True:
                reply = read_reply(client)
                if reply is None:
                    client.close()
                    client = None
                    closed += 1
                    break
                self.assertGreaterEqual(len(reply), 10)
                if reply[:4] == struct.pack(">i", 77):
                    answered += 1
                    break
        if client:
            client.close()
        print(f"closed {closed}, answered {answered}", flush=True)
        self.assertGreater(closed, 0)
        self.assertGreater(answered, 0)


def unread(client):
    """Bytes that the broker has not taken from its socket yet, as far as this side can tell: those not acknowledged."""
    import fcntl
    siocoutq = 0x5411
    return struct.unpack("i", fcntl.ioctl(client.socket, siocoutq, b"\0" * 4))[0]


def random_body(dice):
    """Noise, or a good request with some bytes changed, cut, doubled or inserted."""
    if dice.random() < 0.3:
        return dice.randbytes(dice.randrange(64))
    body = bytearray(api_versions(dice.randrange(6), 5)[4:])
    for _ in range(dice.randrange(1, 4)):
        kind = dice.randrange(4)
        at = dice.randrange(len(body)) if body else 0
        if kind == 0 and body:
            body[at] ^= 1 << dice.randrange(8)
        elif kind == 1:
            del body[at:]
        elif kind == 2:
            body[at:at] = dice.randbytes(dice.randrange(1, 5))
        elif body:
            body[at] = dice.choice((0, 1, 0x7F, 0x80, 0xFF))
    return bytes(body)


def read_reply(client):
    """The next frame, or None when the connection was closed instead."""
    data = bytearray()
    while len(data) < 4 or len(data) < 4 + struct.unpack(">i", data[:4])[0]:
        want = 4 - len(data) if len(data) < 4 else 4 + struct.unpack(">i", data[:4])[0] - len(data)
        try:
            part = client.socket.recv(want)
        except (ConnectionResetError, BrokenPipeError):
            return None
        if not part:
            return None
        data += part
    return bytes(data[4:])


if __name__ == "__main__":
    unittest.main()
