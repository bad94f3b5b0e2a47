"""Tests two replicas behind HAProxy that are stopped, killed and overloaded: replicas.py BINARY.

Scripts/test replicas runs this in a separate network with a PostgreSQL server.
"""

import collections
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTO = (ROOT / "Tests/Photos/cat.jpg").read_bytes()
PORTS = {"one": 8081, "two": 8082}


def check(name, truth, told=""):
    if not truth:
        sys.exit(f"FAIL  {name} {told}")
    print(f"ok    {name}{f' ({told})' if told else ''}", flush=True)


def wait(condition, complaint, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    sys.exit(f"FAIL  {complaint}")


class Replica:
    """One of the two replicas, with the environment of the compose file."""

    def __init__(self, binary, name, work):
        self.binary, self.name, self.work, self.port = binary, name, work, PORTS[name]
        composed = yaml.safe_load((ROOT / "Deploy/replicas/compose.yaml").read_text())["services"][name]["environment"]
        image = dict(re.findall(r"(MENAGERIE_\w+)=(\S+)", (ROOT / "Dockerfile").read_text().split("\nENV ")[1]))
        self.environment = {
            key: re.sub(r"\$\{\w+:-(.*)\}", r"\1", value).replace("/run/secrets", str(work)).replace(
                "/data", str(work / "data")).replace("172.31.88.0/24", "127.0.0.1/32")
            for key, value in (image | composed).items()} | {
            "MENAGERIE_HTTP_PORT": str(self.port), "MENAGERIE_HTTP_HOST": "127.0.0.1"}
        self.log = work / f"{name}.log"

    def start(self, **more):
        kept = {key: value for key, value in os.environ.items() if not key.startswith("MENAGERIE_")}
        self.process = subprocess.Popen(
            [self.binary, "serve"], env=kept | self.environment | more, stdout=(self.work / f"{self.name}.out").open("a"),
            stderr=self.log.open("a"))
        wait(lambda: self.process.poll() is None and self.is_ready(), f"{self.name} does not answer:\n" + self.log.read_text()[-2000:])

    def is_ready(self):
        try:
            return self.ask("/readyz")[0] == 200
        except OSError:
            return False

    def ask(self, target, key=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", target, headers={"Authorization": f"Bearer {key}"} if key else {})
        response = connection.getresponse()
        return response.status, response.read()

    def scans(self):
        """The number of photos that the replica has answered with each status, from its log."""
        return collections.Counter(re.findall(
            r'"method":"POST".*?"status":"?(\d+)"?.*?"target":"/classify', self.log.read_text()))

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


class Site:
    """The service behind the balancer, as clients see it."""

    def __init__(self, work):
        self.context = ssl.create_default_context(cafile=str(work / "site.pem"))
        self.key = None

    def connect(self):
        return http.client.HTTPSConnection("localhost", 443, timeout=60, context=self.context)

    def ask(self, method, target, body=None, connection=None, **headers):
        used = connection or self.connect()
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        used.request(method, target, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = used.getresponse()
        text = response.read().decode(errors="replace")
        if connection is None:
            used.close()
        return response, text

    def scan(self, connection=None, **headers):
        return self.ask("POST", "/classify", PHOTO, connection, Content_Type="image/jpeg", **headers)


class Clients:
    """Some clients, each on a connection that it keeps, which scan until they are told to stop."""

    def __init__(self, site, count, **headers):
        self.site, self.headers = site, headers
        self.answers, self.failures, self.identifiers = collections.Counter(), [], []
        self.ending, self.numbers, self.lock = threading.Event(), iter(range(1 << 30)), threading.Lock()
        self.threads = [threading.Thread(target=self.run) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def run(self):
        connection = self.site.connect()
        while not self.ending.is_set():
            with self.lock:
                key = f"{id(self)}-{next(self.numbers)}"
            try:
                response, text = self.site.scan(connection, Idempotency_Key=key)
                self.answers[response.status] += 1
                if response.status == 200:
                    self.identifiers.append(json.loads(text)["id"])
                else:
                    self.failures.append((response.status, text[:200]))
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(repr(error))
                connection.close()
                connection = self.site.connect()
        connection.close()

    def stop(self):
        self.ending.set()
        for thread in self.threads:
            thread.join()


class HAProxy:
    def __init__(self, work):
        self.socket = work / "haproxy.sock"
        text = (ROOT / "Deploy/replicas/haproxy.cfg").read_text()
        for name, port in PORTS.items():
            text = text.replace(f"{name}:8080", f"127.0.0.1:{port}")
        # The addresses need no name server, and the separate network does not reach this machine's name servers.
        text = text.replace("parse-resolv-conf", "nameserver none 127.0.0.1:53")
        configuration = work / "haproxy.cfg"
        configuration.write_text(text.replace("/run/secrets/site.pem", str(work / "site.pem")))
        environment = os.environ | {"HAPROXY_SOCKET": str(self.socket)}
        done = subprocess.run(["haproxy", "-c", "-f", configuration], env=environment, capture_output=True, text=True)
        check("HAProxy takes its file without a warning", done.returncode == 0 and "WARNING" not in done.stderr,
              done.stderr if "WARNING" in done.stderr or done.returncode else "")
        self.log = (work / "haproxy.log").open("w")
        self.process = subprocess.Popen(["haproxy", "-db", "-f", configuration], env=environment, stdout=self.log, stderr=self.log)
        wait(self.socket.exists, "HAProxy does not start")

    def server(self, name):
        """HAProxy's statistics of a replica."""
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(str(self.socket))
            control.sendall(b"show stat\n")
            lines = b"".join(iter(lambda: control.recv(65536), b"")).decode().splitlines()
        names = lines[0].lstrip("# ").split(",")
        return next(row for row in (dict(zip(names, line.split(","))) for line in lines[1:]) if row.get("svname") == name)


def main(binary):
    work = pathlib.Path(tempfile.mkdtemp(prefix="menagerie-replicas-"))
    (work / "data").mkdir()
    (work / "postgresql_url").write_text(os.environ["MENAGERIE_HISTORY_POSTGRESQL_URL"])
    (work / "make-secrets").write_text((ROOT / "Deploy/make-secrets").read_text())
    subprocess.run(["bash", work / "make-secrets"], check=True, stdout=subprocess.DEVNULL)
    (work / "site.pem").write_text((work / "secrets/site.pem").read_text())
    one, two = (Replica(binary, name, work) for name in PORTS)
    proxy = None
    try:
        one.start()
        two.start()
        printed = re.findall(r"^ *([A-Za-z0-9_-]{20,})$", (work / "one.out").read_text(), re.MULTILINE)
        check("the first start printed a key, the second none", len(printed) == 1 and not (work / "two.out").read_text().strip())
        proxy = HAProxy(work)
        site = Site(work)
        wait(lambda: all(proxy.server(name)["status"] == "UP" for name in PORTS), "HAProxy does not see the replicas")
        run(one, two, proxy, site, printed[0])
    finally:
        for process in [one, two, proxy]:
            if process and getattr(process, "process", None) and process.process.poll() is None:
                process.process.terminate()
                process.process.wait(60)


def run(one, two, proxy, site, key):
    check("without a key nobody gets in", site.ask("GET", "/history")[0].status == 401)
    site.key = key
    check("the metrics of some replica are not to be had", site.ask("GET", "/metrics")[0].status == 404)
    response, text = site.scan()
    scan = json.loads(text)["id"]
    check("a photo is answered", response.status == 200)
    check("both replicas know the scan", [replica.ask(f"/history/{scan}", key)[0] for replica in (one, two)] == [200, 200])

    # HAProxy chooses the replica with the fewest connections. Each must get a similar share of eight clients' photos.
    wait(lambda: all(proxy.server(name)["weight"] == "100" for name in PORTS), "the slow start does not end")
    before = [sum(replica.scans().values()) for replica in (one, two)]
    clients = Clients(site, 8)
    time.sleep(4)
    clients.stop()
    shares = [sum(replica.scans().values()) - earlier for replica, earlier in zip((one, two), before)]
    check("both get their share", not clients.failures and min(shares) > 0.3 * sum(shares), f"{shares[0]} and {shares[1]} scans")

    # The replicas are restarted one after the other while all clients scan.
    clients = Clients(site, 8)
    for replica in (one, two):
        time.sleep(1)
        began = time.monotonic()
        check(f"{replica.name} stops in good order", replica.stop() == 0, f"{time.monotonic() - began:.1f} s")
        replica.start()
        wait(lambda replica=replica: proxy.server(replica.name)["status"] == "UP", "it does not come back")
        weight = int(proxy.server(replica.name)["weight"])
        check(f"{replica.name} is given little at first", weight < 100, f"weight {weight} of 100")
    clients.stop()
    check("no request failed meanwhile", not clients.failures and clients.answers[200] > 0,
          clients.failures[:3] or f"{clients.answers[200]} scans")
    check("nor was a scan lost", lost(one, key, clients.identifiers) == [])

    # A replica is killed while the clients scan. HAProxy repeats the requests that may be repeated.
    clients = Clients(site, 8)
    time.sleep(2)
    two.process.send_signal(signal.SIGKILL)
    two.process.wait()
    time.sleep(3)
    clients.stop()
    check("a replica that is killed costs no request with an Idempotency-Key", not clients.failures,
          clients.failures[:3] or f"{clients.answers[200]} scans")
    check("nor a scan", lost(one, key, clients.identifiers) == [])

    # A replica with room for one photo refuses the others. The other replica answers them.
    two.start(MENAGERIE_RECOGNITION_MAX_QUEUE_SIZE="1")
    wait(lambda: proxy.server("two")["status"] == "UP", "it does not come back")
    before = two.scans()["503"]
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        answers = collections.Counter(pool.map(lambda _: site.scan()[0].status, range(240)))
    time.sleep(0.5)
    refused = two.scans()["503"] - before
    check("a full replica refuses", refused > 0, f"{refused} times")
    check("and the other answers", answers == {200: 240}, dict(answers))

    # One replica is stopped and the other is full. The client gets the refusal with its Retry-After.
    one.stop()
    wait(lambda: proxy.server("one")["status"] != "UP", "it is still taken for one that answers")
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        responses = list(pool.map(lambda _: site.scan()[0], range(120)))
    refusals = [response for response in responses if response.status == 503]
    check("where all are full the client is told when to come again",
          refusals and all(int(response.headers["Retry-After"]) >= 1 for response in refusals),
          f"{len(refusals)} of {len(responses)} refused")
    check("and nothing else happens", {response.status for response in responses} <= {200, 503})


def lost(replica, key, identifiers):
    return [scan for scan in identifiers if any(replica.ask(f"/history/{scan}{part}", key)[0] != 200 for part in ("", "/photo"))]


if __name__ == "__main__":
    main(*sys.argv[1:])
