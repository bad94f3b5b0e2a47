"""Checkpoint → ONNX: `image` (RGB, x/127.5 − 1) → logits of the head's breeds and `another_breed`.

The file is int8 with weights of seven bits. A processor without VNNI adds two products in 16 bits. Sums of products
with seven-bit weights fit into 16 bits, those with eight-bit weights do not.
"""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from ..backbones import graph
from ..candidates.features import Network
from . import measure


def made(net, head, breeds, size, view, half):
    """The model for a view of `view` px (0: of `size`), which it enlarges to `size`. half: weights in float16."""
    model = graph.BackboneGraph(half)
    # The factor is a little larger, so that the rounding of float32 does not lose a row.
    image = model.enlarged("image", (size + 0.01) / view) if view and view != size else "image"
    last, _ = model.edgetpu(net.stages, image, "tower", size)
    every = model.linear(net.head, model.pooled(last, "pooled"), "every")
    count = net.head.out_features
    parts = [model.add("Gather", [every, model.constant("breeds_at", list(range(breeds)))], "breeds", axis=1)]
    rest = model.add("Gather", [every, model.constant("rest_at", list(range(breeds, count)))], "rest", axis=1)
    parts.append(model.add("ReduceLogSumExp", [rest], "another_breed", axes=[1], keepdims=1))
    model.add("Concat", parts, head, axis=1)
    return model.model({head: [breeds + 1]})


def quantised(model, photos):
    """The float model in int8, with weights of seven bits and the head in floating point. photos: N×S×S×3 uint8."""
    import nncf

    side = photos.shape[1]
    for place, size in ((0, 1), (2, side), (3, side)):
        model.graph.input[0].type.tensor_type.shape.dim[place].dim_value = size
    model = onnx.shape_inference.infer_shapes(model)
    heads = [node.name for node in model.graph.node if not node.name.startswith("tower")]
    return nncf.quantize(
        model,
        nncf.Dataset(list(photos), lambda photo: {"image": (photo[None].transpose(0, 3, 1, 2) / 127.5 - 1).astype(np.float32)}),
        preset=nncf.QuantizationPreset.MIXED, subset_size=len(photos), fast_bias_correction=False,
        ignored_scope=nncf.IgnoredScope(names=heads, validate=False),
        advanced_parameters=nncf.AdvancedQuantizationParameters(overflow_fix=nncf.quantization.advanced_parameters.OverflowFix.ENABLE),
    )


def run(gallery, options):
    """Writes the file, and prints on how many validation photos it agrees with floating point."""
    net, names = measure.load(options.run)
    size, view = options.look
    breeds = len(gallery.heads[options.head])
    state = torch.load(Path(options.run) / "checkpoint.pt", weights_only=True)
    print(f"step {state['step']}, {state['photos']} photos, further breeds:", *names)
    judged = np.flatnonzero((gallery.part == "val") & (gallery.labels[options.head] >= 0))
    views = lambda positions, side: np.stack(list(measure.views(gallery, positions, side, 0)))  # noqa: E731
    seen = views(judged, view or size)
    exact = made(net, options.head, breeds, size, view, half=False).SerializeToString()
    exact = Network(exact, view or size, "f32", 1)(seen)[options.head].astype(np.float32)
    if options.float:
        model = made(net, options.head, breeds, size, view, half=True)
    else:
        train = np.flatnonzero((gallery.part == "train") & (gallery.labels[options.head] >= 0))
        chosen = np.sort(np.random.default_rng(options.seed).choice(train, options.photos, replace=False))
        model = quantised(made(net, options.head, breeds, size, view, half=False), views(chosen, view or size))
        widest = max(int(np.abs(numpy_helper.to_array(tensor)).max()) for tensor in model.graph.initializer
                     if tensor.data_type == onnx.TensorProto.INT8 and tensor.dims)
        print("largest weight", widest)
    Path(options.out).write_bytes(model.SerializeToString(deterministic=True))
    for precision in ("f32", "bf16"):
        found = Network(options.out, view or size, precision, 1)(seen)[options.head].astype(np.float32)
        truth = gallery.labels[options.head][judged]
        same = (found.argmax(1) == exact.argmax(1)).mean()
        right = [(values[:, :breeds].argmax(1) == truth).mean() for values in (exact, found)]
        print(f"{options.out} {precision}: {Path(options.out).stat().st_size / 1e6:.2f} MB, same first label {same:.4f}, "
              f"right {right[0]:.4f} in floats, {right[1]:.4f}")
