"""The attacks. Each gets the service and whether to be quick. It returns whether the service held out, and details."""
import multiprocessing
import resource
import select
import socket
import struct
import time

from service import Service

GET = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
#: Seconds after which an expected event counts as missing. This is longer than every default timeout.
PATIENCE = 60


def connect(service, source=None):
    return socket.create_connection(service.address, timeout=PATIENCE, source_address=source)


def is_alive(service):
    with connect(service) as client:
        client.sendall(GET)
        return client.recv(4096).startswith(b"HTTP/1.1 200")


def reset(client):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def drip(service, count, start, piece):
    """Sends a piece four times a second on each connection, until the server has closed all of them.

    Returns whether it did, and how many connections ended with each status.
    """
    clients = [connect(service) for _ in range(count)]
    for client in clients:
        client.sendall(start)
    ends = {}
    end = time.monotonic() + PATIENCE
    while clients and time.monotonic() < end:
        for client in list(clients):
            try:
                client.sendall(piece)
                if not select.select([client], [], [], 0)[0]:
                    continue
                answer = client.recv(4096)
            except OSError:
                answer = b""
            status = answer[9:12].decode() or "closed"
            ends[status] = ends.get(status, 0) + 1
            client.close()
            clients.remove(client)
        time.sleep(0.25)
    left = len(clients)
    for client in clients:
        client.close()
    return left == 0, f"{count} connections: " + ", ".join(f"{n} × {status}" for status, n in sorted(ends.items()))


def slow_headers(service, is_quick):
    return drip(service, 50 if is_quick else 500, b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ", b"y")


def slow_bodies(service, is_quick):
    head = b"POST /classify?save=false HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\nContent-Length: 1000000\r\n\r\n"
    return drip(service, 20 if is_quick else 200, head, b"y")


def slow_readers(service, is_quick):
    """These clients request far more than any buffer holds, and read nothing."""
    count = 10 if is_quick else 100
    clients = []
    poll = select.poll()
    for _ in range(count):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(PATIENCE)
        client.connect(service.address)
        client.setblocking(False)
        try:
            client.send(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000)
        except BlockingIOError:
            pass
        clients.append(client)
        # Waits only for the event that is always reported: the end of the connection.
        poll.register(client, 0)
    dropped = 0
    end = time.monotonic() + PATIENCE
    while dropped < count and time.monotonic() < end:
        for descriptor, _ in poll.poll(1000):
            poll.unregister(descriptor)
            dropped += 1
    for client in clients:
        client.close()
    return dropped == count, f"{dropped} of {count} dropped"


def idle_connections(service, is_quick):
    # Opens as many connections as the service can, if its limit equals ours.
    count = min(1000 if is_quick else 10_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1] // 2)
    clients = [connect(service, ("127.0.0.3", 0)) for _ in range(count)]
    time.sleep(2)
    answered = 0
    for client in clients[:: count // 100]:
        client.sendall(GET)
        answered += client.recv(4096).startswith(b"HTTP/1.1 200")
    for client in clients:
        client.close()
    return answered == 100, f"{count} open at once; {answered} of 100 of them asked were answered"


def resets_at_every_byte(service, is_quick):
    body = b"5\r\nhello\r\n0\r\n\r\n"
    requests = [
        GET,
        b"POST /classify?save=false HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n" + body,
    ]
    count = 0
    for _ in range(1 if is_quick else 10):
        for request in requests:
            for length in range(len(request) + 1):
                client = connect(service)
                client.sendall(request[:length])
                reset(client)
                count += 1
    return is_alive(service), f"{count} resets"


def pipelined_requests(service, is_quick):
    rounds = 2 if is_quick else 20
    wanted = [f"n{number}".encode() for number in range(500)]
    for _ in range(rounds):
        with connect(service) as client:
            client.sendall(b"".join(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: %s\r\n\r\n" % name for name in wanted))
            client.shutdown(socket.SHUT_WR)
            received = b""
            while data := client.recv(1 << 20):
                received += data
        answers = received.split(b"HTTP/1.1 ")[1:]
        ids = [answer.split(b"X-Request-Id: ")[1].split(b"\r\n")[0] for answer in answers]
        if ids != wanted or not all(answer.startswith(b"200") for answer in answers):
            return False, f"{len(ids)} answers, or in another order"
    return True, f"{rounds} × 500 in one write, answered in order"


def megabytes_of_headers(service, is_quick):
    count = 5 if is_quick else 50
    field = b"X: " + b"y" * 1000 + b"\r\n"
    refused = 0
    for _ in range(count):
        with connect(service) as client:
            try:
                client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n" + field * 1000)
            except OSError:
                pass
            refused += client.recv(4096).startswith(b"HTTP/1.1 431")
    return refused == count, f"{refused} of {count} answered 431"


def connects_in_a_row(service, is_quick):
    count, workers = (4000, 4) if is_quick else (100_000, 4)
    start = time.monotonic()
    with multiprocessing.Pool(workers) as pool:
        answered = sum(pool.starmap(connect_often, [(service.address, number, count // workers) for number in range(workers)]))
    rate = count / (time.monotonic() - start)
    return answered == count, f"{answered} of {count} answered, {rate:,.0f}/s"


def connect_often(address, number, count):
    answered = 0
    for index in range(count):
        # Many addresses are used, so that ports do not run out while closed connections linger.
        source = (f"127.0.{number + 1}.{index % 250 + 1}", 0)
        with socket.create_connection(address, timeout=PATIENCE, source_address=source) as client:
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            received = b""
            while data := client.recv(4096):
                received += data
            answered += received.startswith(b"HTTP/1.1 200")
    return answered


def exhausted_descriptors(service):
    """Attacks a separate service that may have few descriptors."""
    with Service(binary=service.binary, descriptors=128) as poor:
        first = connect(poor)
        first.sendall(GET)
        if not first.recv(4096).startswith(b"HTTP/1.1 200"):
            return False, "no answer before the attack"
        crowd = [connect(poor) for _ in range(300)]
        crowd[-1].sendall(GET)
        is_waiting = not select.select([crowd[-1]], [], [], 1)[0]
        first.sendall(GET)
        goes_on = first.recv(4096).startswith(b"HTTP/1.1 200")
        for client in crowd[:-1]:
            client.close()
        recovers = crowd[-1].recv(4096).startswith(b"HTTP/1.1 200") and is_alive(poor)
        crowd[-1].close()
        first.close()
    seen = "128 descriptors, 300 connections: "
    seen += f"the last {'waited' if is_waiting else 'did not wait'}, an open one {'was' if goes_on else 'was not'} served"
    return is_waiting and goes_on and recovers, seen + f", {'recovered' if recovers else 'did not recover'}"


ALL = [
    slow_headers, slow_bodies, slow_readers, idle_connections, resets_at_every_byte, pipelined_requests,
    megabytes_of_headers, connects_in_a_row,
]
