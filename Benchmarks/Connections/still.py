#!/usr/bin/env python3
"""Measures the cost of a camera that shows a still yard: still.py BINARY [SECONDS] [http|rtsp|mjpeg|night].

The camera shows 1080p at 15 pictures per second with slight noise. http and rtsp are H.264 from FFmpeg and from
rtsp_camera.py, and mjpeg is motion JPEG. night is H.264 of a dark noisy yard at a constant 4 Mbit/s. Prints the
processor time (per cent of one core) and the private memory (MiB) of the service and of the decoding process, over this
many seconds (60). The models are loaded before.
"""

import json
import pathlib
import subprocess
import sys
import time

from home import ROOT, Service, eventually, ffmpeg, folder, free_port, load, private, seconds, stream

BINARY = pathlib.Path(sys.argv[1]).resolve()
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60
KIND = sys.argv[3] if len(sys.argv) > 3 else "http"
YARDS = {"night": "color=c=0x181818:s=1920x1080:r=15:d=20,noise=alls=30:allf=t"}
RATE = ["-b:v", "4M", "-maxrate", "4M", "-bufsize", "4M"] if KIND == "night" else ["-crf", "28"]

folder = folder("still")
film = folder / "still.mp4"
ffmpeg("-f", "lavfi", "-i", YARDS.get(KIND, "smptebars=s=1920x1080:r=15:d=20,noise=alls=2:allf=t"), "-c:v", "libx264", "-preset",
       "veryfast", *RATE, "-g", "30", "-pix_fmt", "yuv420p", film)  # fmt: skip
camera = free_port()
running = []
try:
    if KIND == "rtsp":
        ffmpeg("-i", film, "-c", "copy", "-bsf:v", "h264_mp4toannexb,h264_metadata=aud=insert", "-f", "h264", folder / "still.h264")
        running.append(
            subprocess.Popen(
                ["/usr/bin/python3", str(ROOT / "Tests/Drivers/connections/rtsp_camera.py"), str(camera),
                 f"s={folder}/still.h264"], stdout=subprocess.DEVNULL))
        url = f"rtsp://127.0.0.1:{camera}/s"
    else:
        url = f"http://127.0.0.1:{camera}/s"
        form = []
        if KIND == "mjpeg":
            ffmpeg("-i", film, "-c:v", "mjpeg", "-q:v", "5", folder / "still.avi")
            film = folder / "still.avi"
            form = ["-c", "copy", "-f", "mpjpeg", "-content_type", "multipart/x-mixed-replace;boundary=ffmpeg"]
        running.append(stream(film, url, *form))
    service = Service(BINARY, folder)
    running.append(service.process)
    time.sleep(3)
    began, idle, before = time.monotonic(), seconds(service.pid), private(service.pid)
    time.sleep(10)
    idle = (seconds(service.pid) - idle) / (time.monotonic() - began)
    service.ask("POST", "/cameras", {"name": "Yard", "url": url, "saves_scans": False})
    eventually("the camera is watched", lambda: service.cameras()["yard"]["state"] == "watching")
    # The measurement begins after the models have processed the first pictures.
    time.sleep(8)
    helpers = service.helpers()
    began, start = time.monotonic(), service.cameras()["yard"]["counts"]
    used = {process: seconds(process) for process in [service.pid, *helpers]}
    time.sleep(SECONDS)
    wall = time.monotonic() - began
    used = {process: (seconds(process) - value) / wall for process, value in used.items()}
    end = service.cameras()["yard"]["counts"]
    print(load())
    print(json.dumps({
        "camera": KIND, "seconds": round(wall, 1), "pictures": end["pictures"] - start["pictures"], "looks": end["looks"] - start["looks"],
        "service_cpu_percent": round(100 * (used[service.pid] - idle), 2),
        "decoder_cpu_percent": round(100 * sum(used[each] for each in helpers), 2),
        "service_mib": round(private(service.pid) - before, 1), "decoder_mib": round(sum(private(each) for each in helpers), 1),
        "bits_per_second": round(film.stat().st_size * 8 / 20),
    }, indent=1))
finally:
    for process in reversed(running):
        process.kill()
        process.wait()
