"""Results as JSON and as a Markdown table of ratios."""

import json
import os
import pathlib
import platform
import statistics
from dataclasses import asdict, fields

from load import Load, Sample

NAMES = ("Menagerie", "Hummingbird")


def median(samples: list[Sample]) -> Sample:
    """The median of each figure separately. Errors are summed."""
    middle = {}
    for field in fields(Sample):
        values = [getattr(sample, field.name) for sample in samples]
        middle[field.name] = None if None in values else statistics.median(values)
    return Sample(**{**middle, "errors": sum(sample.errors for sample in samples)})


def row(load: Load, samples: dict[str, list[Sample]]) -> dict:
    ours, theirs = (median(samples[name]) for name in NAMES)
    return {
        "route": load.route.name, "connections": load.connections, "depth": load.depth,
        "menagerie": asdict(ours), "hummingbird": asdict(theirs),
        "ratios": {
            "requests_per_second": divided(ours.requests_per_second, theirs.requests_per_second),
            "p99": divided(ours.p99_ms, theirs.p99_ms),
            "cpu_per_request": divided(ours.cpu_us_per_request, theirs.cpu_us_per_request),
        },
        "samples": {name.lower(): [asdict(sample) for sample in samples[name]] for name in NAMES},
    }


def machine() -> dict:
    model = next(
        (line.partition(":")[2].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
         if line.startswith("model name")), platform.machine())
    return {"processor": model, "cores": os.cpu_count(), "kernel": platform.release()}


def ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}×"


def divided(ours: float | None, theirs: float | None) -> float | None:
    return None if ours is None or not theirs else ours / theirs


def pair(values: tuple[float | None, float | None], form: str) -> str:
    return "–" if None in values else " / ".join(format(value, form) for value in values)


def markdown(results: dict) -> str:
    machine = results["machine"]
    load = results["load_average_before"]
    lines = [
        f"{machine['processor']}, {machine['cores']} cores, Linux {machine['kernel']}; load average before: {load:.1f}.",
        f"Medians of {results['rounds']} rounds of {results['seconds']} s, servers in turn, {results['loops']} loops each.",
        "wrk and the server share the cores, so the ratios understate the difference between the servers. "
        "CPU: user and system time of the server's process per request.",
        "Each pair is Menagerie / Hummingbird; ratios above 1 for requests, below 1 for p99 and CPU, favour Menagerie.",
        "",
        "| request | connections | pipelined | requests/s | **ratio** | p50 ms | p99 ms | ratio | CPU µs | ratio | errors |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in results["rows"]:
        both = (row["menagerie"], row["hummingbird"])
        cells = [
            row["route"], str(row["connections"]), str(row["depth"]) if row["depth"] > 1 else "no",
            pair(tuple(side["requests_per_second"] for side in both), ",.0f"),
            f"**{ratio(row['ratios']['requests_per_second'])}**",
            pair(tuple(side["p50_ms"] for side in both), ".2f"), pair(tuple(side["p99_ms"] for side in both), ".2f"),
            ratio(row["ratios"]["p99"]),
            pair(tuple(side["cpu_us_per_request"] for side in both), ".1f"), ratio(row["ratios"]["cpu_per_request"]),
            pair(tuple(side["errors"] for side in both), ".0f"),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *costs(results["costs"])]) + "\n"


def costs(costs: dict) -> list[str]:
    lines = [
        "| per request, one connection | allocations: Menagerie / Hummingbird | bytes | instructions in user space |",
        "|---|--:|--:|--:|",
    ]
    for name in costs["menagerie"]["allocations"]:
        both = [costs[side]["allocations"][name] for side in ("menagerie", "hummingbird")]
        instructions = costs["menagerie"]["instructions"].get(name)
        lines.append(
            f"| {name} | {pair(tuple(side['allocations'] for side in both), '.1f')} "
            f"| {pair(tuple(side['bytes'] for side in both), ',.0f')} "
            f"| {'–' if instructions is None else format(instructions, ',.0f')} |")
    return lines


def write(results: dict, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    (folder / "results.md").write_text(markdown(results))
