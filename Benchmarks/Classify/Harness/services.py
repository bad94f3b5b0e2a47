"""Starts and stops the compared services, with a number of workers and a batch size."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import ClassVar

import psutil

BENCHMARK = pathlib.Path(__file__).resolve().parent.parent
ROOT = BENCHMARK.parent.parent
CORES = os.cpu_count() or 1


@dataclass(frozen=True)
class Tuning:
    """The options that a service's operator may choose."""

    workers: int
    batch: int

    def __str__(self) -> str:
        return f"{self.workers} workers, batches of {self.batch}"


@dataclass
class Service:
    """A service that classifies photos. Entering it starts it."""

    model: pathlib.Path
    tuning: Tuning
    port: int = 0
    environment: dict[str, str] = field(default_factory=dict)

    name: ClassVar[str] = ""
    path: ClassVar[str] = "/classify"
    #: The name of the form's field with the photo. None: the photo is the request's body.
    form: ClassVar[str | None] = None
    #: The options that are tried before the measurement. The quickest are measured.
    tunings: ClassVar[list[Tuning]] = [Tuning(CORES, 8), Tuning(1, 8)]

    def command(self) -> list[str]:
        raise NotImplementedError

    def __enter__(self) -> "Service":
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.folder = tempfile.TemporaryDirectory(prefix="classify-")
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+")
        self.process = subprocess.Popen(
            self.command(), stdout=self.log, stderr=self.log, cwd=self.folder.name,
            env={**os.environ, **self.environment}, preexec_fn=lambda: os.setpgid(0, 0))
        return self

    def __exit__(self, *_) -> None:
        for end in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, end)
            except ProcessLookupError:
                break
            try:
                self.process.wait(8)
            except subprocess.TimeoutExpired:
                continue
            time.sleep(0.5)
        self.log.close()
        self.folder.cleanup()

    def await_answer(self, photo: pathlib.Path, timeout: float = 90) -> float:
        """Sends a photo until it is answered. Returns the seconds since the start."""
        start = time.monotonic()
        while True:
            if self.process.poll() is not None or time.monotonic() - start > timeout:
                self.log.seek(0)
                raise RuntimeError(f"{self.name} does not answer:\n{self.log.read()[-2000:]}")
            try:
                answer = self.ask(photo)
                if len(answer["predictions"]) < 3:
                    raise RuntimeError(f"{self.name} answers {answer}")
                return time.monotonic() - start
            except urllib.error.HTTPError as error:
                # TorchServe answers 404 or 503 while its workers start.
                if error.code not in (404, 503):
                    raise
                time.sleep(0.1)
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.1)

    def ask(self, photo: pathlib.Path) -> dict:
        body, kind = photo.read_bytes(), "image/jpeg"
        if self.form:
            head = f'--b\r\nContent-Disposition: form-data; name="{self.form}"; filename="p.jpg"\r\n\r\n'.encode()
            body, kind = head + body + b"\r\n--b--\r\n", "multipart/form-data; boundary=b"
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{self.path}", body, {"Content-Type": kind}, method="POST")
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def cpu_seconds(self) -> float:
        """The user and system time of all processes of the service so far, in seconds."""
        root = psutil.Process(self.process.pid)
        total = 0.0
        for process in [root, *root.children(recursive=True)]:
            times = process.cpu_times()
            total += times.user + times.system
        return total


class Menagerie(Service):
    name = "Menagerie"
    path = "/classify?save=false"
    #: The service has only these options.
    tunings = [Tuning(CORES, 16)]

    def command(self) -> list[str]:
        return [
            str(ROOT / ".build" / "release" / "menagerie"), "serve", "--port", str(self.port), "--data-dir",
            str(pathlib.Path(self.folder.name) / "data"), "--set", "log.access=false",
            "--set", f"recognition.models_directory={self.model.parent}",
        ]


class FirstStage(Menagerie):
    """Our service with only the first stage of the cascade."""

    name = "Menagerie, first stage alone"

    def command(self) -> list[str]:
        folder = pathlib.Path(self.folder.name) / "models" / self.model.name
        shutil.copytree(self.model, folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest.pop("cascade", None)
        (folder / "manifest.json").write_text(json.dumps(manifest))
        return [*super().command(), "--set", f"recognition.models_directory={folder.parent}"]


class Python(Service):
    script = ""

    def command(self) -> list[str]:
        return [
            sys.executable, str(BENCHMARK / "Servers" / self.script), str(self.port), str(self.model),
            str(self.tuning.workers), str(self.tuning.batch),
        ]


class LitServe(Python):
    name = "LitServe"
    script = "litserve_service.py"
    form = "image"
    tunings = [Tuning(CORES, 8), Tuning(CORES, 1)]


class FastAPI(Python):
    name = "FastAPI + ONNX Runtime"
    script = "fastapi_service.py"


class TorchServe(Service):
    name = "TorchServe"
    path = "/predictions/classify"
    tunings = [Tuning(CORES, 8), Tuning(CORES, 2)]

    def command(self) -> list[str]:
        folder = pathlib.Path(self.folder.name)
        binaries = pathlib.Path(sys.executable).parent
        (folder / "store").mkdir()
        subprocess.run(
            [str(binaries / "torch-model-archiver"), "--model-name", "classify", "--version", "1.0", "--handler",
             str(BENCHMARK / "Servers" / "torchserve_handler.py"), "--export-path", str(folder / "store")],
            check=True, capture_output=True)
        models = {"classify": {"1.0": {
            "defaultVersion": True, "marName": "classify.mar", "minWorkers": self.tuning.workers,
            "maxWorkers": self.tuning.workers, "batchSize": self.tuning.batch, "maxBatchDelay": 2,
            "responseTimeout": 60}}}
        addresses = [self.port]
        for _ in range(2):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                addresses.append(probe.getsockname()[1])
        (folder / "config.properties").write_text("\n".join([
            *(f"{name}_address=http://127.0.0.1:{port}"
              for name, port in zip(("inference", "management", "metrics"), addresses)),
            f"model_store={folder / 'store'}", "load_models=classify.mar", f"models={json.dumps(models)}",
            "disable_token_authorization=true", "enable_metrics_api=false", "max_request_size=40000000",
            "job_queue_size=1000", ""]))
        # TorchServe's default log writes several lines for each photo.
        (folder / "log4j2.xml").write_text(
            '<Configuration status="error"><Appenders><Console name="out"><PatternLayout pattern="%m%n"/></Console>'
            '</Appenders><Loggers><Root level="error"><AppenderRef ref="out"/></Root></Loggers></Configuration>')
        self.environment = {
            "CLASSIFY_MODEL": str(self.model), "CLASSIFY_SERVERS": str(BENCHMARK / "Servers"),
            "LOG_LOCATION": str(folder), "METRICS_LOCATION": str(folder), "TEMP": str(folder),
            "PATH": f"{binaries}:{os.environ['PATH']}",
        }
        return [
            str(binaries / "torchserve"), "--start", "--foreground", "--disable-token-auth", "--ts-config",
            str(folder / "config.properties"), "--log-config", str(folder / "log4j2.xml"),
        ]


SERVICES: dict[str, type[Service]] = {
    "menagerie": Menagerie, "first_stage": FirstStage, "litserve": LitServe, "torchserve": TorchServe, "fastapi": FastAPI,
}
