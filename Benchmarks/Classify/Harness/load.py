"""One timed load on one service."""

import json
import pathlib
import subprocess
from dataclasses import dataclass

from services import BENCHMARK, Service


@dataclass(frozen=True)
class Generator:
    """The compiled load generator."""

    program: pathlib.Path

    @classmethod
    def build(cls, folder: pathlib.Path) -> "Generator":
        program = folder / "load"
        subprocess.run(
            ["cc", "-O2", "-o", str(program), str(BENCHMARK / "Load" / "load.c"), "-lm"], check=True)
        return cls(program)

    def closed(self, service: Service, clients: int, seconds: float, photos: list[pathlib.Path]) -> dict:
        """Measures several clients. Each sends its next photo after the answer to the last."""
        return self._run(service, "closed", clients, seconds, 1, photos)

    def open(self, service: Service, rate: float, seconds: float, photos: list[pathlib.Path]) -> dict:
        """Measures photos that are sent at random times with this mean rate. No photo waits for another's answer."""
        return self._run(service, "open", rate, seconds, 1, photos)

    def _run(
        self, service: Service, kind: str, amount: float, seconds: float, warm_up: float, photos: list[pathlib.Path]
    ) -> dict:
        form = ["--form", service.form] if service.form else []
        before = service.cpu_seconds()
        output = subprocess.run(
            [str(self.program), str(service.port), service.path, kind, f"{amount:g}", f"{seconds:g}", f"{warm_up:g}",
             *form, *map(str, photos)],
            check=True, capture_output=True, text=True, timeout=seconds + warm_up + 60).stdout
        result = json.loads(output)
        spent = service.cpu_seconds() - before
        # The processor time includes that for the photos of the warm-up, which are sent at the same rate.
        photos_done = result["rate"] * (seconds + warm_up)
        result["cpu_ms"] = spent * 1000 / photos_done if photos_done else None
        if kind == "closed" and (result["other"] or result["failed"]):
            raise RuntimeError(f"{service.name}: {result}")
        return result
