"""Good and bad cameras at one service: bad_cameras.py BINARY PHOTO.

Real RTSP (GStreamer's server) and motion JPEG. One camera shows an animal. Others freeze, end, send garbage, change
the size of their pictures, or send 8K. Each bad one is reported, counted and tried again, and the good ones continue.

Needs ffmpeg and what rtsp_camera.py needs.
"""

import http.client
import http.server
import json
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY, PHOTO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
HERE = pathlib.Path(__file__).resolve().parent


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def render(path: pathlib.Path, size: str, seconds: int, *, animal: bool = False, form=()):
    yard = ["-f", "lavfi", "-i", f"color=c=0x6a7a5a:s={size}:r=15:d={seconds},noise=alls=2:allf=t"]
    walk = ["-i", str(PHOTO), "-filter_complex",
            "[1:v]scale=520:-2[a];[0:v][a]overlay=x='min(380,(t-4)*600)':y=120:enable='between(t,4,10)'"]
    codec = ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "30", "-g", "30", "-bf", "0", "-bsf:v",
             "h264_metadata=aud=insert", "-f", "h264"]
    subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *yard, *(walk if animal else []), *(form or codec), str(path)],
        check=True)


class MotionJPEG(http.server.BaseHTTPRequestHandler):
    """/freeze stops after twenty pictures, /garbage then sends noise, /good continues."""

    picture = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
        self.end_headers()
        number = 0
        try:
            while True:
                body = self.picture
                if number > 20 and self.path == "/freeze":
                    time.sleep(1)
                    continue
                if number > 20 and self.path == "/garbage":
                    body = bytes((number * each * 31) & 255 for each in range(4000))
                self.wfile.write(b"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(body) + body + b"\r\n")
                number += 1
                time.sleep(0.1)
        except OSError:
            pass

    def log_message(self, *_):
        pass


def ask(port: int, method: str, path: str, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, json.dumps(body) if body else None)
    answer = connection.getresponse()
    data = answer.read()
    return json.loads(data) if "json" in (answer.getheader("Content-Type") or "") else data


def size(jpeg: bytes):
    """The width and height of a JPEG, from its frame header (ITU-T T.81 §B.2.2)."""
    at = 2
    while at < len(jpeg):
        marker, length = jpeg[at + 1], struct.unpack(">H", jpeg[at + 2:at + 4])[0]
        if 0xC0 <= marker <= 0xC3:
            height, width = struct.unpack(">HH", jpeg[at + 5:at + 9])
            return width, height
        at += 2 + length


def check(name: str, holds, told=""):
    if not holds:
        sys.exit(f"FAIL  {name}\n{told}")
    print(f"ok    {name}", flush=True)


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="menagerie-cameras-"))
    render(folder / "cat.h264", "1280x720", 16, animal=True)
    render(folder / "wide.h264", "1280x720", 6)
    render(folder / "square.h264", "640x480", 6)
    render(folder / "8k.h264", "7680x4320", 2)
    render(folder / "still.jpg", "1280x720", 1, form=["-frames:v", "1"])
    MotionJPEG.picture = (folder / "still.jpg").read_bytes()
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), MotionJPEG)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    rtsp, log = free_port(), folder / "log"
    films = {
        "good": "{}/cat.h264", "frozen": "{}/wide.h264:freeze", "ends": "{}/wide.h264:hang", "noise": "{}/wide.h264:garbage",
        "sizes": "{0}/wide.h264+{0}/square.h264", "huge": "{}/8k.h264",
    }  # fmt: skip
    urls = {name: f"rtsp://127.0.0.1:{rtsp}/{name}" for name in films}
    urls |= {f"web_{kind}": f"http://127.0.0.1:{web.server_port}/{kind}" for kind in ["good", "freeze", "garbage"]}
    running = []
    try:
        running.append(
            subprocess.Popen(
                ["/usr/bin/python3", HERE / "rtsp_camera.py", str(rtsp), *(f"{name}={film.format(folder)}" for name, film in films.items())],
                stdout=subprocess.PIPE))
        running[0].stdout.readline()
        with log.open("wb") as output:
            subprocess.run([ROOT / "Tests/Drivers/share-compiled", BINARY, folder / "data"], check=True)
            service = subprocess.Popen(
                [BINARY, "serve", "--port", "0", "--data-dir", folder / "data", "--set", "security.open=true", "--set",
                 "cameras.enabled=true"], stdout=output, stderr=output)
        running.append(service)
        while not (lines := [line for line in log.read_text().splitlines() if "Listening " in line]):
            assert service.poll() is None, log.read_text()
            time.sleep(0.1)
        port = int(lines[0].split("address=")[1].split()[0].rsplit(":", 1)[1])
        for name, url in urls.items():
            ask(port, "POST", "/cameras", {"name": name, "url": url, "saves_scans": False})
        problems, sizes, slowest = {}, set(), 0.0
        end = time.monotonic() + 180
        failures = 0
        while time.monotonic() < end:
            for camera in ask(port, "GET", "/cameras")["items"]:
                failures = max(failures, camera["counts"]["failures"])
                if camera["state"] == "away":
                    problems.setdefault(camera["id"], camera["problem"])
            picture = ask(port, "GET", "/cameras/sizes/picture")
            if isinstance(picture, bytes):
                sizes.add(size(picture))
            began = time.monotonic()
            ask(port, "GET", "/livez")
            slowest = max(slowest, time.monotonic() - began)
            good = ask(port, "GET", "/cameras/good")["counts"]
            if len(problems) >= 4 and len(sizes) >= 2 and good["sightings"] >= 2 and failures >= 2:
                break
            time.sleep(0.5)
        state = {camera["id"]: camera for camera in ask(port, "GET", "/cameras")["items"]}
        for name, problem in sorted(problems.items()):
            print(f"      {name}: {problem}")
        bad = {"frozen", "ends", "web_freeze", "web_garbage"}
        check("bad cameras are away, and it is told why", set(problems) == bad, state)
        check("their failures are counted", all(state[name]["counts"]["failures"] >= 1 for name in bad), state)
        check("the others never were", all(state[name]["counts"]["failures"] == 0 for name in set(state) - bad), state)
        check("each was named", all(f"camera={name} " in log.read_text() for name in bad), log.read_text()[-3000:])
        named = re.findall(r'cannot be watched.*? camera=(\S+) .*?reason="([^"]*)"', log.read_text())
        check("one that fails again and again is named once", failures >= 2 and len(named) == len(set(named)), (failures, named))
        check("pictures of another size come in their own shape", {(960, 540), (640, 480)} <= sizes, sizes)
        check("a decoder's guesses at noise are no animals", state["noise"]["counts"]["sightings"] == 0, state["noise"])
        check("8K is watched", state["huge"]["state"] == "watching" and state["huge"]["counts"]["pictures"] > 0, state["huge"])
        check("the good camera saw its animal each time", state["good"]["counts"]["sightings"] >= 2, state["good"])
        check("motion JPEG is watched", state["web_good"]["counts"]["pictures"] > 3, state["web_good"])
        check("the service answered all the time", slowest < 5, slowest)
    finally:
        for process in reversed(running):
            process.kill()
            process.wait()


main()
