"""Rounds a file's weights of eight bits to seven, so that processors without VNNI compute them without loss.

The method is GPTQ (Frantar et al., arXiv 2210.17323). A layer's weights are rounded one input after another. What this
changes in the layer's outputs on real photos is made up for by the inputs that are still to be rounded.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from .. import answers
from ..gallery import law
from .pair import SIZE

#: The largest distance of a weight from zero; see `answers.fits_seven_bits`.
LIMIT = 64
#: The number of training photos whose activations count.
PHOTOS = 512
#: Of each photo, so many places of a layer's input count.
PLACES = 256
#: Share of the mean square that is added to each input's square, so that rare inputs take over little.
DAMPING = 0.03


def layers(model):
    """{quantised weight: its node} of the convolutions and linear layers that add up products of several channels."""
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    quantised = {node.output[0]: node.input[0] for node in model.graph.node
                 if node.op_type == "DequantizeLinear" and node.input[0] in values}
    nodes = [node for node in model.graph.node if node.op_type in ("Conv", "Gemm", "MatMul") and node.input[1] in quantised]
    found = {quantised[node.input[1]]: node for node in nodes}
    return {name: node for name, node in found.items() if values[name].ndim != 4 or values[name].shape[1] != 1}


def windows(values, node, shape):
    """What the layer multiplies with its weights: places × inputs.

    values: 1×C×H×W, 1×places×C or 1×C; shape: of the weights.
    """
    if values.ndim < 4:
        return values.reshape(-1, values.shape[-1])
    told = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
    top, left, bottom, right = told.get("pads", [0] * 4)
    down, along = told.get("strides", [1, 1])
    padded = np.pad(values[0], ((0, 0), (top, bottom), (left, right)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, shape[2:], (1, 2))[:, ::down, ::along]
    return seen.transpose(1, 2, 0, 3, 4).reshape(-1, int(np.prod(shape[1:])))


def products(model, nodes, shapes, views, random):
    """{quantised weight: the sum of the products of each two of its inputs over the views}. views: N×S×S×3 uint8."""
    import onnxruntime

    watched = onnx.load_from_string(answers.dequantised(model.SerializeToString()))
    names = {name: node.input[0] for name, node in nodes.items()}
    there = {output.name for output in watched.graph.output}
    watched.graph.output.extend(onnx.ValueInfoProto(name=name) for name in sorted(set(names.values()) - there))
    exact = onnxruntime.SessionOptions()
    exact.log_severity_level = 3
    # Optimised, version 1.31 answers wrongly if activations are rounded and weights are not.
    exact.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(watched.SerializeToString(), exact, providers=["CPUExecutionProvider"])
    sums = {}
    for view in views:
        image = (view[None].transpose(0, 3, 1, 2) / 127.5 - 1).astype(np.float32)
        wanted = sorted(set(names.values()))
        found = dict(zip(wanted, session.run(wanted, {"image": image}), strict=True))
        for name, node in nodes.items():
            inputs = windows(found[names[name]], node, shapes[name])
            inputs = inputs[random.permutation(len(inputs))[:PLACES]].astype(np.float64)
            sums[name] = sums.get(name, 0) + inputs.T @ inputs
    return sums


def scales(weights):
    """The scale of each output, N×1, with the least squared error of rounding, among shares of the largest weight."""
    largest = np.maximum(np.abs(weights).max(1, keepdims=True), 1e-8)
    tried = [largest * share / LIMIT for share in np.linspace(0.6, 1, 41)]
    errors = [((np.clip(np.round(weights / scale), -LIMIT, LIMIT) * scale - weights) ** 2).sum(1) for scale in tried]
    return np.take_along_axis(np.concatenate(tried, 1), np.argmin(errors, 0)[:, None], 1)


def rounded(weights, scale, sums):
    """The steps of the weights, outputs × inputs, −64…64. sums: inputs × inputs, see `products`."""
    count = len(sums)
    sums = sums / sums.diagonal().mean() + DAMPING * np.eye(count)
    order = np.argsort(-sums.diagonal(), kind="stable")
    left, steps = weights[:, order].astype(np.float64), np.zeros(weights.shape)
    # Row i is how the rest of the inputs makes up for input i, once the inputs before it are rounded.
    shares = np.linalg.cholesky(np.linalg.inv(sums[np.ix_(order, order)])).T
    for place in range(count):
        steps[:, place] = np.clip(np.round(left[:, place] / scale[:, 0]), -LIMIT, LIMIT)
        error = (left[:, place] - steps[:, place] * scale[:, 0]) / shares[place, place]
        left[:, place:] -= error[:, None] * shares[place, place:]
    return steps[:, np.argsort(order)]


def made(model, views, random):
    """The quantised model with weights of seven bits."""
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes = layers(model)
    found = {node.input[0]: (node.input[1], steps, scale) for node, steps, scale in answers.quantised_weights(model)}
    sums = products(model, nodes, {name: found[name][1].shape for name in nodes}, views, random)
    for name in nodes:
        scale_name, steps, scale = found[name]
        # A product's weights are inputs × outputs.
        is_product = nodes[name].op_type == "MatMul"
        weights = (steps * scale).T if is_product else (steps * scale).reshape(len(steps), -1)
        assert scale.size == len(weights), f"{name} has no scale for each output"
        new = scales(weights)
        rows = rounded(weights, new, sums[name])
        steps = rows.T if is_product else rows.reshape(steps.shape)
        tensors[name].CopyFrom(numpy_helper.from_array(np.ascontiguousarray(steps, np.int8), name))
        tensors[scale_name].CopyFrom(numpy_helper.from_array(new[:, 0].astype(np.float32), scale_name))
    onnx.checker.check_model(model, full_check=True)
    assert answers.fits_seven_bits(model)
    return model


def run(gallery, options):
    """Rounds the first or second file of `options.models`, and names it in the manifest."""
    models, random = Path(options.models), np.random.default_rng(0)
    manifest = json.loads((models / "manifest.json").read_text())
    entry = manifest["cascade"] if options.second else manifest
    chosen = np.sort(random.choice(gallery.where("train"), PHOTOS, replace=False))
    views = np.stack([law.resized(gallery.photo(position), 0, SIZE) for position in chosen])
    file = models / entry["file"]
    content = made(onnx.load(file), views, random).SerializeToString(deterministic=True)
    manifest["version"], entry["sha256"] = options.version, hashlib.sha256(content).hexdigest()
    file.write_bytes(content)
    (models / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    print(f"{file}: {len(content) / 1e6:.2f} MB, sha256 {entry['sha256']}")
