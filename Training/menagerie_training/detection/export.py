"""The manifest of the embedded detector."""


from . import boxes, network

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
