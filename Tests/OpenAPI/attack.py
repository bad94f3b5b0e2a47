"""Starts the service and lets schemathesis find out where it and its document disagree."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Browser"))

from service import Service  # noqa: E402
from stage import render_clip  # noqa: E402


def main() -> int:
    service = Service()
    clip = Path(sys.prefix) / "clip.mp4"
    render_clip(clip)
    try:
        # It leaves caches where it runs.
        return subprocess.run(
            [Path(sys.executable).parent / "schemathesis", "--config-file", HERE / "schemathesis.toml", "run",
             f"{service.url}/openapi.json", "--no-color",
             "--header", f"Authorization: Bearer {service.key}", *sys.argv[1:]],
            cwd=Path(sys.prefix), env={**os.environ, "MENAGERIE_URL": service.url, "MENAGERIE_KEY": service.key, "MENAGERIE_CLIP": str(clip), "PYTHONPATH": str(HERE)},
            timeout=900).returncode
    finally:
        service.stop()


if __name__ == "__main__":
    sys.exit(main())
