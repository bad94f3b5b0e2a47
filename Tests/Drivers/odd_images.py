#!/usr/bin/env python3
"""Posts odd, broken and hostile image files repeatedly, and checks answers, time and memory.

    python3 Tests/Drivers/odd_images.py http://localhost:8080 FOLDER [COUNT] [PID]

Every answer must be a 200 or one of 400 (empty), 413, 415, 422. Anything else, or a lost connection, fails. With the
server's PID its resident memory is printed ten times. After the first fifth it may not grow by more than 20 MiB.
"""
import collections
import pathlib
import sys
import threading
import time
import urllib.error
import urllib.request

ALLOWED = {200, 400, 413, 415, 422}


def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def main():
    base, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    pid = sys.argv[4] if len(sys.argv) > 4 else None
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    statuses, failures, slowest = collections.Counter(), [], {}
    lock, next_index = threading.Lock(), iter(range(count))
    memory = []

    def client():
        while True:
            with lock:
                index = next(next_index, None)
                if index is None:
                    return
                if pid and index % (count // 10) == 0:
                    memory.append(resident(pid))
                    print(f"{index}: {memory[-1]:.0f} MiB", flush=True)
            path = files[index % len(files)]
            request = urllib.request.Request(
                f"{base}/classify?save=false", path.read_bytes(), {"Content-Type": "image/jpeg"}, method="POST")
            start = time.monotonic()
            try:
                with urllib.request.urlopen(request, timeout=60) as response:
                    status = response.status
            except urllib.error.HTTPError as error:
                status = error.code
            except Exception as error:  # noqa: BLE001: every failure means that no answer came
                status = repr(error)
            seconds = time.monotonic() - start
            with lock:
                statuses[status] += 1
                slowest[path.name] = max(slowest.get(path.name, 0), seconds)
                if status not in ALLOWED:
                    failures.append((path.name, status))

    threads = [threading.Thread(target=client) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{len(files)} files, {sum(statuses.values())} requests, answers {dict(statuses)}")
    print("slowest:", ", ".join(f"{n} {s * 1000:.0f} ms" for n, s in sorted(slowest.items(), key=lambda x: -x[1])[:5]))
    if pid:
        memory.append(resident(pid))
        print(f"end: {memory[-1]:.0f} MiB")
        if memory[-1] > memory[2] + 20:
            failures.append(("memory", f"{memory[2]:.0f} to {memory[-1]:.0f} MiB"))
    print("failures:", failures[:5] or "none")
    sys.exit(bool(failures))


main()
