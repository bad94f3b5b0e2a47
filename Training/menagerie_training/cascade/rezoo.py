"""Fits the heads of the zoo again on all photos and puts them into the shipped files. Everything else in them stays."""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from ..candidates import heads as candidates
from . import fit, status
from .export import FIRST, SECOND

PARTS = ("train", "val", "test")
#: L2 penalty of the zoo's heads in both stages.
PENALTY = 1e-2


def smoothed(model, tensor):
    """The factors by which the quantiser multiplies a tensor in front of the heads, or 1.

    SmoothQuant (arXiv 2211.10438) divides the weights of the next layer by the same factors.
    """
    values = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Mul" and node.output[0].endswith("nncf_smooth_quant_output") and node.input[0] == tensor:
            return values[node.input[1]].reshape(-1)
    return 1.0


def patched(file, stage):
    """The file's bytes with the zoo of `stage`."""
    model = onnx.load(file)
    classes, by_photos, by_classes, weight, bias = (table.numpy() for table in stage.zoo_tables())
    features = next(node.input[0] for node in model.graph.node if node.output[0] == "zoo_linear").partition("_0_0/")[0]
    shares = next(node.input[0] for node in model.graph.node if node.output[0] == "zoo_share").partition("_0_0/")[0]
    new = {
        "zoo_linear_weight": weight / smoothed(model, features), "zoo_linear_bias": bias,
        "zoo_classes": classes / np.reshape(smoothed(model, shares), (-1, 1)),
        "by_photos": by_photos, "by_classes": by_classes,
    }
    left = set(new)
    for item in model.graph.initializer:
        name = item.name.removesuffix("_half")
        if name not in new:
            continue
        old = numpy_helper.to_array(item)
        assert old.shape == new[name].shape, f"{item.name} has the shape {old.shape}, not {new[name].shape}"
        item.CopyFrom(numpy_helper.from_array(new[name].astype(old.dtype), item.name))
        left.remove(name)
    assert not left, f"{file} has no {left}"
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def run(gallery, options):
    """Writes both files, and the manifest with their digests, its version and the status of each species."""
    models, seen = Path(options.models), fit.Seen(gallery, options)
    truth = candidates.truths(gallery, options.cleaning)
    told = {"zoo": truth["zoo"]}
    species = status.statuses(gallery, seen, truth, options.draws, PENALTY)
    manifest = json.loads((models / "manifest.json").read_text())
    before = manifest["heads"]["zoo"]["status"]
    for name, entry in species.items():
        old = before.get(name, {}).get("status")
        print(f"{name:28s} {entry['status']:12s} {'' if entry['status'] == old else f'(was {old})':20s} {entry['photos']:4d} photos "
              f"{entry['accuracy'] if entry['accuracy'] is None else round(entry['accuracy'], 3)} by {entry['by']}")
    digests = []
    for number, name in enumerate((FIRST, SECOND)):
        stage, _ = fit.fit_stage(seen, number, told, options.draws, {"zoo": (PENALTY,)}, PARTS)
        content = patched(models / name, stage)
        (models / name).write_bytes(content)
        digests.append(hashlib.sha256(content).hexdigest())
        print(f"{name}: sha256 {digests[-1]}")
    manifest["sha256"], manifest["cascade"]["sha256"] = digests
    manifest["version"] = options.version
    manifest["heads"]["zoo"]["status"] = {
        name: {key: entry[key] for key in ("status", "note") if key in entry} for name, entry in species.items()}
    (models / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
