"""Starts and stops the real service on a free port with an empty history."""

import os
import re
import subprocess
import tempfile
import threading
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]


def binary() -> Path:
    """The program to test: MENAGERIE_BINARY (a full path), or the newest build of this package."""
    if given := os.environ.get("MENAGERIE_BINARY"):
        return Path(given)
    builds = [path for kind in ("debug", "release") if (path := PACKAGE / f".build/{kind}/menagerie").exists()]
    if not builds:
        raise FileNotFoundError("build menagerie first, or name the program in MENAGERIE_BINARY")
    return max(builds, key=lambda path: path.stat().st_mtime)


def environment() -> dict[str, str]:
    """The environment without settings for other services."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MENAGERIE_")}


class Server:
    def __init__(self, *arguments: str, folder: str | None = None, **given: str):
        """`folder`: a data directory to keep. By default a temporary one is used."""
        self.temporary = None if folder else tempfile.TemporaryDirectory()
        self.folder = folder or self.temporary.name
        if not folder:
            # Compiling the models takes most of a first start. The Swift tests share them in the same way.
            compiled = binary().parent / "test-data/menagerie/compiled"
            compiled.mkdir(parents=True, exist_ok=True)
            Path(self.folder, "compiled").symlink_to(compiled)
        settings = environment() | {
            "MENAGERIE_HTTP_PUBLIC_DIRECTORY": str(PACKAGE / "Public"),
            "MENAGERIE_RECOGNITION_MODELS_DIRECTORY": str(PACKAGE / "Models"),
        } | {f"MENAGERIE_{name.upper()}": value for name, value in given.items()}
        self.process = subprocess.Popen(
            [binary(), "serve", "--port", "0", "--data-dir", self.folder, *arguments],
            env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.log: list[str] = []
        self.url = self._listening()
        # The log is read all the time, so that the pipe never fills.
        self._reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True)
        self._reader.start()
        self.printed: list[str] = []
        self._printed_reader = threading.Thread(target=lambda: self.printed.extend(self.process.stdout), daemon=True)
        self._printed_reader.start()

    def _listening(self) -> str:
        for line in self.process.stderr:
            self.log.append(line)
            if found := re.search(r"Listening .*url=(https?://\S+?)/?$", line.strip()):
                return found[1]
        raise RuntimeError("the server did not start:\n" + "".join(self.log))

    def stop(self):
        if (status := self.process.poll()) is not None:
            print(f"The server ended by itself with status {status}:\n" + "".join(self.log[-20:]))
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._reader.join(timeout=5)
        self._printed_reader.join(timeout=5)
        if self.temporary:
            self.temporary.cleanup()
