"""Starts the service and lets schemathesis find out where it and its document disagree."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Browser"))

from server import Server  # noqa: E402


def main() -> int:
    server = Server(recognition_max_queue_size="1000", encyclopaedia_own_scans="true")
    try:
        # It leaves caches where it runs.
        return subprocess.run(
            [Path(sys.executable).parent / "schemathesis", "--config-file", HERE / "schemathesis.toml", "run",
             f"{server.url}/openapi.json", "--no-color", *sys.argv[1:]],
            cwd=Path(sys.prefix), env={**os.environ, "MENAGERIE_URL": server.url, "PYTHONPATH": str(HERE)},
            timeout=900).returncode
    finally:
        server.stop()


if __name__ == "__main__":
    sys.exit(main())
