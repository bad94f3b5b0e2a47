"""Allocations and instructions per request. Other work on the machine does not affect these figures."""

import dataclasses
import os
import pathlib
import re
import shutil
import struct
import subprocess

from scenarios import ROUTES, Route, exchange
from servers import BENCHMARK, RunningServer, Subject

WARM_UP = 300


def drive(server: RunningServer, route: Route, requests: int) -> None:
    with server.connect() as connection:
        for _ in range(requests):
            exchange(connection, route)


def allocations(subject: Subject, folder: pathlib.Path, requests: int = 1000) -> dict[str, dict[str, float]]:
    """The calls to malloc, calloc and similar functions, and the requested bytes, per request of each route."""
    library = folder / "count_allocations.so"
    source = BENCHMARK / "Allocations" / "count_allocations.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    counts = folder / "allocation_counts"
    environment = {**os.environ, "LD_PRELOAD": str(library), "ALLOCATION_COUNTS": str(counts)}
    result = {}
    with RunningServer(subject, folder, loops=1, environment=environment) as server:
        for route in ROUTES:
            with server.connect() as connection:
                for _ in range(WARM_UP):
                    exchange(connection, route)
                before = struct.unpack("4Q", counts.read_bytes())
                for _ in range(requests):
                    exchange(connection, route)
                after = struct.unpack("4Q", counts.read_bytes())
            result[route.name] = {
                "allocations": (after[0] - before[0]) / requests,
                "reallocations": (after[3] - before[3]) / requests,
                "bytes": (after[2] - before[2]) / requests,
            }
    return result


def instructions(subject: Subject, folder: pathlib.Path, route: Route, requests: int = 2000) -> float | None:
    """Instructions in user space per request, by callgrind. None without valgrind. The difference of two runs
    excludes the start."""
    if shutil.which("valgrind") is None:
        return None
    # A copy without debug information, since valgrind fails on some of it.
    copy = dataclasses.replace(subject, package=folder / "without_debug_information")
    copy.executable.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["strip", "--strip-debug", "-o", copy.executable, subject.executable], check=True)
    totals = []
    for count in (WARM_UP, WARM_UP + requests):
        output = folder / f"callgrind.{count}"
        wrapper = ["valgrind", "--tool=callgrind", "--log-file=/dev/null", f"--callgrind-out-file={output}"]
        with RunningServer(copy, folder, loops=1, wrapper=wrapper, start_timeout=120) as server:
            drive(server, route, count)
        totals.append(int(re.search(r"^(?:totals|summary): (\d+)", output.read_text(), re.M)[1]))
    return (totals[1] - totals[0]) / requests
