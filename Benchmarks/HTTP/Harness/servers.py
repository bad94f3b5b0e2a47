"""The two servers: how they are built, started and stopped."""

import pathlib
import select
import socket
import subprocess
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
    """A server in a process of its own, on a free port of the loopback interface."""

    subject: Subject
    folder: pathlib.Path
    loops: int
    wrapper: list[str] = field(default_factory=list)
    environment: dict[str, str] | None = None
    start_timeout: float = 20

    def __enter__(self) -> "RunningServer":
        command = [*self.wrapper, str(self.subject.executable), str(self.folder), str(self.loops)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=self.environment, text=True)
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
