"""A lap timer with a lap, made by a camera that shows a photo, nothing, and the photo again."""

import base64
import json
import os
import socket
import struct
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import photos

PHOTO = (Path(__file__).parent.parent / "Photos/cat.jpg").read_bytes()


class Camera:
    """The client's side of `GET /live`."""

    def __init__(self, url: str, key: str, query: str):
        host = urlsplit(url)
        self.socket = socket.create_connection((host.hostname, host.port), timeout=60)
        token = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /live?{query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {token}\r\n\r\n".encode())
        self.input = self.socket.makefile("rb")
        head = self.input.readline()
        assert b" 101 " in head, head
        while self.input.readline().strip():
            pass

    def send(self, payload: bytes, opcode: int):
        # The shortest form of the length is the only right one (RFC 6455 §5.2); a mask of zeros is one, too.
        length = len(payload)
        if length < 126:
            head = struct.pack("!BB4x", 0x80 | opcode, 0x80 | length)
        elif length < 65536:
            head = struct.pack("!BBH4x", 0x80 | opcode, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ4x", 0x80 | opcode, 0x80 | 127, length)
        self.socket.sendall(head + payload)

    def look(self, frame: bytes, at_ms: float) -> dict:
        self.send(json.dumps({"type": "frame", "at_ms": at_ms}).encode(), 1)
        self.send(frame, 2)
        return self.receive("answer")

    def receive(self, kind: str) -> dict:
        while True:
            length = struct.unpack("!xB", self.input.read(2))[0]
            if length == 126:
                length = struct.unpack("!H", self.input.read(2))[0]
            elif length == 127:
                length = struct.unpack("!Q", self.input.read(8))[0]
            message = json.loads(self.input.read(length))
            assert message["type"] != "problem", message
            if message["type"] == kind:
                return message

    def close(self):
        self.input.close()
        self.socket.close()


def ask(url: str, key: str, method: str, path: str, value=None):
    request = urllib.request.Request(
        url + path, data=None if value is None else json.dumps(value).encode(), method=method,
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        content = response.read()
        return json.loads(content) if content else None


def timer(url: str, key: str) -> str:
    """The id of a timer of the default kind."""
    return ask(url, key, "POST", "/laps", {"label": "car"})["id"]


def timer_with_lap(url: str, key: str) -> str:
    """The id of a timer whose lap 1 is closed."""
    # Of what the stream makes of its last frames the label loses and regains a third within a few of them.
    id = ask(url, key, "POST", "/laps", {"minimum_lap_s": 1, "threshold": 0.7})["id"]
    camera = Camera(url, key, f"laps={id}&detect=false")
    camera.look(PHOTO, 0)
    # A frame is with the timer a moment after its answer, and before the next one's.
    camera.look(PHOTO, 100)
    ask(url, key, "PUT", f"/laps/{id}/state", {"state": "start"})
    nothing = photos.bitmap((128, 128, 128), seed=1)
    for frame, at_ms in [(PHOTO, 200), *((nothing, 1000 + 200 * turn) for turn in range(5)),
                         *((PHOTO, 3000 + 100 * turn) for turn in range(9))]:
        camera.look(frame, at_ms)
    while not ask(url, key, "GET", f"/laps/{id}")["laps"]:
        time.sleep(0.05)
    camera.close()
    return id
