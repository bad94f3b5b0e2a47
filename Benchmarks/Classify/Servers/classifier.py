"""The common part of the Python services: Pillow's fastest decoding, and the same ONNX files in ONNX Runtime. A
cascade's other networks run for the same photos as in our service.

Each service uses this part as the service's own documentation advises. This file does not use HTTP.
"""

import io
import json
import pathlib

import numpy as np
import onnxruntime
from PIL import Image


class Classifier:
    """Answers with presence and the three likeliest breeds or objects, like our service by default."""

    def __init__(self, folder: str, threads: int):
        manifest = json.loads((pathlib.Path(folder) / "manifest.json").read_text())
        self.manifest = manifest
        self.labels = {
            name: head if isinstance(head, list) else head["labels"] for name, head in manifest["heads"].items()}
        # A background class is the last one. It is never an answer.
        self.named = {
            name: len(labels) - (isinstance(manifest["heads"][name], dict) and "background" in manifest["heads"][name])
            for name, labels in self.labels.items()}
        self.size = manifest["input"]["size"][0]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        # Waiting threads must not use the cores that decode.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")

        def network(entry: dict) -> onnxruntime.InferenceSession:
            return onnxruntime.InferenceSession(
                str(pathlib.Path(folder) / entry["file"]), options, providers=["CPUExecutionProvider"])

        self.cascade = manifest.get("cascade")
        self.first = network(manifest)
        self.second = self.cascade and network(self.cascade)
        self.rules = self.cascade.get("specialists", {}) if self.cascade else {}
        self.specialists = {head: network(rule) for head, rule in self.rules.items()}
        self.outputs = [output.name for output in self.first.get_outputs() if output.name in self.labels]

    def decode(self, photo: bytes) -> np.ndarray:
        """Decodes a photo to 3×S×S, −1…1. Decodes a JPEG at reduced size if possible, scales its short side to S
        (antialiased), and crops the centre."""
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
        """Takes N×3×S×S and returns the logits of every head for each photo."""
        values = self.first.run(self.outputs, {"image": batch})
        photos = [dict(zip(self.outputs, photo)) for photo in zip(*values)]
        if not self.cascade:
            return photos
        looks, unsure = {}, []
        for place, logits in enumerate(photos):
            head, share, presence = self.answering(logits)
            rule, asked = self.rules.get(head), self.cascade["asked_below"]
            is_certain = presence >= asked.get("presence", 0)
            if rule and is_certain and share < rule["asked_below"]:
                own = self.look(head, batch[place])
                joined = logits | {head: weighted(rule["first_weights"], logits[head], own)}
                if self.best(joined, head)[1] >= rule["sure_from"]:
                    photos[place] = joined
                    continue
                looks[place] = head, own
            elif is_certain and share >= asked.get(head, 0):
                continue
            unsure.append(place)
        if unsure:
            names = [name for name in self.outputs if name in self.cascade["weights"]]
            opinions = zip(*self.second.run(names, {"image": batch[unsure]}))
            for place, opinion in zip(unsure, opinions):
                for name, values in zip(names, opinion):
                    photos[place][name] = weighted(self.cascade["weights"][name], photos[place][name], values)
        for place in unsure:
            head, share, _ = self.answering(photos[place])
            rule, (looked, own) = self.rules.get(head), looks.get(place, (None, None))
            if rule and (looked == head or share < rule["asked_below"]):
                own = own if looked == head else self.look(head, batch[place])
                both = (own + self.look(head, batch[place][:, :, ::-1])) / 2
                photos[place][head] = weighted(rule["weights"], photos[place][head], both)
        return photos

    def look(self, head: str, photo: np.ndarray) -> np.ndarray:
        """The specialist's logits for one photo."""
        return self.specialists[head].run([head], {"image": np.ascontiguousarray(photo[None])})[0][0]

    def best(self, logits: dict[str, np.ndarray], head: str) -> tuple[str, float]:
        """The likeliest label of a head and its probability."""
        shares = softmax(logits[head] / self.calibration(head, "temperature", 1))[: self.named[head]]
        place = int(shares.argmax())
        return self.labels[head][place], float(shares[place])

    def answering(self, logits: dict[str, np.ndarray]) -> tuple[str, float, float]:
        """The head that answers, and the probabilities of its first label and of presence (as in `CascadeEngine`)."""
        species, presence = self.best(logits, "presence")
        if species in ("cat", "dog"):
            head = f"{species}s"
        else:
            kind, share = self.best(logits, "kinds")
            if kind == "person" and share >= self.calibration("kinds", "answer_from", 2):
                return "kinds", share, presence
            sure = [(self.best(logits, head)[1], head) for head in ("zoo", "fruit")
                    if self.best(logits, head)[1] >= self.calibration(head, "answer_from", 0 if head == "zoo" else 2)]
            head = max(sure)[1] if sure else "objects"
        return head, self.best(logits, head)[1], presence

    def calibration(self, head: str, key: str, otherwise: float) -> float:
        """A number of a head's calibration in the manifest, or `otherwise`."""
        return self.manifest["calibration"].get(head, {}).get(key, otherwise)

    def answer(self, logits: dict[str, np.ndarray]) -> dict:
        """The answer's essential parts for one photo, from the logits of its heads."""
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


def weighted(weights: list[float], one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return weights[0] * one + weights[1] * other


def softmax(logits: np.ndarray) -> np.ndarray:
    exponent = np.exp(logits - logits.max())
    return exponent / exponent.sum()
