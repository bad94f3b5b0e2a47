#!/usr/bin/env python3
"""Measures the time from an animal's first picture to the MQTT message: latency.py BINARY [VISITS].

Two cameras of motion JPEG, 720p at 15 pictures per second, show an animal for four of every twelve seconds. Prints
the milliseconds until a subscriber of mosquitto has the event, both from sending the animal's first picture and from
the event's own first time.
"""

import datetime
import http.server
import pathlib
import sys
import threading
import time

from home import SAMPLES, Broker, Service, eventually, ffmpeg, folder, load

BINARY = pathlib.Path(sys.argv[1]).resolve()
VISITS = int(sys.argv[2]) if len(sys.argv) > 2 else 40
PERIOD, STAY, RATE = 12, 4, 15


class Camera(http.server.BaseHTTPRequestHandler):
    """Serves the cameras /a and /b, half a period apart. Records when each animal came."""

    yards, animals = [], {}
    came = {"a": [], "b": []}

    def do_GET(self):
        name = self.path.strip("/")
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
        self.end_headers()
        number, shift = 0, 0 if name == "a" else PERIOD * RATE // 2
        began = time.monotonic()
        try:
            while True:
                place = (number + shift) % (PERIOD * RATE) - (PERIOD - STAY) * RATE
                body = (self.animals[name] if place >= 0 else self.yards)[number % 5]
                if place == 0:
                    Camera.came[name].append(time.time())
                self.wfile.write(b"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(body) + body + b"\r\n")
                number += 1
                time.sleep(max(0, began + number / RATE - time.monotonic()))
        except OSError:
            pass

    def log_message(self, *_):
        pass


def pictures(path: pathlib.Path, photo=None) -> list[bytes]:
    """Five pictures that differ only in their noise."""
    yard = "color=c=0x6a7a5a:s=1280x720:r=5:d=1,noise=alls=2:allf=t"
    place = ["-i", photo, "-filter_complex", "[1:v]scale=-2:520[a];[0:v][a]overlay=x=380:y=100"] if photo else []
    ffmpeg("-f", "lavfi", "-i", yard, *place, "-q:v", "4", f"{path}-%d.jpg")
    return [pathlib.Path(f"{path}-{number}.jpg").read_bytes() for number in range(1, 6)]


def when(text: str) -> float:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def show(name: str, times: list[float]) -> None:
    times = sorted(times)
    rank = [times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.9, 0.95)]
    print(f"{name}: {len(times)} visits, p50 {rank[0]:.0f} ms, p90 {rank[1]:.0f} ms, p95 {rank[2]:.0f} ms, most {times[-1]:.0f} ms")


folder = folder("latency")
Camera.yards = pictures(folder / "yard")
Camera.animals = {"a": pictures(folder / "cat", SAMPLES / "cat.png"), "b": pictures(folder / "dog", SAMPLES / "dog.webp")}
web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Camera)
threading.Thread(target=web.serve_forever, daemon=True).start()
broker = Broker(folder)
service = None
try:
    service = Service(BINARY, folder, mqtt__url=f"mqtt://127.0.0.1:{broker.port}")
    for name in Camera.came:
        service.ask("POST", "/cameras", {"name": name, "url": f"http://127.0.0.1:{web.server_port}/{name}", "saves_scans": False})
    eventually("enough visits", lambda: min(map(len, Camera.came.values())) > VISITS // 2, VISITS * PERIOD + 60, 1)
    time.sleep(3)
    print(load())
    sent, told, lost = [], [], 0
    seen = [(at, event) for at, event in broker.events() if event["event_type"] == "seen"]
    for camera, moments in Camera.came.items():
        for moment in moments:
            mine = [(at, event) for at, event in seen if event["camera"] == camera and moment <= at < moment + PERIOD]
            lost += not mine
            for at, event in mine[:1]:
                sent.append(1000 * (at - moment))
                told.append(1000 * (at - when(event["first_seen"])))
    show("from the picture that was sent", sent)
    show("from the first sight", told)
    print(f"visits without an event: {lost}")
finally:
    if service:
        service.kill()
    broker.kill()
