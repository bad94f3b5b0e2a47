"""What the Python services share: the photo as Pillow decodes it fastest, and the same ONNX file in ONNX Runtime.

Each service uses it as its own documentation advises; nothing here knows of HTTP.
"""

import io
import json
import pathlib

import numpy as np
import onnxruntime
from PIL import Image


class Classifier:
    """Presence, then the three likeliest breeds or objects, as the service answers by default."""

    def __init__(self, folder: str, threads: int):
        manifest = json.loads((pathlib.Path(folder) / "manifest.json").read_text())
        self.labels = {
            name: head if isinstance(head, list) else head["labels"] for name, head in manifest["heads"].items()}
        # A class that is never answered is the last.
        self.named = {
            name: len(labels) - (isinstance(manifest["heads"][name], dict) and "background" in manifest["heads"][name])
            for name, labels in self.labels.items()}
        self.size = manifest["input"]["size"][0]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        # Waiting threads must not burn the cores that decode.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(
            str(pathlib.Path(folder) / manifest["file"]), options, providers=["CPUExecutionProvider"])
        self.outputs = [name for name in ("presence", "cats", "dogs", "objects") if name in self.labels]

    def decode(self, photo: bytes) -> np.ndarray:
        """3×S×S, −1…1: at reduced size where the JPEG allows, short side to size (antialiased), centre crop."""
        picture = Image.open(io.BytesIO(photo))
        width, height = picture.size
        short = min(width, height)
        picture.draft("RGB", (max(1, self.size * width // short), max(1, self.size * height // short)))
        if picture.mode != "RGB":
            picture = picture.convert("RGB")
        width, height = picture.size
        short = min(width, height)
        left, top = (width - short) / 2, (height - short) / 2
        picture = picture.resize(
            (self.size, self.size), Image.Resampling.BILINEAR, box=(left, top, left + short, top + short))
        pixels = np.asarray(picture).transpose(2, 0, 1).astype(np.float32)
        pixels *= 1 / 127.5
        pixels -= 1
        return pixels

    def infer(self, batch: np.ndarray) -> list[dict[str, np.ndarray]]:
        """N×3×S×S in, the logits of every head for each photo out."""
        values = self.session.run(self.outputs, {"image": batch})
        return [dict(zip(self.outputs, photo)) for photo in zip(*values)]

    def answer(self, logits: dict[str, np.ndarray]) -> dict:
        """The answer's core, small as it is."""
        presence = softmax(logits["presence"])
        species = self.labels["presence"][int(presence.argmax())]
        head = {"cat": "cats", "dog": "dogs"}.get(species, "objects")
        shares = softmax(logits[head])[: self.named[head]]
        best = np.argpartition(-shares, 3)[:3]
        best = best[np.argsort(-shares[best])]
        return {
            "species": species, "head": head,
            "presence": dict(zip(self.labels["presence"], presence.tolist())),
            "predictions": [
                {"label": self.labels[head][index], "confidence": float(shares[index])} for index in best.tolist()
            ],
        }


def softmax(logits: np.ndarray) -> np.ndarray:
    exponent = np.exp(logits - logits.max())
    return exponent / exponent.sum()
