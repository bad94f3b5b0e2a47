"""Stores weights that were originally 8-bit in 8 bits again, which halves their size. Other weights do not change.

    python -m menagerie_training.detection.eight_bits OLD.onnx NEW.onnx

Each output channel of a convolution has its own scale. Operations stay float32, since the weights are scaled when the
file is read.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

LARGEST = 127
#: The largest accepted distance of a weight from its step, in steps. Rounding to float16 causes a twentieth at most.
EXACT = 0.1


def steps(weight):
    """(int8 weights, a float32 scale per output), or None if an output's weights are not multiples of one number."""
    values = weight.reshape(len(weight), -1).astype(np.float64)
    scale = np.abs(values).max(1, keepdims=True) / LARGEST
    scale[scale == 0] = 1
    whole = np.round(values / scale)
    if np.abs(values / scale - whole).max() > EXACT:
        return None
    # float16 has also rounded the largest weight. A least-squares fit over all weights gives a better scale.
    scale = (values * whole).sum(1) / np.maximum((whole * whole).sum(1), 1)
    return whole.astype(np.int8).reshape(weight.shape), scale.astype(np.float32)


def packed(model):
    """The same network. Weights that are multiples of a scale are stored in 8 bits."""
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type != "Cast" or node.input[0] not in stored:
            continue
        half = stored[node.input[0]]
        found = steps(numpy_helper.to_array(half))
        if found is None:
            continue
        half.CopyFrom(numpy_helper.from_array(found[0], half.name))
        scale = f"{node.output[0]}_scale"
        model.graph.initializer.append(numpy_helper.from_array(found[1], scale))
        zero = f"{node.output[0]}_zero"
        model.graph.initializer.append(numpy_helper.from_array(np.zeros(len(found[1]), np.int8), zero))
        node.CopyFrom(helper.make_node(
            "DequantizeLinear", [half.name, scale, zero], [node.output[0]], name=node.name, axis=0))
    onnx.checker.check_model(model, full_check=True)
    return model


def main(source, target):
    """Reads, packs and writes."""
    Path(target).write_bytes(packed(onnx.load(source)).SerializeToString(deterministic=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
