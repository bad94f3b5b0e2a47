"""Adds a specialist to the shipped files. The validation part decides its weights."""

import hashlib
import json
from pathlib import Path

import numpy as np

from .. import answers, calibrate, measures
from ..candidates import heads
from ..cascade import agreement, fuse
from . import measure

#: The compared certainties below which the specialist is asked, and from which its answer about the photo stands.
ASKED, SURE = (0.7, 0.8, 0.9), (0.0, 0.5, 0.6, 0.7)
#: These were chosen for cats and dogs: right answers against the time of all networks.
BELOW, FROM = 0.8, 0.6


def weights(one, own, truth, temperature):
    """The factors of logits and of the specialist's, N×C each, that keep the temperature of the head."""
    pair = fuse.weigh(measure.log(one), measure.log(own), truth)
    warm = calibrate.temperature(pair[0] * one + pair[1] * own, truth)
    return [round(float(value * temperature / warm), 4) for value in pair]


def run(gallery, options):
    """Writes the manifest's entry. Prints the accuracy with and without it on the validation and test parts."""
    truth, head, models = heads.truths(gallery, options.cleaning), options.head, Path(options.models)
    manifest = json.loads((models / "manifest.json").read_text())
    cascade, calibration = manifest["cascade"], manifest["calibration"][head]
    breeds, file = len(gallery.heads[head]), models / f"{head}.onnx"
    seen = {}
    for part in ("val", "test"):
        chosen = np.flatnonzero((gallery.part == part) & ((truth[head] >= 0) | truth["other_" + head]))
        photos = np.stack(list(measure.views(gallery, chosen, manifest["input"]["size"][0], 0)))
        first, second = (
            {name: values for name, values in answers.of_graph(models / name, photos, "f32").items() if name in cascade["weights"]}
            for name in (manifest["file"], cascade["file"])
        )
        own = agreement.looks(file, photos, head)
        seen[part] = chosen, first, second, own
    chosen, first, second, own = seen["val"]
    known = truth[head][chosen] >= 0
    told = truth[head][chosen][known]
    one, other = cascade["weights"][head]
    both = one * first[head] + other * second[head]
    entry = {
        "file": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "precision": "automatic",
        "asked_below": BELOW, "sure_from": FROM,
        "first_weights": weights(first[head][known], own[0][known], told, calibration["temperature"]),
        "weights": weights(both[known], sum(own)[known] / 2, told, calibration["temperature"]),
        "licence": "Apache-2.0",
        "origin": "MobileNetEdgeTPU 1.0 of github.com/mlcommons/mobile_models (v0_7, commit 1f996331, Apache-2.0, ImageNet), "
                  "tuned for these breeds alone by Training/",
    }
    for part, (chosen, first, second, own) in seen.items():
        told = truth[head][chosen]
        known = told >= 0
        for below, sure in ((0, 0), *((below, sure) for below in ASKED for sure in SURE)):
            rule = {head: entry | {"asked_below": below, "sure_from": sure}}
            logits, where = agreement.cascade(manifest | {"cascade": cascade | {"specialists": rule}}, first, second, {head: own})
            shares = measures.softmax(logits[head], calibration["temperature"])[:, :breeds]
            error = measures.calibration_error(shares[known], told[known])[0]
            print(f"{part:4s} below {below:3.1f}, sure from {sure:3.1f}: top-1 {measures.top(shares[known], told[known]):.4f} "
                  f"top-3 {measures.top(shares[known], told[known], 3):.4f}, calibration error {error:.4f}, "
                  f"{where.mean():4.0%} by more than the first network ({known.sum()} known of {len(told)})")
    print(entry)
    cascade.setdefault("specialists", {})[head] = entry
    (models / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
