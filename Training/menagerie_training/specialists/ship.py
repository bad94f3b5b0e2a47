"""Adds a specialist to the shipped files. The validation part decides its weight and when it is asked."""

import hashlib
import json
from pathlib import Path

import numpy as np

from .. import answers, calibrate, measures
from ..candidates import heads
from ..cascade import agreement, fuse
from . import measure

#: The compared certainties of the cascade below which the specialist is asked.
ASKED = (0.5, 0.6, 0.7, 0.8, 0.9)
#: The loss of accuracy that is accepted for asking the specialist about no photo instead of about all photos.
PRICE = 0.015


def shipped(manifest, models, photos):
    """The cascade's logits for N views as the service computes them without this specialist: {output: N×C}."""
    weights = manifest["cascade"]["weights"]
    first, second = (
        {name: values for name, values in answers.of_graph(models / file, photos, "f32").items() if name in weights}
        for file in (manifest["file"], manifest["cascade"]["file"])
    )
    return agreement.cascade(manifest | {"cascade": manifest["cascade"] | {"specialists": {}}}, first, second, {})[0]


def run(gallery, options):
    """Writes the manifest's entry. Prints the accuracy with and without it on the validation and test parts."""
    truth, head, models = heads.truths(gallery, options.cleaning), options.head, Path(options.models)
    manifest = json.loads((models / "manifest.json").read_text())
    calibration = manifest["calibration"][head]
    breeds, file = len(gallery.heads[head]), models / f"{head}.onnx"
    seen = {}
    for part in ("val", "test"):
        chosen = np.flatnonzero((gallery.part == part) & ((truth[head] >= 0) | truth["other_" + head]))
        photos = np.stack(list(measure.views(gallery, chosen, manifest["input"]["size"][0], 0)))
        logits = shipped(manifest, models, photos)
        is_animal = logits["presence"].argmax(1) == ("cats", "dogs").index(head)
        own = answers.of_graph(file, photos, "f32")[head]
        seen[part] = chosen[is_animal], logits[head][is_animal], own[is_animal]
    positions, cascade, own = seen["val"]
    known = truth[head][positions] >= 0
    one, other = fuse.weigh(measure.log(cascade)[known], measure.log(own)[known], truth[head][positions][known])
    warm = calibrate.temperature((one * cascade + other * own)[known], truth[head][positions][known])
    # The weights bring the sum to the scale of the head's logits, so that one temperature is right for both.
    weights = [round(float(value * calibration["temperature"] / warm), 4) for value in (one, other)]
    best = -1.0
    for part, (positions, cascade, own) in seen.items():
        told, sure = truth[head][positions], measures.softmax(cascade, calibration["temperature"])[:, :breeds].max(1)
        known = told >= 0
        both = weights[0] * cascade + weights[1] * own
        for below in (0, *ASKED, 1.01):
            where = sure < below
            mixed = np.where(where[:, None], both, cascade)
            shares = measures.softmax(mixed, calibration["temperature"])[:, :breeds]
            first, third = measures.top(shares[known], told[known]), measures.top(shares[known], told[known], 3)
            answered = shares.max(1) >= calibration["abstain_below"]
            right = (shares.argmax(1) == told)[answered].mean()
            error = measures.calibration_error(shares[known], told[known])[0]
            print(f"{part:4s} below {below:4.2f}, {where.mean():4.0%} asked: top-1 {first:.4f} top-3 {third:.4f}, answered {answered.mean():.4f}, "
                  f"of these right {right:.4f}, calibration error {error:.4f} ({known.sum()} known of {len(told)})")
            if part == "val" and below in ASKED and first - PRICE * where.mean() > best:
                best, chosen_below = first - PRICE * where.mean(), below
    entry = {
        "file": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "precision": "automatic",
        "asked_below": chosen_below, "weights": weights, "licence": "Apache-2.0",
        "origin": "MobileNetEdgeTPU 1.0 of github.com/mlcommons/mobile_models (v0_7, commit 1f996331, Apache-2.0, ImageNet), "
                  "tuned for these breeds alone by Training/",
    }
    print(entry)
    manifest["cascade"].setdefault("specialists", {})[head] = entry
    (models / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
