"""Writes the embedded detector's ONNX file and manifest. The same weights always give the same file."""

import hashlib
import json
from pathlib import Path

from . import boxes, graph, network, unshuffled

NAME = "menagerie_boxes"


def manifest(digest, classes, version, confidence):
    """The manifest as Models/README.md describes it."""
    return {
        "name": NAME,
        "version": version,
        "file": f"{NAME}.onnx",
        "sha256": digest,
        "task": "detection",
        "precision": "f32",
        "licence": "Apache-2.0",
        "origin": "NanoDet-Plus-m 416 of RangiLyu/nanodet (Apache-2.0, COCO), read and tuned by Training/",
        "input": {
            "name": "image", "layout": "NCHW", "size": [network.SIZE] * 2, "channels": "BGR", "scale": "x",
            "mean": list(network.MEAN), "std": list(network.DEVIATION), "crop": "fill",
        },
        "detection": {
            "decoder": "corners", "output": "boxes", "labels": boxes.LABELS[:classes], "confidence": confidence,
            "overlap": 0.5, "max_boxes": 100,
        },
    }


def write(net, folder, version="2", confidence=0.4):
    """Writes weights and manifest to a folder; returns the file."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{NAME}.onnx"
    file.write_bytes(unshuffled.unshuffled(graph.build(net)).SerializeToString(deterministic=True))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    text = json.dumps(manifest(digest, net.classes, version, confidence), indent=1)
    (folder / "manifest.json").write_text(text + "\n")
    print(f"{file}: {file.stat().st_size / 1e6:.2f} MB, sha256 {digest}")
    return file
