#!/usr/bin/env python3
"""Abuses a service as hostile and broken clients would, while an ordinary client measures its latency.

    Scripts/test abuse                  starts .build/release/menagerie (or debug) with short timeouts; every attack
    Scripts/test abuse --quick          fewer connections: under a minute
    Scripts/test abuse --binary FILE    another program
    Scripts/test abuse --soak 30        ordinary traffic for this many minutes; memory and descriptors must level off
    Scripts/test abuse --memory 1000    this many requests of each kind separately, and the memory that each kind keeps
    Scripts/test abuse URL              a running service on this machine; its timeouts may take a while

Prints a table, and ends with an error if the service did not withstand an attack. Times are printed but not judged.
"""
import argparse
import multiprocessing
import pathlib
import resource
import sys
import time

sys.dont_write_bytecode = True

import attacks  # noqa: E402
import soak  # noqa: E402
from bystander import Bystander  # noqa: E402
from service import Service  # noqa: E402

#: The largest allowed growth of memory at the end, in MiB. Allocators keep some of the memory that they once used.
GROWTH = 96


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", nargs="?", help="of a running service; without it one is started")
    parser.add_argument("--binary", type=pathlib.Path, help="the program to start")
    parser.add_argument("--quick", action="store_true", help="a tenth of the connections or less")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="mixed traffic instead of attacks")
    parser.add_argument("--memory", type=int, metavar="COUNT", help="requests of each kind instead of attacks")
    parser.add_argument("--only", help="attacks, or kinds of requests, whose name contains this text")
    return parser.parse_args()


def run(service: Service, options: argparse.Namespace) -> list[tuple]:
    """A row for each attack: name, whether the service withstood it, the observation, p50 and p99 in ms, MiB."""
    rows = []
    with Bystander(service.address) as bystander:
        time.sleep(1)
        p50, p99, failures = bystander.take()
        rows.append(("nothing", failures == 0, "the ordinary client alone", p50, p99, service.memory()))
        for attack in attacks.ALL:
            if options.only and options.only not in attack.__name__:
                continue
            print(f"{attack.__name__.replace('_', ' ')} …", file=sys.stderr, flush=True)
            try:
                is_withstood, seen = attack(service, options.quick)
            except Exception as error:  # noqa: BLE001: every failure belongs in the table
                is_withstood, seen = False, f"{type(error).__name__}: {error}"
            p50, p99, failures = bystander.take()
            if failures:
                seen += f"; the ordinary client failed {failures} times"
            rows.append(
                (attack.__name__.replace("_", " "), is_withstood and failures == 0, seen, p50, p99, service.memory()))
    return rows


def main() -> None:
    options = arguments()
    multiprocessing.set_start_method("fork")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    with Service(options.url, options.binary) as service:
        if options.soak or options.memory:
            if options.soak:
                sys.exit(not soak.run(service, options.soak))
            sys.exit(not soak.memory(service, options.memory, options.only or ""))
        before = service.memory()
        rows = run(service, options)
        if service.binary and not options.only:
            is_withstood, seen = attacks.exhausted_descriptors(service)
            rows.append(("exhausted descriptors", is_withstood, seen, None, None, None))
        connections = service.settled_connections()
        rows.append(("connections at the end", connections <= 2, f"{connections} open", None, None, None))
        after = service.memory()
        if before and after:
            rows.append(
                ("memory at the end", after - before <= GROWTH, f"{before} MiB before, {after} after", None, None, after))
    print("\n| attack | withstood | seen | p50 ms | p99 ms | MiB |\n|---|---|---|--:|--:|--:|")
    for name, is_withstood, seen, p50, p99, memory in rows:
        figures = [f"{p50:.1f}" if p50 is not None else "", f"{p99:.1f}" if p99 is not None else "", str(memory or "")]
        print(f"| {name} | {'yes' if is_withstood else '**no**'} | {seen} | {' | '.join(figures)} |")
    passed = sum(row[1] for row in rows)
    print(f"\nabuse: {passed} of {len(rows)} passed")
    sys.exit(passed < len(rows))


if __name__ == "__main__":
    main()
