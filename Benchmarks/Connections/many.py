#!/usr/bin/env python3
"""Measures many cameras that show an animal each: many.py BINARY [SECONDS] [CAMERAS] [LOOKS].

Each shows 1080p H.264 at 15 pictures per second over HTTP, with an animal that walks to and fro. Prints the analysed
pictures per second, the pictures skipped for lack of time, and the cost, over this many seconds (60).
"""

import json
import pathlib
import sys
import time

from home import SAMPLES, Service, eventually, folder, free_port, load, private, render, seconds, stream

BINARY = pathlib.Path(sys.argv[1]).resolve()
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60
CAMERAS = int(sys.argv[3]) if len(sys.argv) > 3 else 8
LOOKS = float(sys.argv[4]) if len(sys.argv) > 4 else 5

folder = folder("many")
photos = [SAMPLES / name for name in ["cat.png", "dog.webp", "moose.webp", "lemurs.webp"]]
films = [folder / f"{photo.stem}.mp4" for photo in photos]
for photo, film in zip(photos, films):
    render(film, photo, 18, "1")
running = []
try:
    service = Service(BINARY, folder)
    running.append(service.process)
    for number in range(CAMERAS):
        url = f"http://127.0.0.1:{free_port()}/s"
        running.append(stream(films[number % len(films)], url))
        time.sleep(0.5)
        service.ask("POST", "/cameras", {"name": f"Yard {number}", "url": url, "saves_scans": False, "looks_per_second": LOOKS})
    eventually("all are watched", lambda: all(each["state"] == "watching" for each in service.cameras().values()))
    time.sleep(15)
    start, helpers, began = service.cameras(), service.helpers(), time.monotonic()
    used = {process: seconds(process) for process in [service.pid, *helpers]}
    time.sleep(SECONDS)
    end, wall = service.cameras(), time.monotonic() - began
    used = {process: (seconds(process) - value) / wall for process, value in used.items()}
    count = {word: [end[each]["counts"][word] - start[each]["counts"][word] for each in end] for word in ["looks", "missed"]}
    looks = [round(each / wall, 2) for each in count["looks"]]
    print(load())
    print(json.dumps({
        "cameras": CAMERAS, "seconds": round(wall, 1), "asked_looks_per_second": LOOKS, "looks_per_second": looks,
        "all_looks_per_second": round(sum(looks), 1),
        "missed_percent": round(100 * sum(count["missed"]) / max(1, sum(count["missed"]) + sum(count["looks"])), 1),
        "sightings": [end[each]["counts"]["sightings"] for each in end],
        "service_cpu_percent": round(100 * used[service.pid]), "decoders_cpu_percent": round(100 * sum(used[each] for each in helpers)),
        "service_ms_a_look": round(1000 * used[service.pid] / max(0.01, sum(looks)), 1),
        "service_mib": round(private(service.pid)), "decoder_mib": round(sum(private(each) for each in helpers) / len(helpers), 1),
    }, indent=1))
finally:
    for process in reversed(running):
        process.kill()
        process.wait()
