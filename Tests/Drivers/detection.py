#!/usr/bin/env python3
"""Python's boxes for 48 photos with the two detectors, for comparison in DetectorAgreementTests.

    pip install numpy pillow onnxruntime
    python3 Tests/Drivers/detection.py SHARED_FOLDER > Tests/Reference/detection.json

The photos are the first of every n-th class by path: animals, cats, dogs and objects. Pillow decodes them, turns them
upright and resizes them with its antialiased bilinear filter. ONNX Runtime runs the networks. Boxes are decoded as in
the authors' own demonstrations (YOLOX demo/ONNXRuntime, FastestDet utils/tool.py) and suppressed class by class. Each
box is label, confidence, and left, top, width and height as fractions of the upright photo.
"""
import csv
import importlib.metadata
import json
import pathlib
import sys

import numpy as np
import onnxruntime
from PIL import Image, ImageOps

COUNT = 48
OVERLAP = 0.45


def suppressed(boxes, scores, classes):
    """The indices of the boxes that remain after non-maximum suppression within each class, the surest first."""
    kept = []
    for index in np.argsort(-scores, kind="stable"):
        a = boxes[index]
        for other in kept:
            b = boxes[other]
            size = np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None)
            both = size[0] * size[1]
            either = np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - both
            if classes[other] == classes[index] and both / either > OVERLAP:
                break
        else:
            kept.append(index)
    return kept


def answer(boxes, scores, classes, threshold, names):
    sure = scores >= threshold
    boxes, scores, classes = np.clip(boxes[sure], 0, 1), scores[sure], classes[sure]
    return [
        [names[classes[i]], *(round(float(v), 4) for v in (scores[i], *boxes[i, :2], *(boxes[i, 2:] - boxes[i, :2])))]
        for i in suppressed(boxes, scores, classes)
    ]


def yolox(session, photo, names):
    scale = min(416 / photo.width, 416 / photo.height)
    width, height = round(photo.width * scale), round(photo.height * scale)
    picture = np.full((416, 416, 3), 114, np.uint8)
    picture[:height, :width] = np.asarray(photo.resize((width, height), Image.BILINEAR))
    tensor = np.ascontiguousarray(picture[:, :, ::-1].transpose(2, 0, 1)[None], np.float32)
    values = session.run(None, {"images": tensor})[0][0]
    cells, strides = [], []
    for stride in (8, 16, 32):
        rows, columns = np.mgrid[: 416 // stride, : 416 // stride]
        cells.append(np.stack([columns.ravel(), rows.ravel()], 1))
        strides.append(np.full((rows.size, 1), stride))
    cells, strides = np.concatenate(cells), np.concatenate(strides)
    centres, sizes = (values[:, :2] + cells) * strides, np.exp(values[:, 2:4]) * strides
    boxes = np.concatenate([centres - sizes / 2, centres + sizes / 2], 1) / [width, height, width, height]
    scores = values[:, 4:5] * values[:, 5:]
    return answer(boxes, scores.max(1), scores.argmax(1), 0.3, names)


def fastest_det(session, photo, names):
    picture = np.asarray(photo.resize((352, 352), Image.BILINEAR))[:, :, ::-1]
    tensor = np.ascontiguousarray((picture.astype(np.float32) / 255).transpose(2, 0, 1)[None])
    values = session.run(None, {"input.1": tensor})[0][0].reshape(85, -1).T
    rows, columns = np.mgrid[:22, :22]
    cells = np.stack([columns.ravel(), rows.ravel()], 1)
    centres, sizes = (np.tanh(values[:, 1:3]) + cells) / 22, 1 / (1 + np.exp(-values[:, 3:5]))
    scores = values[:, 0] ** 0.6 * values[:, 5:].max(1) ** 0.4
    boxes = np.concatenate([centres - sizes / 2, centres + sizes / 2], 1)
    return answer(boxes, scores, values[:, 5:].argmax(1), 0.65, names)


def main():
    shared = pathlib.Path(sys.argv[1])
    models = shared / "models" / "third_party"
    names = (models / "coco_labels.txt").read_text().split("\n")
    first = {}
    with open(shared / "data" / "photos.csv", newline="") as table:
        for row in sorted(csv.DictReader(table), key=lambda row: row["path"]):
            first.setdefault((row["group"], row["class"]), row["path"])
    paths = [path for (group, _), path in sorted(first.items()) if group in ("cat", "dog", "animal", "object")]
    paths = paths[:: len(paths) // COUNT][:COUNT]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    answers = {}
    for name, file, run in (("yolox_nano", "yolox_nano.onnx", yolox), ("fastest_det", "FastestDet.onnx", fastest_det)):
        session = onnxruntime.InferenceSession(str(models / file), options)
        answers[name] = []
        for path in paths:
            photo = ImageOps.exif_transpose(Image.open(shared / "data" / path)).convert("RGB")
            answers[name].append(run(session, photo, names))
    versions = {name: importlib.metadata.version(name) for name in ("numpy", "pillow", "onnxruntime")}
    json.dump({"versions": versions, "photos": paths, "answers": answers}, sys.stdout, separators=(",", ":"))


main()
