"""Reads a network in ncnn's format: a list of layers (`.param`) and their weights (`.bin`) in float16 or 8 bits.

The format: https://github.com/Tencent/ncnn/wiki/param-and-model-file-structure. Only what NanoDet-Plus needs is read.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

MAGIC = 7767517
#: The marks in front of weights in float16, and of weights in 8 bits.
HALF, BYTES = 0x01306B47, 0x000D4B38
CONVOLUTIONS = ("Convolution", "ConvolutionDepthWise")


@dataclass
class Layer:
    """One layer: its kind, the tensors that it reads and writes, its parameters by number, and its weights."""

    kind: str
    name: str
    inputs: list
    outputs: list
    parameters: dict = field(default_factory=dict)
    weight: np.ndarray = None
    bias: np.ndarray = None

    def number(self, key, default=0):
        """An integer parameter."""
        return int(float(self.parameters.get(key, default)))

    @property
    def groups(self):
        """The number of groups of a convolution."""
        return self.number(7, 1) if self.kind == "ConvolutionDepthWise" else 1


def parse(text):
    """The layers of a `.param` file."""
    lines = text.split("\n")
    if int(lines[0]) != MAGIC:
        raise ValueError("this is no ncnn .param file in text form")
    layers = []
    for line in filter(None, lines[2:]):
        words = line.split()
        kind, name, inputs, outputs = words[0], words[1], int(words[2]), int(words[3])
        tensors, rest = words[4 : 4 + inputs + outputs], words[4 + inputs + outputs :]
        parameters = {}
        for word in rest:
            key, value = word.split("=")
            # A key of -23300 - k is an array under k: its length, then its values.
            if int(key) <= -23300:
                parameters[-int(key) - 23300] = [float(number) for number in value.split(",")[1:]]
            else:
                parameters[int(key)] = value
        layers.append(Layer(kind, name, tensors[:inputs], tensors[inputs:], parameters))
    return layers


def load(folder, name="nanodet-plus-m_416"):
    """The layers of `folder/name.param` with the weights of `folder/name.bin`: O×I×k×k float32 and O float32."""
    folder = Path(folder)
    layers = parse((folder / f"{name}.param").read_text())
    data, offset = (folder / f"{name}.bin").read_bytes(), 0
    for layer in layers:
        if layer.kind not in CONVOLUTIONS:
            continue
        outputs, kernel, count = layer.number(0), layer.number(1), layer.number(6)
        tag = int(np.frombuffer(data, "<u4", 1, offset)[0])
        if tag not in (HALF, BYTES):
            raise ValueError(f"the weights of {layer.name} are neither in float16 nor in 8 bits")
        size = 2 if tag == HALF else 1
        weight = np.frombuffer(data, "<f2" if tag == HALF else "i1", count, offset + 4).astype(np.float32)
        offset += 4 + (size * count + 3) // 4 * 4
        layer.weight = weight.reshape(outputs, -1, kernel, kernel)
        if layer.number(5):
            layer.bias = np.frombuffer(data, "<f4", outputs, offset).copy()
            offset += 4 * outputs
        if tag == BYTES:
            # After the weights come a scale for each output, the scales of the inputs and, from 101 on, of the outputs.
            # The latter two are not needed in floating point.
            scaled = layer.number(8)
            scales = 1 if scaled % 100 == 2 and layer.groups > 1 else outputs
            layer.weight = layer.weight / np.frombuffer(data, "<f4", scales, offset).reshape(-1, 1, 1, 1)
            offset += 4 * (scales + 1 + (scaled > 100))
    if offset != len(data):
        raise ValueError(f"{len(data) - offset} bytes of weights belong to no layer")
    return layers
