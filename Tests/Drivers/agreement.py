#!/usr/bin/env python3
"""Python's answers for 200 photos, for comparison in AgreementTests.

    pip install numpy pillow openvino onnx onnxruntime ai-edge-litert
    python3 Tests/Drivers/agreement.py SHARED_FOLDER [EARLIER] > NEW

EARLIER is a record of another processor. It provides the runners that this processor cannot run faithfully.

The photos are every n-th of the table by path. Pillow decodes them, turns them upright, resizes the short side with
its antialiased bilinear filter and crops the centre. The checksum of those levels is stored. Every file runs in its
own framework (ONNX Runtime, LiteRT) and in OpenVINO, each with Pillow's levels. OpenVINO computes quantised parts in
floating point, rounded as in the file. `answers` are the indices of the best values, several in a tie. Standard error
shows how often the frameworks agree. They round quantised networks differently, depending on the framework, its
kernels and slightly on the processor.
"""
import csv
import hashlib
import importlib.metadata
import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
import openvino
import openvino.preprocess
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from PIL import Image, ImageOps

COUNT = 200
MODELS = {
    # file, short side, size
    "mobilenet_v2": ("mobilenet_v2_tf2_ptq.tflite", 256, 224),
    "mobilenet_v1": ("mobilenet_v1_075_192_quant.tflite", 220, 192),
    "mobilenet_v2_int8": ("mobilenetv2_int8.onnx", 256, 224),
    "squeezenet": ("squeezenet1.1.onnx", 256, 224),
}
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
PROCESSOR = pathlib.Path("/proc/cpuinfo").read_text()
VNNI = "avx512_vnni" in PROCESSOR or "avx_vnni" in PROCESSOR


def picture(path, short, size):
    """The levels, size × size × 3."""
    image = ImageOps.exif_transpose(Image.open(path)).convert("RGB")
    scale = short / min(image.size)
    image = image.resize([max(short, round(side * scale)) for side in image.size], Image.Resampling.BILINEAR)
    left, top = (image.width - size) // 2, (image.height - size) // 2
    return np.asarray(image.crop((left, top, left + size, top + size)))


def planar(levels):
    return ((levels / np.float32(255) - MEAN) / DEVIATION).transpose(2, 0, 1)[None].astype(np.float32)


def litert(path, kernels):
    interpreter = Interpreter(str(path), experimental_op_resolver_type=kernels)
    interpreter.allocate_tensors()
    source, target = interpreter.get_input_details()[0]["index"], interpreter.get_output_details()[0]["index"]

    def run(levels):
        interpreter.set_tensor(source, levels[None])
        interpreter.invoke()
        return interpreter.get_tensor(target).reshape(-1)

    return run


def runtime(weights, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda levels: session.run(None, {name: planar(levels)})[0].reshape(-1)


def runners(path, size):
    """The runners by name, the file's own framework first."""
    if path.suffix == ".tflite":
        model = openvino.Core().read_model(str(path))
        runs = {
            "litert": litert(path, OpResolverType.AUTO),
            "litert, kernels without XNNPACK": litert(path, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES),
        }
    else:
        network = onnx.load(str(path))
        # One of the files declares 244 although its network is for 224.
        for dimension, value in zip(network.graph.input[0].type.tensor_type.shape.dim, [1, 3, size, size]):
            dimension.dim_value = value
        weights = network.SerializeToString()
        model = openvino.Core().read_model(weights)
        runs = {"onnxruntime, not optimised": runtime(weights, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)}
        if VNNI:
            # A processor without VNNI cuts off sums of bytes at 16 bits. ONNX Runtime then gives the same answer with
            # and without optimisation for only 172 photos.
            runs["onnxruntime"] = runtime(weights, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)
    runs["openvino"] = rounded(model, path.suffix == ".tflite")
    return runs


def rounded(model, takes_levels):
    """OpenVINO in floating point. `takes_levels`: the network takes bytes without preparation."""
    steps = openvino.preprocess.PrePostProcessor(model)
    steps.input().tensor().set_element_type(openvino.Type.u8).set_layout(openvino.Layout("NHWC"))
    if not takes_levels:
        convert = steps.input().preprocess().convert_element_type(openvino.Type.f32)
        convert.mean((255 * MEAN).tolist()).scale((255 * DEVIATION).tolist())
        steps.input().model().set_layout(openvino.Layout("NCHW"))
    # Only one stream, since OpenVINO 2026.4.1 sometimes prepares several streams of one model wrongly.
    properties = {"INFERENCE_PRECISION_HINT": "f32", "LP_TRANSFORMS_MODE": "NO", "NUM_STREAMS": 1}
    compiled = openvino.Core().compile_model(steps.build(), "CPU", properties | {"INFERENCE_NUM_THREADS": 1})
    return lambda levels: list(compiled(np.ascontiguousarray(levels[None])).values())[0].reshape(-1)


def best(scores):
    """The indices of the best values among ImageNet's 1000 classes. A background class in front of them is left out."""
    scores = scores[1:] if len(scores) == 1001 else scores
    return np.flatnonzero(scores == scores.max()).tolist()


def main():
    shared = pathlib.Path(sys.argv[1])
    with open(shared / "data/photos.csv") as file:
        paths = sorted(row["path"] for row in csv.DictReader(file))
    photos = paths[:: len(paths) // COUNT][:COUNT]
    versions = {
        name: importlib.metadata.version(name)
        for name in ["pillow", "onnxruntime", "ai-edge-litert", "openvino"]
    }
    earlier = json.loads(pathlib.Path(sys.argv[2]).read_text())["models"] if len(sys.argv) > 2 else {}
    result = {"versions": versions, "photos": photos, "levels": {}, "models": {}}
    for name, (file, short, size) in MODELS.items():
        path = shared / "models/third_party" / file
        pictures = [picture(shared / "data" / photo, short, size) for photo in photos]
        result["levels"][f"{short}/{size}"] = [hashlib.sha256(p.tobytes()).hexdigest()[:16] for p in pictures]
        answers = {runner: [best(run(p)) for p in pictures] for runner, run in runners(path, size).items()}
        answers = earlier.get(name, {}).get("answers", {}) | answers
        checksum = hashlib.sha256(path.read_bytes()).hexdigest()
        result["models"][name] = {"file": file, "sha256": checksum, "short": short, "size": size, "answers": answers}
        for first in answers:
            for second in answers:
                if first < second:
                    same = sum(a[0] in b or b[0] in a for a, b in zip(answers[first], answers[second]))
                    print(f"{name}: {first} / {second}: {same} of {COUNT} agree", file=sys.stderr)
    json.dump(result, sys.stdout, separators=(",", ":"))
    print()


main()
