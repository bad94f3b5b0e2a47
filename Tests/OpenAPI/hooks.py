"""What schemathesis cannot know by itself: real photos and archives, existing ids, and accepted failures.

MENAGERIE_URL is the service's address, MENAGERIE_KEY an administrator's key. accepted.toml has the accepted failures
with their reasons.
"""

import io
import json
import os
import re
import threading
import time
import tomllib
import zipfile
from pathlib import Path

import photos
import requests
import schemathesis
import timers
from hypothesis import strategies

HERE = Path(__file__).parent
URL = os.environ["MENAGERIE_URL"]
SIGNED = {"Authorization": f"Bearer {os.environ['MENAGERIE_KEY']}"}
PHOTO = (HERE.parent / "Photos/cat.jpg").read_bytes()
CLIP = Path(os.environ["MENAGERIE_CLIP"]).read_bytes()
ACCEPTED = tomllib.loads((HERE / "accepted.toml").read_text())["accepted"]
EXAMPLE = {
    name: json.loads((HERE / "../../Sources/API/Resources/openapi.json").read_text())
    ["components"]["parameters"][name]["example"] for name in ("ScanId", "ModelVersionPath", "TrainingId", "LapTimerId", "VideoId", "KeyName")}


ULID = re.compile("[0-9A-HJKMNP-TV-Z]{26}")


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
CLASSES = photos.archive(confusing=False)
for kind in ("jpeg", "png", "webp", "gif", "tiff", "heic", "avif"):
    # The bytes are looked at, not the media type: whatever they are called, they are this photo.
    schemathesis.openapi.media_type(f"image/{kind}", strategies.just(PHOTO))
for kind in ("mp4", "quicktime", "webm", "x-matroska", "x-msvideo"):
    schemathesis.openapi.media_type(f"video/{kind}", strategies.just(CLIP))
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


def _training() -> str:
    """A training that is done."""
    with _lock:
        known = _known.get("training")
        if known is None or requests.get(f"{URL}/training/{known}", headers=SIGNED, timeout=30).status_code != 200:
            answer = requests.post(
                f"{URL}/training?name=fruits", photos.archive(confusing=True), headers=SIGNED | {"Content-Type": "application/zip"}, timeout=60)
            known = _known["training"] = answer.json()["id"]
            while requests.get(f"{URL}/training/{known}", headers=SIGNED, timeout=30).json()["state"] not in ("done", "failed"):
                time.sleep(0.1)
        return known


def _video() -> str:
    """A film that exists, and was looked through."""
    with _lock:
        known = _known.get("video")
        if known is None or requests.get(f"{URL}/videos/{known}", headers=SIGNED, timeout=30).status_code != 200:
            while True:
                answer = requests.post(f"{URL}/videos", CLIP, headers=SIGNED | {"Content-Type": "video/mp4"}, timeout=60)
                if answer.status_code == 202:
                    break
                time.sleep(0.2)
            known = _known["video"] = answer.json()["id"]
            while requests.get(f"{URL}/videos/{known}", headers=SIGNED, timeout=30).json()["state"] in ("waiting", "working"):
                time.sleep(0.1)
        return known


def _timer(operation: str) -> str:
    """A timer that exists, with a lap for what asks for one."""
    key = os.environ["MENAGERIE_KEY"]
    if operation == "followLapTimer":
        return timers.timer(URL, key)
    with _lock:
        known = _known.get("timer")
        if known is None or requests.get(f"{URL}/laps/{known}/laps/1/photo", headers=SIGNED, timeout=30).status_code != 200:
            known = _known["timer"] = timers.timer_with_lap(URL, key)
        return known


@schemathesis.hook
def before_call(context, case, kwargs):
    parameters = case.path_parameters or {}
    if case.operation.path == "/training" and case.body == ARCHIVE:
        case.body = CLASSES
    if case.operation.path.startswith("/training/{id}") and parameters.get("id") == EXAMPLE["TrainingId"]:
        parameters["id"] = _training()
        if "number" in parameters:
            parameters["number"] = 0
    if case.operation.path.startswith("/keys/{name}") and parameters.get("name") == "tests":
        # Its own: without it every other call would be refused.
        parameters["name"] = EXAMPLE["KeyName"]
    if case.operation.path.startswith("/videos/{id}") and parameters.get("id") == EXAMPLE["VideoId"]:
        parameters["id"] = _video()
    if case.operation.path.startswith("/laps/{id}") and parameters.get("id") == EXAMPLE["LapTimerId"]:
        parameters["id"] = _timer(case.operation.definition.raw["operationId"])
        if case.method == "GET" and "number" in parameters:
            parameters["number"] = 1
    if case.operation.definition.raw["operationId"] == "followLapTimer" and ULID.fullmatch(str(parameters.get("id"))):
        # Its events would never end, so a client that follows a timer is soon told that the timer is gone.
        gone = f"{URL}/laps/{parameters['id']}"
        threading.Timer(0.2, lambda: requests.delete(gone, headers=SIGNED, timeout=60)).start()
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
    """False for a failure that accepted.toml lists, and where schemathesis calls a request invalid that it made valid."""
    if "Invalid component: positive test case" in failure.message:
        return False
    operation = case.operation.definition.raw.get("operationId")
    return not any(
        failure.code == each["code"] and response.status_code == each["status"]
        and ("operations" not in each or operation in each["operations"])
        and re.search(each["answer"], response.text) for each in ACCEPTED)
