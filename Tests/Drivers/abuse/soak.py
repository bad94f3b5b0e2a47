"""Long runs: mixed traffic for some time (`--soak`), and a thousand requests of each kind separately (`--memory`)."""
import os
import random
import shutil
import subprocess
import sys
import threading
import time

import traffic

#: The number of tasks that run at the same time.
WORKERS = 6
#: Seconds between two samples of memory and descriptors.
INTERVAL = 5
#: The maximum of the last third of the time may exceed that of the middle third by this much: MiB, descriptors.
SLACK = (48, 32)


class Counts:
    def __init__(self):
        self.lock = threading.Lock()
        self.done, self.failed, self.errors = {}, {}, {}

    def add(self, name, error=None):
        with self.lock:
            counts = self.failed if error else self.done
            counts[name] = counts.get(name, 0) + 1
            if error:
                self.errors.setdefault(name, str(error))


def run(service, minutes):
    """Mixed traffic for some minutes. Reports whether memory and descriptors level off and nothing failed."""
    counts, is_over = Counts(), threading.Event()
    kinds = list(traffic.ALL)
    if not shutil.which("ffmpeg"):
        kinds = [kind for kind in kinds if kind not in (traffic.film, traffic.training)]
    traffic.made_film(), traffic.made_classes()

    def work():
        client = traffic.Client(service)
        while not is_over.is_set():
            kind = random.choices(kinds, [traffic.ALL[kind] for kind in kinds])[0]
            try:
                kind(client)
                counts.add(kind.__name__)
            except Exception as error:  # noqa: BLE001: every failure belongs in the table
                counts.add(kind.__name__, error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    samples, start = [], time.monotonic()
    while time.monotonic() < start + minutes * 60:
        time.sleep(INTERVAL)
        samples.append((service.memory(), len(os.listdir(f"/proc/{service.pid}/fd"))))
        print(f"{len(samples) * INTERVAL:5} s {samples[-1][0]:5} MiB {samples[-1][1]:4} descriptors", file=sys.stderr)
    is_over.set()
    for thread in threads:
        thread.join(traffic.PATIENCE)
    return judge(samples, counts)


def judge(samples, counts):
    third = len(samples) // 3
    print("\n| errand | done | failed | first failure |\n|---|--:|--:|---|")
    for kind in traffic.ALL:
        name = kind.__name__
        error = counts.errors.get(name, "")
        print(f"| {name.replace('_', ' ')} | {counts.done.get(name, 0)} | {counts.failed.get(name, 0)} | {error} |")
    print("\n| third | MiB, most | descriptors, most |\n|---|--:|--:|")
    most = []
    for number, part in enumerate([samples[:third], samples[third : 2 * third], samples[2 * third :]], 1):
        most.append(tuple(max(sample[column] for sample in part) for column in (0, 1)))
        print(f"| {number} | {most[-1][0]} | {most[-1][1]} |")
    levels_off = all(most[2][column] <= most[1][column] + SLACK[column] for column in (0, 1))
    failures = sum(counts.failed.values())
    print(f"\nsoak: {sum(counts.done.values())} errands, {failures} failures, "
          f"{'levels off' if levels_off else 'GROWS'}")
    return levels_off and failures == 0


def memory(service, count, only=""):
    """Runs this many tasks of each kind separately, three times. Prints the resident memory after the C library has
    released free memory. Returns False if memory still grows in a kind's last round, since it then grows forever."""
    print("| kind | MiB before | after one round | after two | after three | KiB an errand, last round |")
    print("|---|--:|--:|--:|--:|--:|")
    is_steady = True
    for kind in [kind for kind in traffic.ALL if only in kind.__name__]:
        rounds = max(1, count // (50 if kind in (traffic.training, traffic.film, traffic.camera) else 1))
        client = traffic.Client(service)
        kind(client)
        figures = [trimmed(service)]
        for _ in range(3):
            for _ in range(rounds):
                kind(client)
            figures.append(trimmed(service))
        grown = (figures[3] - figures[2]) / rounds
        is_steady = is_steady and grown < 8
        row = " | ".join(f"{figure / 1024:.1f}" for figure in figures)
        print(f"| {kind.__name__.replace('_', ' ')} ({rounds} a round) | {row} | {grown:.2f} |", flush=True)
    return is_steady


def trimmed(service):
    """The resident memory in KiB. If gdb is installed, it first makes the C library release its free memory."""
    if shutil.which("gdb"):
        subprocess.run(["gdb", "-p", str(service.pid), "-batch", "-ex", "call (int) malloc_trim(0)"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    with open(f"/proc/{service.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
