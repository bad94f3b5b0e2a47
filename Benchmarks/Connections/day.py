#!/usr/bin/env python3
"""A day in fast motion: day.py BINARY [VISITS] [STOPS].

Four cameras replay the visits of a day. In their films an animal comes for three seconds, goes, and comes again,
without the empty hours in between. The films run as fast as they can be analysed, with two analyses per second of the
film. Meanwhile the broker is stopped this many times (10), for four seconds each. At the end a subscriber must have
received each sighting's two events (QoS 1). Prints the service's largest memory and number of descriptors in each
third of the time.
"""

import pathlib
import sys
import time

from home import SAMPLES, Broker, Service, descriptors, eventually, folder, load, private, render

BINARY = pathlib.Path(sys.argv[1]).resolve()
VISITS = int(sys.argv[2]) if len(sys.argv) > 2 else 400
STOPS = int(sys.argv[3]) if len(sys.argv) > 3 else 10
# In seconds of a film: the length of a visit, and the time from one visit to the next. Then the visits of a film.
VISIT, PERIOD, EACH = 3, 10, 5

folder = folder("day")
photos = [SAMPLES / name for name in ["cat.png", "dog.webp", "moose.webp", "lemurs.webp"]]
for photo in photos:
    render(folder / f"{photo.stem}.mp4", photo, PERIOD * EACH, f"lt(mod(t,{PERIOD}),{VISIT})", size="640x360", rate=10)
broker = Broker(folder)
service = None
try:
    service = Service(
        BINARY, folder, cameras__files=folder, mqtt__url=f"mqtt://127.0.0.1:{broker.port}", mqtt__max_waiting=100_000)
    for photo in photos:
        service.ask("POST", "/cameras", {"name": photo.stem, "url": f"file:{photo.stem}.mp4", "looks_per_second": 2})
    began, samples, stopped, replays = time.monotonic(), [], 0, len(photos)

    def seen() -> int:
        return sum(service.ask("GET", f"/cameras/{photo.stem}/sightings?limit=1")["total"] for photo in photos)

    def had() -> list[tuple[str, str]]:
        return [(event["id"], event["event_type"]) for _, event in broker.events()]

    down = None
    while (count := seen()) < VISITS:
        samples.append((time.monotonic() - began, private(service.pid), descriptors(service.pid)))
        if down and time.monotonic() - down > 4:
            broker.start()
            down = None
        elif not down and stopped < STOPS and count >= VISITS * (stopped + 1) // (STOPS + 1):
            broker.stop()
            stopped, down = stopped + 1, time.monotonic()
        for camera in service.cameras().values():
            if camera["state"] == "ended":
                # The camera's film has ended. It is shown again as the next part of the day.
                service.ask("PATCH", f"/cameras/{camera['id']}", {"enabled": True})
                replays += 1
        time.sleep(0.5)
    if down:
        broker.start()
    wall = time.monotonic() - began
    eventually("the last films end", lambda: all(each["state"] == "ended" for each in service.cameras().values()), 300)
    wanted = set()
    for photo in photos:
        cursor = ""
        while cursor is not None:
            page = service.ask("GET", f"/cameras/{photo.stem}/sightings?limit=100{cursor and f'&cursor={cursor}'}")
            wanted |= {(item["id"], word) for item in page["items"] for word in ("seen", "left")}
            cursor = page.get("next_cursor")
    deadline = time.monotonic() + 60
    while wanted - set(had()) and time.monotonic() < deadline:
        time.sleep(0.5)
    events = had()
    print(load())
    print(f"{len(wanted) // 2} sightings in {wall:.0f} s, {replays} films of {PERIOD * EACH} s; the broker was stopped {stopped} times")
    print(f"events: {len(wanted)} expected, {len(set(events))} came, {len(wanted - set(events))} lost, "
          f"{len(events) - len(set(events))} came twice")
    for third in range(3):
        part = [each for each in samples if wall * third / 3 <= each[0] < wall * (third + 1) / 3]
        print(f"third {third + 1}: at most {max(each[1] for each in part):.0f} MiB, {max(each[2] for each in part)} descriptors; "
              f"median {sorted(each[1] for each in part)[len(part) // 2]:.0f} MiB")
    if wanted - set(events):
        sys.exit(f"lost: {sorted(wanted - set(events))[:10]}")
finally:
    if service:
        service.kill()
    broker.kill()
