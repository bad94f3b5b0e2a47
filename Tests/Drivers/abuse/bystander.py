"""The ordinary client: a process that sends one request after the other on a persistent connection."""
import multiprocessing
import socket
import time

#: Seconds after which an answer counts as missing.
PATIENCE = 20


class Bystander:
    def __init__(self, address):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=ask, args=(address, other), daemon=True)

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.join()

    def take(self):
        """Median and 99th percentile in ms, and failures, since the last call. Waits for at least one request."""
        self.pipe.send(None)
        times, failures = self.pipe.recv()
        times.sort()
        if not times:
            return None, None, failures
        return times[len(times) // 2] * 1000, times[min(len(times) - 1, len(times) * 99 // 100)] * 1000, failures


def ask(address, pipe):
    times, failures, count = [], 0, 0
    connection = None
    while True:
        if (times or failures) and pipe.poll():
            pipe.recv()
            pipe.send((times, failures))
            times, failures = [], 0
        start = time.perf_counter()
        try:
            # Every tenth request uses a new connection.
            if connection is None or count % 10 == 0:
                if connection:
                    connection.close()
                connection = socket.create_connection(address, timeout=PATIENCE)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = connection.recv(4096)
            if not answer.startswith(b"HTTP/1.1 200"):
                raise OSError("no answer")
            times.append(time.perf_counter() - start)
        except OSError:
            failures += 1
            connection = None
        count += 1
        time.sleep(0.005)
