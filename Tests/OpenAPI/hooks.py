"""What schemathesis cannot know by itself: real photos and archives, ids that exist, and which failures are accepted.

It reads the service's address from MENAGERIE_URL, an administrator's key from MENAGERIE_KEY, and the accepted failures with their reasons from accepted.toml.
"""

import io
import json
import os
import re
import threading
import tomllib
import zipfile
from pathlib import Path

import requests
import schemathesis
from hypothesis import strategies

HERE = Path(__file__).parent
URL = os.environ["MENAGERIE_URL"]
SIGNED = {"Authorization": f"Bearer {os.environ['MENAGERIE_KEY']}"}
PHOTO = (HERE.parent / "Photos/cat.jpg").read_bytes()
ACCEPTED = tomllib.loads((HERE / "accepted.toml").read_text())["accepted"]
EXAMPLE = {
    name: json.loads((HERE / "../../Sources/API/Resources/openapi.json").read_text())
    ["components"]["parameters"][name]["example"] for name in ("ScanId", "ModelVersionPath")}


# Photos and archives

def _scans() -> tuple[bytes, bytes]:
    """Two scans as JSON lines, and as an archive with their photo."""
    line = {
        "id": EXAMPLE["ScanId"], "species": "cat", "head": "cats",
        "predictions": [{"label": "siamese", "confidence": 0.9}], "heads": {}, "presence": {"cat": 1},
        "abstained": False, "message": "This cat shares the features of:", "model": {"name": "menagerie", "version": "5"},
        "image": {"width": 500, "height": 375, "format": "jpeg", "orientation": 1, "sha256": "0" * 64},
        "timing": {"decode_ms": 1, "queue_ms": 0, "inference_ms": 3, "batch_size": 1},
        "created_at": "2026-01-01T12:00:00.000Z", "label": "siamese"}
    lines = (json.dumps(line) + "\n").encode()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("scans/000001.jsonl", lines)
    return lines, archive.getvalue()


LINES, ARCHIVE = _scans()
for kind in ("jpeg", "png", "webp", "gif", "tiff", "heic", "avif"):
    # The bytes are looked at, not the media type: whatever they are called, they are this photo.
    schemathesis.openapi.media_type(f"image/{kind}", strategies.just(PHOTO))
schemathesis.openapi.media_type("application/zip", strategies.just(ARCHIVE))
schemathesis.openapi.media_type("application/x-ndjson", strategies.just(LINES))


# Ids

_lock = threading.Lock()
_known: dict[str, str] = {}


def _scan() -> str:
    """A scan that exists."""
    with _lock:
        known = _known.get("scan")
        if known is None or requests.get(f"{URL}/history/{known}", headers=SIGNED, timeout=30).status_code != 200:
            answer = requests.post(f"{URL}/classify", PHOTO, headers=SIGNED | {"Content-Type": "image/jpeg"}, timeout=60)
            known = _known["scan"] = answer.json()["id"]
        return known


@schemathesis.hook
def before_call(context, case, kwargs):
    parameters = case.path_parameters or {}
    if case.operation.path.startswith("/history/{id}") and parameters.get("id") == EXAMPLE["ScanId"]:
        parameters["id"] = _scan()


@schemathesis.hook
def after_call(context, case, response):
    # Every other operation would be answered 503.
    if case.operation.path.endswith("/unload") and response.status_code == 200:
        requests.post(f"{URL}/models/menagerie/load", headers=SIGNED, timeout=60)


# What is accepted

@schemathesis.hook
def filter_failure(context, failure, case, response):
    """False for a failure that accepted.toml lists."""
    operation = case.operation.definition.raw.get("operationId")
    return not any(
        failure.code == each["code"] and response.status_code == each["status"]
        and ("operations" not in each or operation in each["operations"])
        and re.search(each["answer"], response.text) for each in ACCEPTED)
