#!/usr/bin/env python3
"""What a camera costs that shows a still yard: still.py BINARY [SECONDS] [http|rtsp|mjpeg].

1080p of 15 pictures a second with a little noise: H.264 over HTTP from FFmpeg or over RTSP from rtsp_camera.py, or motion JPEG.
Told are processor time (per cent of one core) and memory (private MiB) of the service and of the process that decodes, over so
many seconds (60). The models are in memory before it begins.
"""

import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

BINARY = pathlib.Path(sys.argv[1]).resolve()
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60
KIND = sys.argv[3] if len(sys.argv) > 3 else "http"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TICK = os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def ask(port: int, method: str, path: str, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    is_photo = isinstance(body, bytes)
    headers = {"Content-Type": "image/png"} if is_photo else {}
    connection.request(method, path, body if is_photo or body is None else json.dumps(body), headers)
    return json.loads(connection.getresponse().read() or b"null")


def processes(root: int) -> list[int]:
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parents[int(entry)] = int(pathlib.Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
    family, grown = {root}, True
    while grown:
        more = {child for child, parent in parents.items() if parent in family} - family
        family |= more
        grown = bool(more)
    return sorted(family - {root})


def seconds(process: int) -> float:
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def private(process: int) -> float:
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


folder = pathlib.Path(tempfile.mkdtemp(prefix="menagerie-still-"))
film = folder / "still.mp4"
subprocess.run(
    ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i",
     "smptebars=s=1920x1080:r=15:d=20,noise=alls=2:allf=t", "-c:v", "libx264", "-preset", "veryfast", "-crf", "28", "-g", "30",
     "-pix_fmt", "yuv420p", str(film)], check=True)
camera, log = free_port(), folder / "log"
running = []
try:
    if KIND == "rtsp":
        subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(film), "-c", "copy", "-bsf:v",
             "h264_mp4toannexb,h264_metadata=aud=insert", "-f", "h264", str(folder / "still.h264")], check=True)
        running.append(
            subprocess.Popen(
                ["/usr/bin/python3", str(ROOT / "Tests/Drivers/connections/rtsp_camera.py"), str(camera),
                 f"s={folder}/still.h264"], stdout=subprocess.DEVNULL))
        url = f"rtsp://127.0.0.1:{camera}/s"
    else:
        url = f"http://127.0.0.1:{camera}/s"
        form = ["-c", "copy", "-f", "mpegts"]
        if KIND == "mjpeg":
            subprocess.run(
                ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(film), "-c:v", "mjpeg", "-q:v", "5",
                 str(folder / "still.avi")], check=True)
            film = folder / "still.avi"
            form = ["-c", "copy", "-f", "mpjpeg", "-content_type", "multipart/x-mixed-replace;boundary=ffmpeg"]
        running.append(
            subprocess.Popen(
                ["ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-stream_loop", "-1", "-i", str(film), *form, "-listen", "1",
                 url]))
    with log.open("wb") as output:
        service = subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--data-dir", folder / "data", "--set", "security.open=true", "--set",
             "cameras.enabled=true"], stdout=output, stderr=output)
    running.append(service)
    while not (lines := [line for line in log.read_text().splitlines() if "Listening " in line]):
        assert service.poll() is None, log.read_text()
        time.sleep(0.1)
    port = int(lines[0].split("address=")[1].split()[0].rsplit(":", 1)[1])
    for _ in range(3):
        ask(port, "POST", "/detect?save=false", (ROOT / "Public/samples/cat.png").read_bytes())
    time.sleep(3)
    began, idle, before = time.monotonic(), seconds(service.pid), private(service.pid)
    time.sleep(10)
    idle = (seconds(service.pid) - idle) / (time.monotonic() - began)
    ask(port, "POST", "/cameras", {"name": "Yard", "url": url, "saves_scans": False})
    while (state := ask(port, "GET", "/cameras/yard"))["state"] != "watching":
        time.sleep(0.1)
    # The models have looked at the first pictures.
    time.sleep(8)
    helpers = processes(service.pid)
    began, start = time.monotonic(), ask(port, "GET", "/cameras/yard")["counts"]
    used = {process: seconds(process) for process in [service.pid, *helpers]}
    time.sleep(SECONDS)
    wall = time.monotonic() - began
    used = {process: (seconds(process) - value) / wall for process, value in used.items()}
    end = ask(port, "GET", "/cameras/yard")["counts"]
    print(json.dumps({
        "camera": KIND, "seconds": round(wall, 1), "pictures": end["pictures"] - start["pictures"], "looks": end["looks"] - start["looks"],
        "service_cpu_percent": round(100 * (used[service.pid] - idle), 2),
        "decoder_cpu_percent": round(100 * sum(used[each] for each in helpers), 2),
        "service_mib": round(private(service.pid) - before, 1), "decoder_mib": round(sum(private(each) for each in helpers), 1),
    }, indent=1))
finally:
    for process in reversed(running):
        process.kill()
        process.wait()
