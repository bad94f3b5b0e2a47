"""One service for all tests, with the models and photos that every call of the document needs."""

import json
import shutil

import pytest
from document import Document
from recorder import Recorder
from server import PACKAGE
from service import Service
from stage import Stage


@pytest.fixture(scope="session")
def document():
    return Document.read()


@pytest.fixture(scope="session")
def stage(tmp_path_factory):
    """The running service, and a folder with the files that the examples name."""
    models, photos = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("photos")
    for name in ("menagerie", "menagerie_boxes"):
        (models / name).symlink_to(PACKAGE / "Models" / name)
    # The default model cannot be unloaded: the same once more under another name.
    (models / "spare").mkdir()
    for weights in (PACKAGE / "Models/menagerie").glob("*.onnx"):
        (models / "spare" / weights.name).symlink_to(weights)
    manifest = json.loads((PACKAGE / "Models/menagerie/manifest.json").read_text())
    (models / "spare/manifest.json").write_text(json.dumps(manifest | {"name": "spare"}))
    (photos / "siamese").mkdir()
    shutil.copy(PACKAGE / "Tests/Photos/cat.jpg", photos / "siamese/1.jpg")
    films = tmp_path_factory.mktemp("films")
    service = Service(
        recognition_models_directory=str(models), encyclopaedia_photos_directory=str(photos),
        connections_deepstack="true", connections_photoprism="true", cameras_enabled="true", cameras_files=str(films))
    recorder = Recorder(service.url)
    yield Stage(service, recorder, tmp_path_factory.mktemp("files"), films)
    recorder.stop()
    service.stop()
