"""Frames as bytes, and a client that sends them one way or another."""

import socket
import struct

from braid_process import PATIENCE_SECONDS


def frame(body):
    return struct.pack(">i", len(body)) + body


def header(key, version, correlation_id=7, client_id=None, flexible=False):
    client = struct.pack(">h", -1) if client_id is None else struct.pack(">h", len(client_id)) + client_id
    return struct.pack(">hhi", key, version, correlation_id) + client + (b"\0" if flexible else b"")


def api_versions(version=0, correlation_id=7, body=None):
    """One whole request."""
    if body is None:
        body = b"" if version < 3 else b"\x05test\x041.0" + (b"\0\xff\xff\xff\xff" if version >= 5 else b"") + b"\0"
    return frame(header(18, version, correlation_id, flexible=version >= 3) + body)


class Client:
    """One connection. Every wait has a bound."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (ConnectionResetError, BrokenPipeError):
            pass  # closed already; what the test expects shows when it reads

    def receive_exactly(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise AssertionError(f"closed after {len(data)} of {count} bytes")
            data += part
        return bytes(data)

    def receive_frame(self):
        return self.receive_exactly(struct.unpack(">i", self.receive_exactly(4))[0])

    def answer(self):
        """Correlation id, error code and the rest of an ApiVersions answer."""
        data = self.receive_frame()
        correlation_id, error = struct.unpack(">ih", data[:6])
        return correlation_id, error, data[6:]

    def exchange(self, data):
        self.send(data)
        return self.answer()

    def until_closed(self):
        """Whatever still comes before the other side closes; fails when it does not close."""
        data = bytearray()
        while True:
            try:
                part = self.socket.recv(65536)
            except (ConnectionResetError, BrokenPipeError):
                return bytes(data)
            except socket.timeout as late:
                raise AssertionError("the connection is still open") from late
            if not part:
                return bytes(data)
            data += part

    def until_ended(self):
        """Whatever still comes before the other side says that this was all; a reset may have dropped some of it."""
        data = bytearray()
        while part := self.socket.recv(50):  # slowly: the other side has long sent everything
            data += part
        return bytes(data)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
