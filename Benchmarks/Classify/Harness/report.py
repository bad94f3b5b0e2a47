"""Results as JSON, a Markdown page of ratios, and plots."""

import json
import pathlib
import random

import plots

OURS = "Menagerie"


def number(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def rates(results: dict, size: str) -> list[str]:
    """The table of photos per second by number of clients, and of our rate relative to the other services'."""
    services = results["services"]
    clients = list(next(iter(services.values()))["sizes"][size]["closed"])
    ours = services.get(OURS, {}).get("sizes", {}).get(size)
    lines = [
        f"| {size} | " + " | ".join(f"{count} client{'s' if int(count) > 1 else ''}" for count in clients)
        + " | best | ours is | CPU ms a photo |", "|---|" + "--:|" * (len(clients) + 3)]
    for name, service in services.items():
        measured = service["sizes"][size]
        cells = [number(measured["closed"][count]["rate"], 0) for count in clients]
        ratio = f"**{ours['capacity'] / measured['capacity']:.2f}×**" if ours and name != OURS else ""
        cpu = min(load["cpu_ms"] for load in measured["closed"].values() if load["cpu_ms"])
        lines.append(
            f"| {name} | " + " | ".join(cells) + f" | {number(measured['capacity'], 0)} | {ratio} | {number(cpu, 2)} |")
    bound = results["bound"][size]
    for name, part in (
        (f"bound: decoding and inference alone, {bound['second_stage_share']:.0%} in both stages", bound["whole"]),
        ("bound of the first stage", bound["first_stage"]),
    ):
        share = f"**{ours['capacity'] / part['photos_per_second']:.1%} of it**" if ours else ""
        lines.append(
            f"| {name} | " + " | ".join("" for _ in clients)
            + f" | {number(part['photos_per_second'], 0)} | {share} | {number(part['cpu_ms_per_photo'], 2)} |")
    return lines


def latencies(results: dict, size: str) -> list[str]:
    """The table of latencies of each service, with photos at random times at 70 % of the service's own capacity."""
    lines = [
        f"| {size}, at 70 % of its own capacity | photos/s | p50 ms | p99 ms | unloaded p50 / mean ms | p99 is | "
        "of a server that loses nothing |",
        "|---|--:|--:|--:|--:|--:|--:|"]
    for name, service in results["services"].items():
        measured = service["sizes"][size]
        load = measured["at_70"]
        alone = measured["closed"].get(1, measured["closed"].get("1"))
        if alone is None:
            lines.append(f"| {name} | {number(load['rate'], 0)} | {number(load['p50_ms'])} | {number(load['p99_ms'])} | – | – | – |")
            continue
        spread = alone["spread_ms"]
        ideal = ideal_latency(results["machine"]["cores"], spread)
        lines.append(
            f"| {name} | {number(load['rate'], 0)} | {number(load['p50_ms'])} | {number(load['p99_ms'])} | "
            f"{number(alone['p50_ms'])} / {number(sum(spread) / len(spread))} | {load['p99_ms'] / alone['p50_ms']:.1f}× that p50 | "
            f"**{load['p99_ms'] / ideal:.2f}×** ({number(ideal)} ms) |")
    return lines


def ideal_latency(cores: int, spread: list[float], load: float = 0.7, photos: int = 200_000) -> float:
    """The p99 in ms of a simulated ideal server (M/G/c queue). Photos come at random times, with the share `load` of
    the cores' capacity, and are served in turn. Each takes one core for a time drawn from `spread`."""
    chance = random.Random(1)
    mean = sum(spread) / len(spread)
    now, free, times = 0.0, [0.0] * cores, []
    for _ in range(photos):
        now += chance.expovariate(load * cores / mean)
        core = min(range(cores), key=free.__getitem__)
        free[core] = max(now, free[core]) + chance.choice(spread)
        times.append(free[core] - now)
    return sorted(times)[int(photos * 0.99)]


def overload(results: dict) -> list[str]:
    ours = results["services"].get(OURS)
    if not ours:
        return []
    lines = [
        "| overload: twice the capacity | answered/s | of capacity | refused/s | refused within, p50 / p99 / max ms | failed |",
        "|---|--:|--:|--:|--:|--:|"]
    for size, measured in ours["sizes"].items():
        load = measured["at_200"]
        refused = load["refused"] / (results["seconds"] * 1.5)
        lines.append(
            f"| {size} | {number(load['rate'], 0)} | **{load['rate'] / measured['capacity']:.1%}** | "
            f"{number(refused, 0)} | {number(load['refused_p50_ms'], 2)} / **{number(load['refused_p99_ms'], 2)}** / "
            f"{number(load['refused_max_ms'])} | {load['failed'] + load['other'] + load['unfinished']} |")
    return lines


def markdown(results: dict) -> str:
    machine = results["machine"]
    sizes = ", ".join(f"{size} ({bytes / 1000:,.0f} KB)" for size, bytes in results["photos"].items())
    lines = [
        f"{machine['processor']}, {machine['cores']} cores, Linux {machine['kernel']}; load average before: "
        f"{results['load_average_before']:.1f}. {results['seconds']:g} s a point. Photos: {sizes}.",
        "The load generator shares the cores. Photos a second:", ""]
    for size in results["photos"]:
        lines += [*rates(results, size), "", *latencies(results, size), ""]
    lines += [*overload(results), "", "Settings: " + "; ".join(
        f"{name}: {service['tuning']}" + (
            " (tried: " + ", ".join(f"{key} {rate:.0f}/s" for key, rate in service["tried"].items()) + ")"
            if service["tried"] else "")
        for name, service in results["services"].items()) + "."]
    return "\n".join(lines) + "\n"


def write(results: dict, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    drawings = {}
    for size in results["photos"]:
        services = {name: service["sizes"][size] for name, service in results["services"].items()}
        counts = list(next(iter(services.values()))["closed"])
        drawings[f"throughput-{size}.svg"] = plots.bars(
            f"Photos a second, {size}", [f"{count} clients" if int(count) > 1 else "1 client" for count in counts],
            {name: [measured["closed"][count]["rate"] for count in counts] for name, measured in services.items()},
            ("bound", results["bound"][size]["whole"]["photos_per_second"]))
        drawings[f"latency-{size}.svg"] = plots.bars(
            f"Milliseconds at 70 % of capacity, {size}", ["p50", "p99"],
            {name: [measured["at_70"]["p50_ms"], measured["at_70"]["p99_ms"]] for name, measured in services.items()})
    for name, drawing in drawings.items():
        (folder / name).write_text(drawing)
    pictures = "\n\n".join(f"![{name}]({name})" for name in drawings)
    (folder / "results.md").write_text(markdown(results) + "\n" + pictures + "\n")
