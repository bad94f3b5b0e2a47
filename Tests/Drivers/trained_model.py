"""Compares a trained model's answers in the service and in ONNX Runtime: trained_model.py BINARY [NETWORK].

Trains on drawn pictures with the embedded model's features, and with those of NETWORK, a floating-point ONNX file.
Sends the same tensors to the service and to ONNX Runtime, and computes the head of head.json by hand.
"""

import atexit
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "Models"
COLOURS = {"disc": (200, 30, 40), "stripes": (40, 60, 200), "bar": (90, 30, 120)}


def picture(name, seed, side=224):
    """A drawn picture of a class: pixels, side × side × RGB."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[:side, :side]
    where = {
        "disc": np.hypot(x - random.integers(80, 140), y - random.integers(80, 140)) < random.integers(40, 70),
        "stripes": (x + y * random.integers(1, 3)) // 12 % 2 == 0,
        "bar": abs(y - random.integers(80, 140)) < random.integers(15, 30),
    }[name]
    pixels = np.where(where[..., None], COLOURS[name], random.integers(120, 250, 3))
    return np.clip(pixels + random.normal(0, 18, pixels.shape), 0, 255).astype(np.uint8)


def bitmap(pixels):
    """The bytes of a BMP file: BITMAPINFOHEADER, 24 bits per pixel, rows from the bottom up."""
    side = len(pixels)
    body = pixels[::-1, :, ::-1].tobytes()
    return b"BM" + struct.pack(
        "<IIIIiiHHIIiiII", 54 + len(body), 0, 54, 40, side, side, 1, 24, 0, len(body), 2835, 2835, 0, 0) + body


def tensor(pixels, about):
    """The network's input tensor for the pixels. `about` is the manifest's description of the input."""
    height, width = about["size"]
    top, left = (len(pixels) - height) // 2, (len(pixels) - width) // 2
    values = pixels[top:top + height, left:left + width].astype(np.float32)
    values = values / 255 if about["scale"] == "x/255" else values / 127.5 - 1
    values = (values - np.float32(about.get("mean", [0] * 3))) / np.float32(about.get("std", [1] * 3))
    return np.ascontiguousarray(values.transpose(2, 0, 1)[None], np.float32)


def softmax(logits, temperature):
    shares = np.exp((logits - logits.max()) / temperature)
    return shares / shares.sum()


def relative(values, reference):
    return float(np.linalg.norm(values - reference) / np.linalg.norm(reference))


class Service:
    def __init__(self, binary, data, models):
        log = data / "log"
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data-dir", str(data), "--set",
             f"recognition.models_directory={models}"], stderr=log.open("w"))
        atexit.register(self.process.kill)
        for _ in range(600):
            listening = re.search(r" Listening .*url=(http\S*)/", log.read_text())
            try:
                if listening and urllib.request.urlopen(listening[1] + "/readyz", timeout=10).status == 200:
                    self.url = listening[1]
                    return
            except OSError:
                pass
            time.sleep(0.1)
        sys.exit(f"The service was not ready in time:\n{log.read_text()}")

    def infer(self, model, about, values):
        """The outputs `features` and `classes`, by the Open Inference Protocol."""
        body = json.dumps({
            "inputs": [{"name": about["name"], "datatype": "FP32", "shape": values.shape, "data": values.ravel().tolist()}],
            "outputs": [{"name": "features"}, {"name": "classes"}]}).encode()
        request = urllib.request.Request(
            f"{self.url}/v2/models/{model}/infer", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            outputs = {output["name"]: output["data"] for output in json.load(answer)["outputs"]}
        return np.float32(outputs["features"]), np.float32(outputs["classes"])


def by_hand(features, head):
    """The logits of the features, computed from the weights in head.json."""
    weights = np.array(head["weights"]).reshape(len(head["labels"]), -1)
    if head.get("centre"):
        features = features - np.array(head["centre"])
        features = features / np.sqrt((features**2).sum() + 1e-12)
    return weights @ features + np.array(head["bias"])


def check(binary, work, base, models):
    """Trains a model on the base and compares the engines. Returns the largest differences."""
    data = work / base
    name = f"shapes-{base}"
    subprocess.run([ROOT / "Tests/Drivers/share-compiled", binary, data], check=True)
    trained = subprocess.run(
        [binary, "train", str(work / "photos"), "--name", name, "--base", base, "--deploy", "--data-dir", str(data),
         "--set", f"recognition.models_directory={models}", "--log-level", "error"], capture_output=True, text=True)
    assert trained.returncode == 0, trained.stderr
    folder = data / "models" / name / "1"
    manifest = json.loads((folder / "manifest.json").read_text())
    head = json.loads((folder / "head.json").read_text())["head"]
    temperature = manifest["calibration"]["classes"]["temperature"]
    service = Service(binary, data, models)

    sessions = []
    for level in ("ORT_ENABLE_ALL", "ORT_DISABLE_ALL"):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
        sessions.append(onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]))
    worst = {"features": 0.0, "probabilities": 0.0, "features of ONNX Runtime without optimisation": 0.0, "head": 0.0}
    for label in COLOURS:
        for seed in range(900, 908):
            values = tensor(picture(label, seed), manifest["input"])
            features, logits = service.infer(name, manifest["input"], values)
            (theirs, answer), (plain, _) = (
                [output.ravel() for output in session.run(["features", "classes"], {manifest["input"]["name"]: values})]
                for session in sessions)
            for scores in (logits, answer):
                assert head["labels"][int(scores.argmax())] == label, (base, label, seed, scores)
            differences = {
                "features": relative(features, theirs),
                "probabilities": float(abs(softmax(logits, temperature) - softmax(answer, temperature)).max()),
                "features of ONNX Runtime without optimisation": relative(plain, theirs),
                "head": relative(answer, by_hand(theirs.astype(float), head)),
            }
            worst = {key: max(worst[key], differences[key]) for key in worst}
    service.process.terminate()
    assert service.process.wait(30) == 0
    print(f"{base}: largest differences of 24 pictures: " + ", ".join(f"{key} {value:.2g}" for key, value in worst.items()))
    return worst


def main():
    binary, network = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for label in COLOURS:
            (work / "photos" / label).mkdir(parents=True)
            for seed in range(12):
                (work / "photos" / label / f"{seed}.bmp").write_bytes(bitmap(picture(label, seed)))

        # Sums of 8-bit numbers are rounded to 8 bits after each layer. Engines add in different orders, and some join
        # two layers. A value near the middle between two steps is then rounded to the other step. ONNX Runtime differs
        # from itself in the same way with and without optimisation.
        worst = check(binary, work, "menagerie", MODELS)
        assert worst["head"] < 1e-4, worst
        assert worst["features"] < 0.2 and worst["probabilities"] < 0.1, worst

        if network:
            models = work / "models"
            (models / "network").mkdir(parents=True)
            weights = pathlib.Path(network[0])
            shutil.copy(weights, models / "network")
            inspected = subprocess.run(
                [binary, "models", "inspect", str(models / "network" / weights.name)], capture_output=True, check=True)
            manifest = json.loads(inspected.stdout) | {"name": "network", "precision": "f32"}
            (models / "network" / "manifest.json").write_text(json.dumps(manifest))
            shutil.copytree(MODELS / "menagerie", models / "menagerie")
            worst = check(binary, work, "network", models)
            assert worst["head"] < 1e-4 and worst["features"] < 1e-3 and worst["probabilities"] < 1e-3, worst


main()
