#!/usr/bin/env python3
"""Swaps and rolls back a model under load, and watches for failed requests and memory.

    python3 Tests/Drivers/swap_under_load.py http://localhost:8080 MODEL PHOTO [SWAPS] [PID]

MODEL has two versions or more in the folder. Four clients classify without a pause while each swap loads the next
version anew. With the server's PID its resident memory is printed at every tenth of the way.
"""
import json
import sys
import threading
import urllib.request


def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) // 1024 for line in file if line.startswith("VmRSS"))


def call(url, method="GET", body=None, headers={}):
    request = urllib.request.Request(url, body, headers, method=method)
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.load(response)


def main():
    base, model, photo = sys.argv[1:4]
    swaps = int(sys.argv[4]) if len(sys.argv) > 4 else 20
    pid = sys.argv[5] if len(sys.argv) > 5 else None
    photo = open(photo, "rb").read()
    versions = [item["version"] for item in call(f"{base}/models/{model}")["versions"]]
    answered, failures = {}, []
    stop = threading.Event()

    def client():
        while not stop.is_set():
            try:
                answer = call(
                    f"{base}/classify?model={model}&save=false", "POST", photo, {"Content-Type": "image/jpeg"})
                version = answer["model"]["version"]
                answered[version] = answered.get(version, 0) + 1
            except Exception as error:  # noqa: BLE001: every failure counts
                failures.append(repr(error))

    clients = [threading.Thread(target=client) for _ in range(4)]
    for thread in clients:
        thread.start()
    for swap in range(swaps):
        version = versions[swap % len(versions)]
        call(f"{base}/models/{model}/load?version={version}", "POST", b"")
        if pid and swap % max(1, swaps // 10) == 0:
            print(f"swap {swap}: {resident(pid)} MiB")
    stop.set()
    for thread in clients:
        thread.join()
    if pid:
        print(f"end: {resident(pid)} MiB")
    print(f"{swaps} swaps, answers by version {answered}, failures {len(failures)}", failures[:3])
    sys.exit(bool(failures))


main()
