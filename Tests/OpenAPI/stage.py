"""What has to be there before a call of the document can be answered as it promises."""

import json
import re
import shutil
import urllib.request
from pathlib import Path

from document import Document
from recorder import Recorder
from server import PACKAGE
from service import Service

PHOTO = PACKAGE / "Tests/Photos/cat.jpg"


class Stage:
    def __init__(self, service: Service, recorder: Recorder, folder: Path):
        self.url, self.key = service.url, service.key
        self.recorder = recorder
        #: Where snippets run.
        self.folder = folder
        parameters = Document.read().json["components"]["parameters"]
        self.examples = {name: parameters[name]["example"] for name in ("ScanId", "ModelVersionPath")}
        shutil.copy(PHOTO, folder / "cat.jpg")
        self.scan()
        (folder / "history.zip").write_bytes(self.request("GET", "/history/export?format=zip")[1])

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str):
        """Asks the service itself."""
        request = urllib.request.Request(self.url + path, data=body, method=method, headers={"Authorization": f"Bearer {self.key}", **headers})
        with urllib.request.urlopen(request, timeout=60) as response:
            return response, response.read()

    def scan(self) -> str:
        answer = self.request("POST", "/classify", PHOTO.read_bytes(), **{"Content-Type": "image/jpeg"})
        return json.loads(answer[1])["id"]

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
        if operation.path.endswith("/unload"):
            self.request("POST", "/models/spare/load", b"")
            self.recorder.replacements["/menagerie/unload"] = "/spare/unload"
        if operation.id == "undoDeletion":
            response, _ = self.request("DELETE", f"/history/{self.scan()}")
            deletion = re.search("deletions/(.+)/undo", response.headers["Link"])[1]
            self.recorder.replacements[operation.parameters[0]["example"]] = deletion
        self.recorder.exchanges.clear()
