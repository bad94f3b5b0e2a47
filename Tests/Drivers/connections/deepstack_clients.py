"""Tests /v1/vision with other programs' own clients: deepstack_clients.py BINARY PHOTO [PLUGIN].

The client is deepstack-python, which Home Assistant's DeepStack integrations use. PLUGIN is Frigate's
`frigate/detectors/plugins/deepstack.py`. Only its imports are replaced here.
"""

import importlib.util
import io
import pathlib
import subprocess
import sys
import tempfile
import time
import types
import urllib.request

import numpy
from deepstack.core import DeepstackException, DeepstackObject, get_objects
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY, PHOTO = sys.argv[1], pathlib.Path(sys.argv[2])
PLUGIN = sys.argv[3] if len(sys.argv) > 3 else None
LABELS = {0: "person", 2: "car", 15: "bird", 16: "cat", 17: "dog"}


def check(name: str, holds, told=""):
    if not holds:
        sys.exit(f"FAIL  {name}\n{told}")
    print(f"ok    {name}")


def client(port: int):
    jpeg = io.BytesIO()
    Image.open(PHOTO).convert("RGB").save(jpeg, "JPEG")
    found = DeepstackObject(ip="127.0.0.1", port=port, api_key="", min_confidence=0.1, timeout=30).detect(jpeg.getvalue())
    check("deepstack-python finds a cat", "cat" in get_objects(found), found)
    breeds = DeepstackObject(ip="127.0.0.1", port=port, custom_model="menagerie_breeds", timeout=30).detect(jpeg.getvalue())
    check("and a breed of it as a custom model", breeds and "cat" not in get_objects(breeds), breeds)
    try:
        DeepstackObject(ip="127.0.0.1", port=port, timeout=30).detect(b"no picture")
        check("what is no picture is refused", False)
    except DeepstackException as error:
        check("what is no picture is refused", "400" in str(error), error)


def plugin(port: int):
    class Detection:
        pass

    made_up = {
        "pydantic": {"ConfigDict": dict, "Field": lambda **_: None},
        "frigate": {}, "frigate.detectors": {}, "frigate.detectors.detection_api": {"DetectionApi": Detection},
        "frigate.detectors.detector_config": {"BaseDetectorConfig": Detection},
    }  # fmt: skip
    for name, members in made_up.items():
        module = types.ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module
    spec = importlib.util.spec_from_file_location("deepstack_plugin", PLUGIN)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    config = types.SimpleNamespace(
        api_url=f"http://127.0.0.1:{port}/v1/vision/detection", api_timeout=30, api_key="",
        model=types.SimpleNamespace(merged_labelmap=LABELS))  # fmt: skip
    detector = module.DeepStack(config)
    picture = Image.open(PHOTO).convert("RGB").resize((320, 320))
    rows = detector.detect_raw(numpy.asarray(picture)[numpy.newaxis])
    best = rows[0]
    check("Frigate's plugin finds a cat", LABELS.get(int(best[0])) == "cat" and best[1] >= 0.4, rows[:2])
    inside = all(0 <= edge <= 1 for edge in best[2:]) and best[2] < best[4] and best[3] < best[5]
    check("with a box within the picture", inside, best)
    nothing = detector.detect_raw(numpy.full((1, 320, 320, 3), 128, numpy.uint8))
    check("and nothing on grey", not nothing.any(), nothing[:2])


with tempfile.TemporaryDirectory() as folder:
    log = pathlib.Path(folder) / "log"
    with log.open("wb") as output:
        subprocess.run([ROOT / "Tests/Drivers/share-compiled", BINARY, folder + "/data"], check=True)
        service = subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--data-dir", folder + "/data", "--set", "connections.deepstack=true"],
            stdout=output, stderr=output)  # fmt: skip
    try:
        while not (lines := [line for line in log.read_text().splitlines() if "Listening " in line]):
            assert service.poll() is None, log.read_text()
            time.sleep(0.1)
        port = int(lines[0].split("address=")[1].split()[0].rsplit(":", 1)[1])
        urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz").read()
        client(port)
        if PLUGIN:
            plugin(port)
        else:
            print("skip  Frigate's plugin is not at hand")
    finally:
        service.terminate()
        service.wait()
