#!/usr/bin/env python3
"""Asks the public ImageNet classifiers in Python and compares with the answers of Menagerie.

    MENAGERIE_ANSWERS=answers swift test --filter ForeignModelTests
    pip install numpy pillow openvino onnxruntime
    python3 Tests/Drivers/agreement.py answers SHARED_FOLDER

Each CSV of the folder has lines `photo,label` (the first label is what Menagerie answered). ONNX files are run with
ONNX Runtime, TFLite ones with OpenVINO's Python package. Photos are decoded by Pillow, turned upright, their short side
is resized with its antialiased bilinear filter, and the centre is cut out.
"""
import csv
import pathlib
import sys

import numpy as np
from PIL import Image, ImageOps

MODELS = {
    # file, short side, size, NCHW
    "mobilenet_v2": ("mobilenet_v2_tf2_ptq.tflite", 256, 224),
    "mobilenet_v1": ("mobilenet_v1_075_192_quant.tflite", 220, 192),
    "mobilenet_v2_int8": ("mobilenetv2_int8.onnx", 256, 224),
    "squeezenet": ("squeezenet1.1.onnx", 256, 224),
}
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


def picture(path, short, size):
    """height × width × 3 levels."""
    image = ImageOps.exif_transpose(Image.open(path)).convert("RGB")
    scale = short / min(image.size)
    image = image.resize([max(short, round(side * scale)) for side in image.size], Image.Resampling.BILINEAR)
    left, top = (image.width - size) // 2, (image.height - size) // 2
    return np.asarray(image.crop((left, top, left + size, top + size)))


def runner(path, size):
    if path.suffix == ".onnx":
        import onnxruntime

        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name

        def run(levels):
            values = ((levels / np.float32(255) - MEAN) / DEVIATION).transpose(2, 0, 1)[None].astype(np.float32)
            return session.run(None, {name: values})[0].reshape(-1)

        if session.get_inputs()[0].shape[2:] == [size, size]:
            return run

    import openvino

    core = openvino.Core()
    model = core.read_model(str(path))
    if path.suffix == ".onnx":
        model.reshape([1, 3, size, size])
    compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

    def run(levels):
        values = levels[None]
        if path.suffix == ".onnx":
            values = ((levels / np.float32(255) - MEAN) / DEVIATION).transpose(2, 0, 1)[None].astype(np.float32)
        return list(compiled(values).values())[0].reshape(-1).astype(np.float32)

    return run


def main():
    answers, shared = map(pathlib.Path, sys.argv[1:3])
    folder = shared / "models/third_party"
    labels = (folder / "imagenet_labels_1001.txt").read_text().splitlines()
    failed = False
    for name, (file, short, size) in MODELS.items():
        if not (answers / f"{name}.csv").exists():
            continue
        run = runner(folder / file, size)
        same = count = 0
        for line in (answers / f"{name}.csv").read_text().splitlines():
            path, label = line.split(",", 1)
            scores = run(picture(shared / "data" / path, short, size))
            if len(scores) == 1001:
                scores = scores[1:]
            best = labels[1:][int(np.argmax(scores))]
            # Quantised networks tie: any of the best is the same answer.
            ties = {labels[1:][i] for i in np.flatnonzero(scores == scores.max())}
            same += label == best or label in ties
            count += 1
        print(f"{name}: {same} of {count} agree, {100 * same / count:.1f} %")
        failed |= same < 0.99 * count
    sys.exit(failed)


main()
