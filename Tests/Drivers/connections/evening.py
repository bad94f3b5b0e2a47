"""Plays an evening on which a known animal comes home: evening.py BINARY PHOTO [CONFIGS [FOLDER]].

The test uses a film as a camera, a real mosquitto, a fake Frigate and a receiver of webhooks. The photo shows one
animal, which first gets a name. Then the animal comes into the film. The broker must get the events, and ON and OFF of
the animal's binary_sensor. The webhook must be called, Frigate must get a sub label, and the history must get a scan.

The test writes the entities for Home Assistant to the file CONFIGS. It writes the messages to the broker, the webhook
and Frigate into FOLDER.

Needs mosquitto, mosquitto_sub, mosquitto_pub and ffmpeg.
"""

import hashlib
import hmac
import http.client
import http.server
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

SECRET = b"an evening's secret"
ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY, PHOTO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def eventually(what: str, condition, seconds: float = 120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise SystemExit(f"evening: never happened: {what}")


class Neighbour(http.server.BaseHTTPRequestHandler):
    """A server that acts as the webhook's receiver and as Frigate."""

    told, labels, snapshots, requests = [], [], [], []
    trouble = 0

    def answer(self, status: int, body: bytes = b"", kind: str = "application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        # The path /api/events/ID/snapshot.jpg?crop=1&… belongs to Frigate.
        Neighbour.snapshots.append(self.path)
        if "missing" in self.path:
            self.answer(404, b'{"success":false,"message":"Snapshot not available"}')
        elif Neighbour.trouble > 0:
            Neighbour.trouble -= 1
            self.answer(500)
        else:
            self.answer(200, PHOTO.read_bytes(), "image/jpeg")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Neighbour.requests.append((self.requestline, dict(self.headers), body.decode()))
        if self.path == "/hook":
            time_sent = self.headers["Menagerie-Timestamp"]
            code = hmac.new(SECRET, time_sent.encode() + b"." + body, hashlib.sha256).hexdigest()
            assert self.headers["Menagerie-Signature"] == "sha256=" + code, "the signature is wrong"
            Neighbour.told.append(json.loads(body))
            self.answer(204)
        else:
            Neighbour.labels.append((self.path, json.loads(body)))
            self.answer(200, b'{"success":true,"message":"ok"}')

    def log_message(self, *_):
        pass


def request(port: int, method: str, path: str, body=None, kind: str = "application/json"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    connection.request(method, path, data, {"Content-Type": kind} if data else {})
    response = connection.getresponse()
    text = response.read()
    return response.status, json.loads(text) if text and "json" in (response.getheader("Content-Type") or "") else text


def film(path: pathlib.Path):
    """An empty yard for two seconds, the animal in it for four, an empty yard for seven."""
    yard = "color=c=0x6a7a5a:s=1280x720:r=10:d=13,noise=alls=6:allf=t"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", yard, "-i", str(PHOTO), "-filter_complex",
         "[1:v]scale=520:-2[animal];[0:v][animal]overlay=x='min(380,(t-2)*600)':y=120:enable='between(t,2,6)'",
         "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", str(path)], check=True)


def keep(folder: pathlib.Path, heard: list[str]):
    (folder / "broker").write_text("\n".join(heard))
    for name, path in [("webhook", "/hook"), ("frigate", "/sub_label")]:
        line, headers, body = next(each for each in Neighbour.requests if path in each[0])
        fields = [f"{field}: {value}" for field, value in headers.items()]
        (folder / name).write_text("\n".join([line, *fields, "", body]))


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="menagerie-evening-"))
    film(folder / "porch.mp4")
    broker, neighbour = free_port(), http.server.ThreadingHTTPServer(("127.0.0.1", 0), Neighbour)
    threading.Thread(target=neighbour.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{neighbour.server_port}"
    (folder / "mosquitto.conf").write_text(f"listener {broker} 127.0.0.1\nallow_anonymous true\nuser root\n")
    (folder / "hooks.json").write_text(
        json.dumps([{"name": "log", "url": base + "/hook", "secret": SECRET.decode(), "events": ["seen", "left"]}]))
    running = []
    try:
        running.append(subprocess.Popen(["mosquitto", "-c", str(folder / "mosquitto.conf")], stderr=subprocess.DEVNULL))
        eventually("mosquitto listens", lambda: socket.socket().connect_ex(("127.0.0.1", broker)) == 0)
        heard_file = folder / "heard"
        with heard_file.open("wb") as output:
            running.append(
                subprocess.Popen(
                    ["mosquitto_sub", "-p", str(broker), "-t", "homeassistant/#", "-t", "menagerie/available",
                     "-t", "menagerie/porch/individual/#", "-t", "menagerie/porch/events", "-t", "menagerie/porch/animal",
                     "-t", "menagerie/porch/count", "-v"], stdout=output))
        log_file = folder / "log"
        settings = {
            "http.port": 0, "security.open": "true", "cameras.enabled": "true", "cameras.files": folder,
            "cameras.individual_threshold": 0.3, "mqtt.url": f"mqtt://127.0.0.1:{broker}", "webhooks.file": folder / "hooks.json",
            "webhooks.allow_private": "true", "frigate.url": base, "frigate.threshold": 0.3,
            "connections.public_url": "http://zoo.local:8080"}
        flags = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        with log_file.open("wb") as output:
            subprocess.run([ROOT / "Tests/Drivers/share-compiled", BINARY, folder / "data"], check=True)
            service = subprocess.Popen([BINARY, "serve", "--data-dir", folder / "data", *flags], stdout=output, stderr=output)
        running.append(service)

        def port():
            assert service.poll() is None, log_file.read_text()
            lines = [line for line in log_file.read_text().splitlines() if "Listening " in line]
            return lines and int(lines[0].split("address=")[1].split()[0].rsplit(":", 1)[1])

        port = eventually("the service listens", port)

        def heard():
            return heard_file.read_text(errors="replace").splitlines()

        # The animal gets its name.
        views = folder / "views"
        views.mkdir()
        subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(folder / "porch.mp4"), "-vf",
             "select='between(t,3,5.5)',crop=620:560:330:100,fps=2", str(views / "%d.jpg")], check=True)
        for view in [PHOTO, *sorted(views.glob("*.jpg"))]:
            status, scan = request(port, "POST", "/classify?save=true", view.read_bytes(), "image/jpeg")
            assert status == 200, scan
            status, answer = request(port, "PATCH", f"/history/{scan['id']}", {"individual": "Misu"})
            assert status == 200, answer
        eventually("Misu is known", lambda: request(port, "GET", "/individuals")[1].get("state") == "ready")
        before = request(port, "GET", "/history")[1]["total"]

        # The evening begins.
        began = time.monotonic()
        status, camera = request(
            port, "POST", "/cameras", {"name": "Porch", "url": "file:porch.mp4", "looks_per_second": 5})
        assert status == 201, camera
        event = eventually(
            "an event at the broker",
            lambda: [json.loads(line.split(" ", 1)[1]) for line in heard() if line.startswith("menagerie/porch/events ")])
        print(f"seen after {time.monotonic() - began:.2f} s:", json.dumps(event[0]))
        assert event[0]["event_type"] == "seen" and event[0]["label"] == "cat", event
        assert event[0]["first_ever"] and event[0]["first_today"] and event[0]["count_today"] == 1, event
        eventually("binary_sensor ON", lambda: "menagerie/porch/individual/misu ON" in heard())
        print("menagerie/porch/individual/misu ON")
        eventually("binary_sensor OFF", lambda: "menagerie/porch/individual/misu OFF" in heard()[heard().index("menagerie/porch/individual/misu ON"):])
        print("menagerie/porch/individual/misu OFF")
        configs = [line for line in heard() if line.startswith("homeassistant/device/")]
        assert any('"porch_is_misu"' in line for line in configs), configs
        eventually("webhooks of both kinds", lambda: {told["event_type"] for told in Neighbour.told} == {"seen", "left"})
        print("webhook:", [(told["event_type"], told["individual"], told["confidence"]) for told in Neighbour.told])
        left = next(told for told in Neighbour.told if told["event_type"] == "left")
        assert left["individual"] == "Misu" and left["scan_url"], left
        assert request(port, "GET", "/history")[1]["total"] == before + 1
        status, sightings = request(port, "GET", "/cameras/porch/sightings")
        assert status == 200 and sightings["total"] == 1, sightings
        status, scan = request(port, "GET", sightings["items"][0]["scan_url"])
        assert status == 200, scan
        print("scan:", scan["id"], scan["note"], [each["label"] for each in scan["predictions"]][:2])
        status, picture = request(port, "GET", sightings["items"][0]["picture_url"])
        assert status == 200 and picture.startswith(b"\xff\xd8"), status

        # Frigate fails twice, sends noise, and repeats itself.
        def tell(payload: str):
            subprocess.run(["mosquitto_pub", "-p", str(broker), "-t", "frigate/events", "-m", payload], check=True)

        def happening(name: str, score: float, **members):
            after = {"id": name, "camera": "garden", "label": "cat", "false_positive": False, "has_snapshot": True,
                     "snapshot": {"score": score}, **members}
            return json.dumps({"type": "update", "before": {}, "after": after})

        Neighbour.trouble = 2
        for payload in ["no JSON", "{}", happening("17.1-dog", 0.7, label="car"), happening("17.2-wrong", 0.7, false_positive=True),
                        happening("17.3-missing", 0.7), happening("17.4-cat", 0.7), happening("17.4-cat", 0.7)]:
            tell(payload)
        path, label = eventually("a sub label", lambda: Neighbour.labels)[0]
        print("frigate:", path, label)
        assert path == "/api/events/17.4-cat/sub_label" and label["subLabel"] == "Misu", (path, label)
        tell(happening("17.4-cat", 0.6))
        tell(happening("17.4-cat", 0.9))
        eventually("a better snapshot is answered", lambda: len(Neighbour.labels) == 2)
        assert "crop=1&quality=95&bbox=0&timestamp=0" in Neighbour.snapshots[0], Neighbour.snapshots[0]
        assert not any("17.1" in path or "17.2" in path for path in Neighbour.snapshots), Neighbour.snapshots
        log = log_file.read_text()
        assert log.count("Frigate cannot be asked") == 1 and log.count("message of Frigate's cannot be read") == 1, log
        service.terminate()
        assert service.wait(60) == 0
        eventually("the goodbye", lambda: [line for line in heard() if line.startswith("menagerie/available")][-1].endswith("offline"))
        if len(sys.argv) > 3:
            pathlib.Path(sys.argv[3]).write_text("\n".join(configs))
        if len(sys.argv) > 4:
            keep(pathlib.Path(sys.argv[4]), [line for line in heard() if line.startswith("menagerie/")])
        print("Misu is home.")
    finally:
        for process in reversed(running):
            if process.poll() is None:
                process.kill()
                process.wait()


main()
