"""Checks that replicas behave like one store under faults: keys, deletions and undoing are linearisable.

Clients send requests to random replicas and record when each was sent and answered, and the answer. For each key a
search looks for an order of its requests in which one machine alone could have given these answers, each between its
sending and its answer (Wing and Gong, 1993, with the memory of Lowe, 2017). A request without an answer may have been
carried out at any time after it was sent, or never.
"""

import dataclasses
import http.client
import json
import math
import random
import threading
import time

from cluster import ROOT, Cluster, wait

# The same picture in two different files. Bytes after the picture's end are ignored.
PHOTO = (ROOT / "Tests/Photos/cat.jpg").read_bytes()
PHOTOS = {"one": PHOTO, "other": PHOTO + b"\0"}


@dataclasses.dataclass
class Request:
    kind: str  # put, get, delete or undo
    start: float
    end: float
    argument: object  # the photo of a put, the deletion of an undo
    answer: object  # None: unknown


# MARK: What one machine would answer

# The state of a key: (id of the scan, photo, deletion). The deletion is None while the scan exists.
EMPTY = (None, None, None)


def step(state, request):
    """The state after a request. None if this answer is impossible in this state."""
    scan, photo, deletion = state
    answer = request.answer
    if request.kind == "put":
        if scan is None:
            made = answer[1] if answer else f"?{id(request)}"
            return (made, request.argument, None) if answer is None or answer[0] == 200 else None
        if answer is None:
            return state
        if photo != request.argument:
            return state if answer[0] == 422 else None
        # The id of a scan is unknown if its first answer was lost.
        if scan.startswith("?") and answer[0] == 200:
            return (answer[1], photo, deletion)
        return state if answer == (200, scan) else None
    is_there = scan is not None and deletion is None
    if request.kind == "get":
        return state if answer is None or answer == (200 if is_there else 404) else None
    if request.kind == "delete":
        if not is_there:
            return state if answer is None or answer[0] == 404 else None
        if answer is None:
            return (scan, photo, f"?{id(request)}")
        return (scan, photo, answer[1]) if answer[0] == 204 else None
    if deletion == request.argument:
        return (scan, photo, None) if answer in (None, 200) else None
    return state if answer is None or answer != 200 else None


def is_linearisable(requests):
    """Searches for an order, depth first, without repeating failed states."""
    requests = sorted(requests, key=lambda request: request.start)
    tried = set()
    open_ends = {index for index, request in enumerate(requests) if request.answer is None}
    stack = [(frozenset(range(len(requests))), EMPTY)]
    while stack:
        left, state = stack.pop()
        if left <= open_ends:
            return True
        if (left, state) in tried:
            continue
        tried.add((left, state))
        # A request that began after another one had ended cannot come first.
        first_end = min(requests[index].end for index in left)
        for index in left:
            if requests[index].start > first_end:
                continue
            after = step(state, requests[index])
            if after is not None:
                stack.append((left - {index}, after))
            elif requests[index].answer is None:
                stack.append((left - {index}, state))
    return False


# MARK: Asking


class Key:
    def __init__(self, name):
        self.name = name
        self.requests, self.scans, self.deletions = [], [], []
        self.lock = threading.Lock()

    def note(self, request):
        with self.lock:
            self.requests.append(request)


def ask(port, method, path, body=None, headers=None):
    """Sends a request and returns the parsed response. Returns None if the request's result is unknown. Raises
    ConnectionRefusedError if the request was never sent."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response, response.read()
    except ConnectionRefusedError:
        raise
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def client(ports, keys, end, seed):
    chance = random.Random(seed)
    while time.monotonic() < end:
        key, port = chance.choice(keys), chance.choice(ports)
        with key.lock:
            # The search grows with the number of requests for one key.
            if len(key.requests) >= 60:
                continue
            scan = chance.choice(key.scans) if key.scans else None
            deletion = chance.choice(key.deletions[-3:]) if key.deletions else None
        kind = chance.choice(["put", "get", "delete", "undo", "undo"]) if scan else "put"
        if kind == "undo" and not deletion:
            kind = "delete"
        argument = {"put": chance.choice(list(PHOTOS)), "undo": deletion}.get(kind)
        start = time.monotonic()
        try:
            said = send(port, kind, key, scan, argument)
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            note(key, kind, start, argument, said)


def send(port, kind, key, scan, argument):
    if kind == "put":
        headers = {"Content-Type": "image/jpeg", "Idempotency-Key": key.name}
        return ask(port, "POST", "/classify?save=true", PHOTOS[argument], headers)
    if kind == "undo":
        return ask(port, "POST", f"/history/deletions/{argument}/undo")
    return ask(port, "GET" if kind == "get" else "DELETE", f"/history/{scan}")


def note(key, kind, start, argument, said):
    end, answer = time.monotonic(), None
    status = said[0].status if said else 500
    if status >= 500:
        # The service may have made the change before it refused, so the request may take effect at any later time.
        end = math.inf
    elif kind == "put":
        answer = (status, json.loads(said[1])["id"] if status == 200 else None)
        if status == 200:
            key.scans.append(answer[1])
    elif kind == "delete":
        deletion = None
        if status == 204:
            deletion = said[0].getheader("Link").split("/deletions/")[1].split("/undo")[0]
            key.deletions.append(deletion)
        answer = (status, deletion)
    else:
        answer = status
    key.note(Request(kind, start, end, argument, answer))


# MARK: Faults


def disturb(cluster, end, seed):
    """Kills replicas and stops the database at intervals."""
    chance = random.Random(seed)
    done = []
    while time.monotonic() < end - 3:
        time.sleep(chance.uniform(0.5, 2))
        fault = chance.choice(["kill", "kill", "terminate", "database"])
        if fault == "database":
            cluster.database.stop("immediate")
            time.sleep(chance.uniform(0, 2))
            cluster.database.start()
        else:
            replica = chance.choice(cluster.replicas)
            replica.stop(9 if fault == "kill" else 15)
            replica.start().ready()
        done.append(fault)
    return done


def one_run(cluster, number, seconds):
    keys = [Key(f"run{number}-{index}") for index in range(12)]
    ports = [replica.port for replica in cluster.replicas]
    end = time.monotonic() + seconds
    threads = [
        threading.Thread(target=client, args=(ports, keys, end, number * 100 + index)) for index in range(8)
    ]
    for thread in threads:
        thread.start()
    done = disturb(cluster, end, number)
    for thread in threads:
        thread.join()
    for replica in cluster.replicas:
        replica.ready()
    wrong = [key for key in keys if not is_linearisable(key.requests)]
    requests = [request for key in keys for request in key.requests]
    return {
        "requests": len(requests),
        "unknown": sum(request.answer is None for request in requests),
        "faults": {fault: done.count(fault) for fault in sorted(set(done))},
        "keys": len(keys),
        "not_linearisable": [
            {"key": key.name, "requests": [dataclasses.asdict(request) for request in key.requests]} for key in wrong
        ],
    }


def check_the_checker():
    """The checker must find histories that one machine could not have produced."""
    put = Request("put", 0, 1, "one", (200, "a"))
    other = Request("put", 2, 3, "one", (200, "b"))
    delete = Request("delete", 2, 3, None, (204, "d"))
    undo = Request("undo", 4, 5, "d", 200)
    undone_twice = Request("undo", 4, 5, "d", 200)
    stale = Request("get", 4, 5, None, 200)
    lost_put = Request("put", 0, math.inf, "one", None)
    assert is_linearisable([put, delete, undo, Request("get", 6, 7, None, 200)])
    assert is_linearisable([lost_put, other, Request("get", 4, 5, None, 200)])
    assert not is_linearisable([put, other])
    assert not is_linearisable([put, delete, stale])
    assert not is_linearisable([put, delete, undo, undone_twice])
    assert not is_linearisable([lost_put, put, other])


def check(arguments):
    check_the_checker()
    runs = []
    # Three replicas share all cores, since speed does not matter here.
    with Cluster(["0-3"] * 3, arguments.binary, balanced=False, others="0-3") as cluster:
        wait("the replicas", lambda: all(replica.process.poll() is None for replica in cluster.replicas))
        for number in range(arguments.count or 10):
            runs.append(one_run(cluster, number, arguments.seconds * 2))
            print(json.dumps(runs[-1])[:400], flush=True)
    return {
        "runs": len(runs),
        "requests": sum(run["requests"] for run in runs),
        "unknown": sum(run["unknown"] for run in runs),
        "not_linearisable": sum(len(run["not_linearisable"]) for run in runs),
        "each": runs,
    }
