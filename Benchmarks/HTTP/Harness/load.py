"""One timed run of wrk against one server."""

import json
import os
import subprocess
from dataclasses import dataclass

from scenarios import Route
from servers import BENCHMARK, RunningServer

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Load:
    route: Route
    connections: int
    is_pipelined: bool

    @property
    def depth(self) -> int:
        return self.route.depth if self.is_pipelined else 1


@dataclass(frozen=True)
class Sample:
    """The results of wrk, and the cost to the server's process."""

    requests_per_second: float
    #: None when pipelining. wrk then corrects each batch's latency by the pace of single requests, which is wrong.
    p50_ms: float | None
    p99_ms: float | None
    #: User and system time of the server. Unlike the other figures it hardly depends on other work on the machine.
    cpu_us_per_request: float
    errors: int


def measure(server: RunningServer, load: Load, seconds: int) -> Sample:
    command = [
        "wrk", "--threads", str(min(2, load.connections)), "--connections", str(load.connections),
        "--duration", f"{seconds}s", "--timeout", "10s", "--script", str(BENCHMARK / "Requests" / "load.lua"),
        f"http://127.0.0.1:{server.port}{load.route.path}", "--", str(load.depth), str(load.route.upload_bytes),
    ]
    before = server.cpu_ticks()
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=seconds + 60).stdout
    ticks = server.cpu_ticks() - before
    line = next(line for line in output.splitlines() if line.startswith("RESULT "))
    result = json.loads(line.removeprefix("RESULT "))
    if result["requests"] == 0:
        raise RuntimeError(f"{server.subject.name} answered nothing: {output}")
    return Sample(
        requests_per_second=result["requests"] / result["duration_us"] * 1e6,
        p50_ms=None if load.is_pipelined else result["p50_us"] / 1000,
        p99_ms=None if load.is_pipelined else result["p99_us"] / 1000,
        cpu_us_per_request=ticks / TICKS_PER_SECOND * 1e6 / result["requests"], errors=result["errors"])
