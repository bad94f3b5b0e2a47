"""Ordinary requests, one function per kind. Each completes one task and raises an exception on failure."""
import base64
import http.client
import io
import json
import os
import pathlib
import random
import socket
import struct
import subprocess
import tempfile
import time
import zipfile

from service import ROOT

#: Seconds after which an answer counts as missing.
PATIENCE = 300
PHOTO = (ROOT / "Tests/Photos/cat.jpg").read_bytes()
#: The statuses that a busy service may answer with.
BUSY = {429, 503}


class Client:
    def __init__(self, service):
        self.address = service.address

    def ask(self, method, path, body=None, headers=None, expected=(200, 201, 202, 204)):
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status not in expected and answer.status not in BUSY:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:200]!r}")
        return answer.status, content

    def post(self, path, body, kind="image/jpeg"):
        return self.ask("POST", path, body, {"Content-Type": kind})

    def items(self, path):
        return json.loads(self.ask("GET", path)[1]).get("items", [])


def fresh_photo():
    """The same picture in a new file. A comment at its end makes it unique."""
    comment = os.urandom(8).hex().encode()
    return PHOTO[:2] + b"\xff\xfe" + struct.pack(">H", len(comment) + 2) + comment + PHOTO[2:]


def answer_without_saving(client):
    client.post("/classify?save=false", PHOTO)


def save(client):
    client.post("/classify", fresh_photo())


def detect(client):
    client.post("/detect", PHOTO)


def multipart(client):
    body = b'--b\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n' + PHOTO + b"\r\n--b--\r\n"
    client.post("/classify?save=false", body, "multipart/form-data; boundary=b")


def base64_photo(client):
    body = json.dumps({"image": base64.b64encode(PHOTO).decode()})
    client.post("/classify?save=false", body, "application/json")


def broken_photo(client):
    broken = PHOTO[:2000] + os.urandom(500)
    client.ask("POST", "/classify?save=false", broken, {"Content-Type": "image/jpeg"}, (200, 400, 415, 422))


def abort(client):
    """Announces a photo, sends a part of it, and disconnects."""
    with socket.create_connection(client.address, timeout=PATIENCE) as peer:
        head = "POST /classify HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\n"
        peer.sendall(f"{head}Content-Length: {len(PHOTO)}\r\n\r\n".encode() + PHOTO[: random.randrange(len(PHOTO))])
        if random.random() < 0.5:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def page(client):
    client.ask("GET", "/")
    client.ask("GET", "/breeds?limit=20")


def look_at_history(client):
    for scan in client.items("/history?limit=5"):
        client.ask("GET", f"/history/{scan['id']}/photo", expected=(200, 404))


def delete_oldest(client):
    """Limits the history by deleting everything beyond the newest 200 scans."""
    total = json.loads(client.ask("GET", "/history?limit=1")[1]).get("total", 0)
    if total > 200:
        client.ask("DELETE", "/history")


def export(client):
    client.ask("GET", "/history/export?format=" + random.choice(["jsonl", "csv", "zip"]))


def export_and_leave(client):
    with socket.create_connection(client.address, timeout=PATIENCE) as peer:
        peer.sendall(b"GET /history/export?format=zip HTTP/1.1\r\nHost: localhost\r\n\r\n")
        peer.recv(4096)


def import_again(client):
    _, archive = client.ask("GET", "/history/export?format=zip&limit=20", expected=(200, 400))
    if not archive.startswith(b"PK"):
        _, archive = client.ask("GET", "/history/export?format=zip")
    client.post("/history/import", archive, "application/zip")


def camera(client, frames=20):
    with socket.create_connection(client.address, timeout=PATIENCE) as peer:
        peer.sendall(
            b"GET /live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        stream = peer.makefile("rb")
        status = int(stream.readline().split()[1])
        while stream.readline() != b"\r\n":
            pass
        if status in BUSY:
            return
        if status != 101:
            raise RuntimeError(f"/live: {status}")
        for _ in range(frames):
            # A mask of zeros leaves the payload as it is.
            peer.sendall(b"\x82\xff" + struct.pack(">Q", len(PHOTO)) + bytes(4) + PHOTO)
            message(stream)
        if random.random() < 0.5:
            peer.sendall(b"\x88\x80" + bytes(4))
            while message(stream) is not None:
                pass


def message(stream):
    head = stream.read(2)
    if len(head) < 2:
        return None
    length = head[1] & 0x7F
    if length == 126:
        length = struct.unpack(">H", stream.read(2))[0]
    elif length == 127:
        length = struct.unpack(">Q", stream.read(8))[0]
    content = stream.read(length)
    return None if head[0] & 0x0F == 8 else content


def lap_timer(client):
    status, made = client.post("/laps", '{"label":"sports_car"}', "application/json")
    if status == 201:
        client.ask("DELETE", "/laps/" + json.loads(made)["id"])


def film(client):
    status, answer = client.post("/videos?every=2", made_film(), "video/mp4")
    if status == 202:
        finish(client, "/videos/" + json.loads(answer)["id"])


def training(client):
    name = "soak"
    status, answer = client.post(f"/training?name={name}&iterations=5", made_classes(), "application/zip")
    if status == 202:
        finish(client, "/training/" + json.loads(answer)["id"])


def finish(client, path):
    """Waits for a job and removes it. A quarter of the jobs is cancelled at once."""
    patience = 0 if random.random() < 0.25 else PATIENCE
    end = time.monotonic() + patience
    while time.monotonic() < end and json.loads(client.ask("GET", path)[1]).get("state") in RUNNING:
        time.sleep(0.3)
    for _ in range(2):
        if client.ask("DELETE", path, expected=(200, 202, 204, 404, 409))[0] == 404:
            break


RUNNING = {"waiting", "working", "looking", "fitting", "saving"}
_made = {}


def made(name, make):
    if name not in _made:
        with tempfile.TemporaryDirectory() as folder:
            _made[name] = make(pathlib.Path(folder))
    return _made[name]


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-loglevel", "error", "-y", *map(str, arguments)], check=True)


def made_film():
    def make(folder):
        path = folder / "film.mp4"
        ffmpeg("-f", "lavfi", "-i", "testsrc=duration=2:size=320x240:rate=10", "-pix_fmt", "yuv420p", path)
        return path.read_bytes()
    return made("film", make)


def made_classes():
    def make(folder):
        output = io.BytesIO()
        with zipfile.ZipFile(output, "w") as archive:
            for label, source in [("tests", "testsrc"), ("bars", "mandelbrot")]:
                source += "=size=160x120:rate=5"
                ffmpeg("-f", "lavfi", "-i", source, "-frames:v", "6", folder / f"{label}-%d.jpg")
                for path in sorted(folder.glob(f"{label}-*.jpg")):
                    archive.writestr(f"{label}/{path.name}", path.read_bytes())
        return output.getvalue()
    return made("classes", make)


#: The kinds of tasks, each with its relative frequency.
ALL = {
    answer_without_saving: 20, save: 20, detect: 10, multipart: 5, base64_photo: 5, broken_photo: 5, abort: 20, page: 20,
    look_at_history: 10, delete_oldest: 2, export: 3, export_and_leave: 3, import_again: 1, camera: 3, lap_timer: 5,
    film: 2, training: 1,
}
