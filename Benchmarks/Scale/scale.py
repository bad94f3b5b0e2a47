#!/usr/bin/env python3
"""Measures several replicas with one database: their speed-up, and the cost of faults. See README.md.

Benchmarks/Scale/run [--binary FILE] [--out FILE] [--only FAULT] throughput | faults | rows COUNT | consistency RUNS
"""

import argparse
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import threading
import time
import uuid

import consistency
import rows
from cluster import ROOT, Cluster, answers, processor_seconds, wait

PHOTO = ROOT / "Tests/Photos/cat.jpg"
LOAD = ROOT / ".build/scale-load"
# PostgreSQL's settings for a database on a small disk.
SMALL = ["min_wal_size=32MB", "max_wal_size=64MB"]


# MARK: How fast


def load(port, path, clients, seconds, core="3"):
    command = ["taskset", "-c", core, LOAD, str(port), path, "closed", str(clients), str(seconds), "2", str(PHOTO)]
    return json.loads(subprocess.check_output([str(part) for part in command], text=True))


def throughput(arguments):
    """Compares two replicas on two cores with one on one core, in turns. Also measures the balancer's cost."""
    seconds = arguments.seconds
    results = {}
    for path in ["/classify?save=false", "/classify?save=true"]:
        one, two, cost, direct, through = [], [], [], [], []
        with Cluster(["0", "1"], arguments.binary) as cluster:
            ports = [replica.port for replica in cluster.replicas]
            for _ in range(arguments.rounds):
                # The same replica alone, while the other one and the balancer are idle.
                one.append(load(ports[0], path, 4, seconds)["rate"])
                before, start = processor_seconds(cluster.balancer.process.pid), time.monotonic()
                result = load(cluster.balancer.port, path, 8, seconds)
                used = processor_seconds(cluster.balancer.process.pid) - before
                # The processor time includes the warm-up, whose photos have about the same rate.
                cost.append(used / (result["rate"] * (time.monotonic() - start)))
                two.append(result["rate"])
                direct.append(load(ports[0], path, 1, seconds)["p50_ms"])
                through.append(load(cluster.balancer.port, path, 1, seconds)["p50_ms"])
        results[path] = {
            "one_per_s": [round(value, 1) for value in one],
            "two_per_s": [round(value, 1) for value in two],
            "ratio": round(statistics.median(b / a for a, b in zip(one, two)), 2),
            "balancer_processor_us_per_request": round(statistics.median(cost) * 1e6),
            "direct_p50_ms": round(statistics.median(direct), 2),
            "balanced_p50_ms": round(statistics.median(through), 2),
        }
    return results


# MARK: What a fault costs


class Traffic:
    """Clients that send photos to be saved, each with its own key, and record the results."""

    def __init__(self, port, clients=6):
        self.port = port
        self.photo = PHOTO.read_bytes()
        self.answers = []  # (when it was sent, when it ended, status or the name of the error, id of the scan)
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.client) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def client(self):
        connection = None
        while not self.stopping.is_set():
            start, scan = time.monotonic(), None
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                headers = {"Content-Type": "image/jpeg", "Idempotency-Key": str(uuid.uuid4())}
                connection.request("POST", "/classify?save=true", self.photo, headers)
                response = connection.getresponse()
                body, status = response.read(), response.status
                if status == 200:
                    scan = json.loads(body)["id"]
            except (OSError, http.client.HTTPException) as error:
                status, connection = type(error).__name__, None
            self.answers.append((start, time.monotonic(), status, scan))
            if status != 200:
                time.sleep(0.05)

    def wait_for(self, count):
        wait(f"{count} requests", lambda: len(self.answers) >= count, 900)

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def report(self, cluster):
        """Requests every acknowledged scan with its photo from every replica."""
        done = sorted(end for _, end, status, _ in self.answers if status == 200)
        failures = {}
        for _, _, status, _ in self.answers:
            if status != 200:
                failures[str(status)] = failures.get(str(status), 0) + 1
        scans = [scan for *_, scan in self.answers if scan]
        return {
            "requests": len(self.answers),
            "failed": sum(failures.values()),
            "error_rate": round(sum(failures.values()) / len(self.answers), 4),
            "failures": failures,
            "longest_gap_s": round(max((b - a for a, b in zip(done, done[1:])), default=0), 2),
            "slowest_s": round(max(end - start for start, end, *_ in self.answers), 2),
            "acknowledged": len(scans),
            "acknowledged_twice": len(scans) - len(set(scans)),
            "lost": sum(lost(replica.port, scans) for replica in cluster.replicas),
        }


def lost(port, scans):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    missing = 0
    for scan in scans:
        statuses = []
        for path in [f"/history/{scan}", f"/history/{scan}/photo"]:
            connection.request("GET", path)
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
        missing += statuses != [200, 200]
    return missing


def rolling_restart(cluster, traffic, count):
    """Stops (SIGTERM) and restarts replicas one after the other, until enough requests were answered."""
    restarts = 0
    while len(traffic.answers) < count:
        for replica in cluster.replicas:
            replica.stop()
            replica.start().ready()
            # The balancer must have noticed it.
            time.sleep(1)
            restarts += 1
    return {"restarts": restarts}


def upgrade(cluster, traffic, binary):
    """Replaces replicas of an earlier release by current ones, one after the other. Meanwhile both serve."""
    traffic.wait_for(300)
    both = 0
    for replica in cluster.replicas:
        replica.stop()
        replica.command = [str(binary) if part == cluster.binary else part for part in replica.command]
        replica.start().ready()
        before = len(traffic.answers)
        traffic.wait_for(before + 300)
        both = both or len(traffic.answers) - before
    return {"requests_while_both_served": both}


def killed_replica(cluster, traffic, count):
    kills = 0
    while len(traffic.answers) < count:
        for replica in cluster.replicas:
            time.sleep(1)
            replica.stop(9)
            replica.start().ready()
            time.sleep(1)
            kills += 1
    return {"kills": kills}


def until_saved(traffic):
    """Waits for a saved scan and some more requests. Returns the seconds until the first."""
    start, before = time.monotonic(), len(traffic.answers)
    wait("a scan", lambda: any(answer[2] == 200 and answer[0] >= start for answer in traffic.answers[before:]))
    seconds = time.monotonic() - start
    traffic.wait_for(len(traffic.answers) + 300)
    return round(seconds, 2)


def stopped_database(cluster, traffic, seconds):
    """Kills the database and starts it again after some seconds."""
    traffic.wait_for(300)
    cluster.database.stop("immediate")
    time.sleep(seconds)
    cluster.database.start()
    return {"stopped_s": seconds, "first_scan_after_s": until_saved(traffic)}


def failover(cluster, traffic, seconds):
    """Kills the database for good. After some seconds an operator promotes the standby."""
    traffic.wait_for(300)
    cluster.database.stop("immediate")
    time.sleep(seconds)
    cluster.standby.promote()
    return {"promoted_after_s": seconds, "first_scan_after_s": until_saved(traffic)}


def full_disk(cluster, traffic, seconds):
    """Fills the database's disk and frees it after some seconds."""
    traffic.wait_for(300)
    ballast = cluster.database.folder / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        for size in [1 << 20, 4096]:
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass
    time.sleep(seconds)
    ballast.unlink()
    runs = cluster.database.runs()
    if not runs:
        # A service manager would restart the database.
        cluster.database.start()
    return {"full_s": seconds, "database_survived": runs, "first_scan_after_s": until_saved(traffic)}


def faults(arguments):
    results = {}
    plan = {
        "rolling restart": (lambda *a: rolling_restart(*a, arguments.requests), {}),
        "kill -9": (lambda *a: killed_replica(*a, arguments.requests // 4), {}),
        "database stopped": (lambda *a: stopped_database(*a, 20), {}),
        "failover": (lambda *a: failover(*a, 5), {"has_standby": True}),
        "upgrade": (lambda *a: upgrade(*a, arguments.binary), {"binary": arguments.earlier}),
        "full disk": (lambda *a: full_disk(*a, 20), {"megabytes": 192, "database_settings": SMALL}),
    }
    for name, (fault, settings) in plan.items():
        if (arguments.only and arguments.only not in name) or (name == "upgrade" and not arguments.earlier):
            continue
        with Cluster(["0", "1"], **{"binary": arguments.binary} | settings) as cluster:
            traffic = Traffic(cluster.balancer.port)
            try:
                said = fault(cluster, traffic)
            finally:
                traffic.stop()
            for replica in cluster.replicas:
                wait(replica.name, lambda: answers(replica.port))
            results[name] = said | traffic.report(cluster)
        print(name, json.dumps(results[name]), flush=True)
    return results


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / ".build/release/menagerie")
    parser.add_argument("--earlier", type=pathlib.Path, help="the binary of an earlier release, to be upgraded from")
    parser.add_argument("--out", type=pathlib.Path, help="where the figures are written, as JSON")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--only", help="the fault that is wanted, by a word of its name; of rows, the database")
    parser.add_argument("what", choices=["throughput", "faults", "rows", "consistency"])
    parser.add_argument("count", type=int, nargs="?")
    arguments = parser.parse_args()
    work = {"throughput": throughput, "faults": faults, "rows": rows.measure, "consistency": consistency.check}
    result = {"what": arguments.what, "cores": os.cpu_count(), "result": work[arguments.what](arguments)}
    text = json.dumps(result, indent=2)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
