"""Builds, starts and stops the two servers."""

import os
import pathlib
import re
import select
import socket
import subprocess
import time
from dataclasses import dataclass, field

BENCHMARK = pathlib.Path(__file__).resolve().parent.parent
ROOT = BENCHMARK.parent.parent


@dataclass
class Subject:
    """A server to be measured."""

    name: str
    package: pathlib.Path
    product: str

    def build(self) -> None:
        command = ["swift", "build", "--configuration", "release", "--product", self.product]
        subprocess.run(command, cwd=self.package, check=True)

    @property
    def executable(self) -> pathlib.Path:
        return self.package / ".build" / "release" / self.product


MENAGERIE = Subject("Menagerie", ROOT, "HTTPBenchmarkServer")
HUMMINGBIRD = Subject("Hummingbird", BENCHMARK / "HummingbirdServer", "HummingbirdBenchmarkServer")
SUBJECTS = [MENAGERIE, HUMMINGBIRD]


@dataclass
class RunningServer:
    """A server process on a free port of the loopback interface."""

    subject: Subject
    folder: pathlib.Path
    loops: int
    wrapper: list[str] = field(default_factory=list)
    environment: dict[str, str] | None = None
    start_timeout: float = 20

    #: Further arguments of the command line.
    arguments: list[str] = field(default_factory=list)
    #: The file for the server's standard error. None: that of this process.
    log: pathlib.Path | None = None

    def __enter__(self) -> "RunningServer":
        command = [*self.wrapper, str(self.subject.executable), str(self.folder), str(self.loops), *self.arguments]
        with open(self.log or os.devnull, "a") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log if self.log else None, env=self.environment, text=True)
        ready, _, _ = select.select([self.process.stdout], [], [], self.start_timeout)
        line = self.process.stdout.readline() if ready else ""
        if not line.strip().isdigit():
            self.__exit__()
            raise RuntimeError(f"{self.subject.name} did not start")
        self.port = int(line)
        return self

    def __exit__(self, *_) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def cpu_ticks(self) -> int:
        """User and system time of all threads, in clock ticks."""
        text = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = text.rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])


@dataclass
class RunningProduct(RunningServer):
    """The service with every default setting except the port and the data folder."""

    start_timeout: float = 120

    def __enter__(self) -> "RunningProduct":
        self.log = self.log or self.folder / "product.log"
        command = [
            str(self.subject.executable), "serve", "--port", "0", "--data-dir", str(self.folder / "data"), *self.arguments]
        # The log of an earlier start would contain an old address. The file is opened for appending, so it can be
        # truncated.
        self.log.unlink(missing_ok=True)
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(command, stderr=log, env=self.environment)
        deadline = time.monotonic() + self.start_timeout
        while self.process.poll() is None and time.monotonic() < deadline:
            if found := re.search(r" Listening address=\S+:(\d+) ", self.log.read_text()):
                self.port = int(found[1])
                return self
            time.sleep(0.05)
        text = self.log.read_text()
        self.__exit__()
        raise RuntimeError(f"{self.subject.name} did not start: {text}")
