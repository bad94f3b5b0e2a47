"""What has to be there before a call of the document can be answered as it promises."""

import functools
import json
import re
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import photos
import timers
from document import Document
from recorder import Recorder
from server import PACKAGE
from service import Service

PHOTO = PACKAGE / "Tests/Photos/cat.jpg"
#: A cat that cameras see; `Scripts/setup` fetches it.
CAT = PACKAGE / "Public/samples/cat.png"


def render_clip(file: Path):
    """A film of one second in which the photo stands."""
    subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-loop", "1", "-framerate", "5", "-i", PHOTO, "-t", "1",
         "-vf", "scale=320:240", "-c:v", "libx264", "-pix_fmt", "yuv420p", file], check=True, timeout=60)


def render_porch(file: Path):
    """A film of three seconds in which a cat appears."""
    subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "color=0x6a7a5a:s=640x480:r=5:d=3",
         "-loop", "1", "-t", "3", "-i", CAT, "-filter_complex",
         "[1:v]scale=400:-2[c];[0:v][c]overlay=120:100:enable='gte(t,0.6)':shortest=1", "-pix_fmt", "yuv420p", file],
        check=True, timeout=60)


class Stage:
    def __init__(self, service: Service, recorder: Recorder, folder: Path, films: Path):
        self.url, self.key = service.url, service.key
        self.recorder = recorder
        #: Where snippets run.
        self.folder = folder
        parameters = Document.read().json["components"]["parameters"]
        self.examples = {
            name: parameters[name]["example"]
            for name in ("ScanId", "ModelVersionPath", "TrainingId", "VideoId", "LapTimerId", "KeyName")}
        shutil.copy(PHOTO, folder / "cat.jpg")
        (folder / "photos.zip").write_bytes(photos.archive(confusing=False))
        # What models learnt from says nothing of them.
        (folder / "labelled.zip").write_bytes(photos.archive(confusing=False, first=100))
        shutil.copy(PACKAGE / "Models/menagerie_boxes/menagerie_boxes.onnx", folder / "my_model.onnx")
        render_clip(folder / "clip.mp4")
        render_porch(films / "porch.mp4")
        self._video = self.video()
        #: Those that calls only look at.
        self._trained, self._timed = functools.cache(self.train), functools.cache(timers.timer_with_lap)
        self.scan()
        (folder / "history.zip").write_bytes(self.request("GET", "/history/export?format=zip")[1])

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str):
        """Asks the service itself."""
        request = urllib.request.Request(self.url + path, data=body, method=method, headers={"Authorization": f"Bearer {self.key}", **headers})
        with urllib.request.urlopen(request, timeout=60) as response:
            return response, response.read()

    def forget(self, path: str):
        """Deletes what may be there."""
        try:
            self.request("DELETE", path)
        except urllib.error.HTTPError as error:
            assert error.code == 404

    def scan(self) -> str:
        answer = self.request("POST", "/classify", PHOTO.read_bytes(), **{"Content-Type": "image/jpeg"})
        return json.loads(answer[1])["id"]

    def train(self, path: str = "/training?name=fruits", confusing: bool = False) -> str:
        """The id of a training that is done."""
        answer = self.request("POST", path, photos.archive(confusing), **{"Content-Type": "application/zip"})
        id = json.loads(answer[1])["id"]
        while json.loads(self.request("GET", f"/training/{id}")[1])["state"] not in ("done", "failed"):
            time.sleep(0.1)
        return id

    def video(self) -> str:
        """A film that was looked through."""
        clip = (self.folder / "clip.mp4").read_bytes()
        answer = self.request("POST", "/videos", clip, **{"Content-Type": "video/mp4"})
        id = json.loads(answer[1])["id"]
        while (state := json.loads(self.request("GET", f"/videos/{id}")[1])["state"]) in ("waiting", "working"):
            time.sleep(0.1)
        assert state == "done"
        return id

    def add_model(self):
        """A model that may be removed is there."""
        form = (b'--b\r\nContent-Disposition: form-data; name="file"; filename="my_model.onnx"\r\n\r\n'
                + (self.folder / "my_model.onnx").read_bytes() + b"\r\n--b--\r\n")
        try:
            self.request("POST", "/models?name=my_model", form, **{"Content-Type": "multipart/form-data; boundary=b"})
        except urllib.error.HTTPError as error:
            assert error.code == 409

    def porch(self) -> str:
        """The id of what the camera of this name has seen; it is added where it is not there."""
        try:
            self.request("GET", "/cameras/porch")
        except urllib.error.HTTPError:
            camera = json.dumps({"name": "Porch", "url": "file:porch.mp4"}).encode()
            self.request("POST", "/cameras", camera, **{"Content-Type": "application/json"})
        for _ in range(300):
            seen = json.loads(self.request("GET", "/cameras/porch/sightings")[1])["items"]
            if seen and json.loads(self.request("GET", "/cameras/porch")[1])["state"] == "ended":
                return seen[0]["id"]
            time.sleep(0.1)
        raise AssertionError("the camera sees nothing")

    def prepare(self, operation):
        """Puts ids that exist in place of those of the document, and clears what was noted."""
        model = json.loads(self.request("GET", "/models/menagerie")[1])
        version = self.examples["ModelVersionPath"]
        self.recorder.replacements = {f"/versions/{version}": f"/versions/{model['version']}"}
        if operation.id == "signIn":
            example = operation.description["requestBody"]["content"]["application/json"]["example"]["key"]
            self.recorder.replacements[example] = self.key
        if operation.path.startswith("/history/{id}"):
            self.recorder.replacements[self.examples["ScanId"]] = self.scan()
        if operation.path.startswith("/training/{id}"):
            train = self._trained if operation.method == "GET" else self.train
            id = train(confusing=operation.id == "trainingError")
            self.recorder.replacements[self.examples["TrainingId"]] = id
            if operation.id == "rollBackTraining":
                self.request("PUT", f"/training/{id}/deployment", b"")
        if operation.path.startswith("/videos/{id}"):
            # The others only look at it.
            video = self.video() if operation.id == "deleteVideo" else self._video
            self.recorder.replacements[self.examples["VideoId"]] = video
        if operation.path.startswith("/laps/{id}"):
            with_lap = self._timed if operation.method == "GET" else timers.timer_with_lap
            make = with_lap if "{number}" in operation.path else timers.timer
            id = self.recorder.replacements[self.examples["LapTimerId"]] = make(self.url, self.key)
            if operation.id == "followLapTimer":
                # Events end with what they are about.
                threading.Timer(3, lambda: self.request("DELETE", f"/laps/{id}")).start()
        if operation.path.startswith("/keys/{name}"):
            wanted = json.dumps({"name": self.examples["KeyName"], "role": "user"}).encode()
            try:
                self.request("POST", "/keys", wanted, **{"Content-Type": "application/json"})
            except urllib.error.HTTPError as error:
                assert error.code == 409
        if operation.id == "makeKey":
            self.forget("/keys/Anna%27s%20phone")
        if operation.path.startswith("/cameras/{id}"):
            sighting = self.porch()
            for parameter in operation.parameters:
                if parameter["name"] == "sighting":
                    self.recorder.replacements[parameter["example"]] = sighting
        if operation.id == "addCamera":
            # No test asks another machine.
            self.forget("/cameras/porch")
            address = operation.description["requestBody"]["content"]["application/json"]["example"]["url"]
            for form in (address, address.replace("/", "\\/")):
                self.recorder.replacements[form] = "file:porch.mp4"
        if operation.id == "addModel":
            self.forget("/models/my_model")
        if operation.id in ("annotateModel", "removeModel"):
            self.add_model()
            self.recorder.replacements["/models/menagerie"] = "/models/my_model"
        if operation.path.endswith("/unload"):
            self.request("POST", "/models/spare/load", b"")
            self.recorder.replacements["/menagerie/unload"] = "/spare/unload"
        if operation.id == "undoDeletion":
            response, _ = self.request("DELETE", f"/history/{self.scan()}")
            deletion = re.search("deletions/(.+)/undo", response.headers["Link"])[1]
            self.recorder.replacements[operation.parameters[0]["example"]] = deletion
        self.recorder.exchanges.clear()
