"""Runs the comparison. First it measures the bound, then one service after the other with the same loads."""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import photos
import report
from load import Generator
from services import CORES, ROOT, SERVICES, Service


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def build() -> None:
    for product in ("menagerie", "ClassifyBound"):
        subprocess.run(["swift", "build", "--configuration", "release", "--product", product], cwd=ROOT, check=True)


def bound(options: argparse.Namespace, files: list[pathlib.Path]) -> dict:
    """The photos per second without a service: the better of one loop and two loops per core. A single loop is
    sometimes idle while the engine's own thread works."""
    results = []
    for loops in (CORES, 2 * CORES):
        command = [
            str(ROOT / ".build" / "release" / "ClassifyBound"), str(options.model), str(loops),
            f"{options.seconds / 2:g}", *map(str, files)]
        results.append({
            "loops": loops, **json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)})
    return max(results, key=lambda result: result["whole"]["photos_per_second"])


def tuned(kind: type[Service], options: argparse.Namespace, generator: Generator, files: list[pathlib.Path]):
    """Tries a service's settings with 8 clients. Returns the fastest setting, and the photos per second of each."""
    if len(kind.tunings) == 1 or options.quick:
        return kind.tunings[0], {}
    rates = {}
    for tuning in kind.tunings:
        with kind(options.model, tuning) as service:
            service.await_answer(files[0])
            rates[tuning] = generator.closed(service, 8, 2, files)["rate"]
    best = max(rates, key=rates.get)
    return best, {str(tuning): rate for tuning, rate in rates.items()}


def measure(
    kind: type[Service], options: argparse.Namespace, generator: Generator, files: dict[str, list[pathlib.Path]]
) -> dict:
    tuning, tried = tuned(kind, options, generator, next(iter(files.values())))
    result: dict = {"tuning": str(tuning), "tried": tried, "sizes": {}}
    with kind(options.model, tuning) as service:
        result["start_s"] = service.await_answer(next(iter(files.values()))[0])
        for size, pictures in files.items():
            say(f"{kind.name}, {size}")
            generator.closed(service, 8, 1, pictures)
            closed = {
                clients: generator.closed(service, clients, options.seconds, pictures) for clients in options.clients}
            capacity = max(load["rate"] for load in closed.values())
            measured = {"closed": closed, "capacity": capacity}
            measured["at_70"] = generator.open(service, 0.7 * capacity, options.seconds * 2, pictures)
            if kind.name == "Menagerie":
                measured["at_200"] = generator.open(service, 2 * capacity, options.seconds * 1.5, pictures)
            result["sizes"][size] = measured
    return result


def run(options: argparse.Namespace) -> None:
    if not options.no_build:
        build()
    with tempfile.TemporaryDirectory(prefix="classify-") as name:
        folder = pathlib.Path(name)
        files = photos.prepare(options.photos, folder)
        if options.quick:
            files = {"500x375": files["500x375"]}
        generator = Generator.build(folder)
        results = {
            "machine": machine(), "load_average_before": os.getloadavg()[0], "seconds": options.seconds,
            "photos": {size: sum(file.stat().st_size for file in pictures) / len(pictures)
                       for size, pictures in files.items()},
            "bound": {}, "services": {},
        }
        for size, pictures in files.items():
            say(f"bound, {size}")
            results["bound"][size] = bound(options, pictures)
        for name in options.servers:
            results["services"][SERVICES[name].name] = measure(SERVICES[name], options, generator, files)
    report.write(results, options.output)
    print(report.markdown(results))


def machine() -> dict:
    model = next(
        (line.partition(":")[2].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
         if line.startswith("model name")), platform.machine())
    return {"processor": model, "cores": CORES, "kernel": platform.release()}
