"""The requests to both servers, and the expected answers."""

import pathlib
import shutil
from dataclasses import dataclass

from servers import BENCHMARK, RunningServer

FILE_BYTES = 1_000_000
UPLOAD_BYTES = 200_000


@dataclass(frozen=True)
class Route:
    name: str
    path: str
    #: Requests per write when pipelining.
    depth: int
    #: The length of the body that the client sends.
    upload_bytes: int = 0

    def request(self) -> bytes:
        """A request in the form that wrk sends."""
        head = f"{'POST' if self.upload_bytes else 'GET'} {self.path} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n"
        if self.upload_bytes:
            head += f"Content-Length: {self.upload_bytes}\r\n"
        return head.encode() + b"\r\n" + b"x" * self.upload_bytes


ROUTES = [
    Route("GET /breeds/siamese", "/breeds/siamese", depth=16),
    Route("GET /livez", "/livez", depth=16),
    Route("GET 1 MB file", "/files/one_megabyte.bin", depth=4),
    Route("POST 200 KB", "/upload", depth=4, upload_bytes=UPLOAD_BYTES),
]


def prepare(folder: pathlib.Path) -> None:
    """Creates the files that the servers serve."""
    (folder / "files").mkdir()
    shutil.copy(BENCHMARK / "Payloads" / "siamese.json", folder)
    (folder / "files" / "one_megabyte.bin").write_bytes(bytes(range(250)) * (FILE_BYTES // 250))


def exchange(connection, route: Route) -> bytes:
    """Sends a request and reads its answer. Returns the body."""
    connection.sendall(route.request())
    received = bytearray()
    end = -1
    while end < 0:
        received += receive(connection)
        end = received.find(b"\r\n\r\n")
    head = bytes(received[:end])
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"{route.name}: {head[:100]!r}")
    length = next(
        int(line.partition(b":")[2]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
    body = received[end + 4:]
    while len(body) < length:
        body += receive(connection)
    return bytes(body)


def receive(connection) -> bytes:
    data = connection.recv(1 << 18)
    if not data:
        raise RuntimeError("The server closed the connection")
    return data


def check(server: RunningServer, folder: pathlib.Path) -> None:
    """Both servers must give the same answers before they are timed."""
    expected = [
        (folder / "siamese.json").read_bytes(), b'{"status":"alive"}',
        (folder / "files" / "one_megabyte.bin").read_bytes(), str(UPLOAD_BYTES).encode(),
    ]
    with server.connect() as connection:
        for route, body in zip(ROUTES, expected):
            if exchange(connection, route) != body:
                raise RuntimeError(f"{server.subject.name} answers {route.name} wrongly")
