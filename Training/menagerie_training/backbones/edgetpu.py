"""MobileNetEdgeTPU 1.0 at 224 px: MobileNetV2's blocks, the first of them fused into one full convolution, ReLU.

From github.com/mlcommons/mobile_models (Apache-2.0). The file is uint8 per tensor and is dequantised here. Input: RGB,
x/127.5 − 1, as in the other towers (the file's own (x − 128)·0.00787401 differs by at most 0.004). Shapes are NCHW.
"""

import numpy as np
import torch
import torch.nn.functional as F
import tflite
from torch import nn

from .. import starting_weights
from ..network import FoldedConvolution

FEATURES = 1280
#: (kind, hidden channels, output channels, kernel, stride) of the 19 blocks; `fused` has no depthwise convolution.
BLOCKS = (
    [("fused", 128, 32, 3, 2), *[("fused", 128, 32, 3, 1)] * 3]
    + [("fused", 256, 48, 3, 2), *[("fused", 192, 48, 3, 1)] * 3]
    + [("apart", 384, 96, 3, 2), *[("apart", 384, 96, 3, 1)] * 3]
    + [("apart", 768, 96, 3, 1), *[("apart", 384, 96, 3, 1)] * 3]
    + [("apart", 768, 160, 5, 2), *[("apart", 640, 160, 5, 1)] * 3]
    + [("apart", 1280, 192, 3, 1)]
)
#: These blocks have no shortcut although their input and output shapes agree. Each is the first of its group.
NO_SHORTCUT = {12}


class Convolution(FoldedConvolution):
    """A folded convolution with TensorFlow's SAME padding. ReLU (with `six` ReLU6) or no activation follows."""

    def __init__(self, inputs, outputs, kernel, stride=1, groups=1, activate=True, six=False):
        super().__init__(inputs, outputs, kernel, stride, groups, activate, plain=True)
        self.six = six

    def pads(self, side):
        """The numbers of zeros that SAME padding adds before and after `side` rows or columns."""
        total = max(0, (-(-side // self.stride) - 1) * self.stride + self.kernel - side)
        return total // 2, total - total // 2

    def forward(self, x):
        top, bottom = self.pads(x.shape[2])
        left, right = self.pads(x.shape[3])
        dtype = x.dtype
        even = top == bottom == left == right
        if not even:
            x = F.pad(x, (left, right, top, bottom))
        if self.stride == 2 and self.groups > 1 and x.requires_grad and x.device.type == "cpu":
            x = x.float()
        weight, bias = self.weight().to(x.dtype), self.bias.to(x.dtype)
        x = F.conv2d(x, weight, bias, self.stride, top if even else 0, groups=self.groups).to(dtype)
        if not self.activate:
            return x
        return F.relu6(x, inplace=True) if self.six else F.relu(x, inplace=True)


class Block(nn.Module):
    """Expansion, depthwise convolution, projection. `fused` has one full convolution for the first two. The shortcut is
    optional."""

    def __init__(self, inputs, kind, hidden, outputs, kernel, stride, shortcut):
        super().__init__()
        self.shortcut = shortcut
        if kind == "fused":
            layers = [Convolution(inputs, hidden, kernel, stride)]
        else:
            layers = [Convolution(inputs, hidden, 1), Convolution(hidden, hidden, kernel, stride, groups=hidden)]
        self.layers = nn.Sequential(*layers, Convolution(hidden, outputs, 1, activate=False))

    def forward(self, x):
        y = self.layers(x)
        return x + y if self.shortcut else y


def tower():
    """The network up to its last convolution, N×1280×7×7 for 224 px: 23 stages (stem 2, blocks 19… and the last)."""
    stages, inputs = [Convolution(3, 32, 3, 2), Convolution(32, 16, 1, activate=False)], 16
    for number, (kind, hidden, outputs, kernel, stride) in enumerate(BLOCKS):
        shortcut = stride == 1 and inputs == outputs and number not in NO_SHORTCUT
        stages.append(Block(inputs, kind, hidden, outputs, kernel, stride, shortcut))
        inputs = outputs
    return nn.Sequential(*stages, Convolution(inputs, FEATURES, 1))


def load(path):
    """The tower with the file's weights, and its classifier (weight 1000×1280, bias 1000; the background row removed)."""
    layers = read(path)
    net = tower()
    convolutions = [module for module in net.modules() if isinstance(module, Convolution)]
    for convolution, (weight, bias) in zip(convolutions, layers[:-1], strict=True):
        convolution.load(weight, bias)
    weight, bias = layers[-1]
    return net.eval(), torch.as_tensor(weight.reshape(1001, FEATURES)[1:].copy()), torch.as_tensor(bias[1:].copy())


def read(path):
    """(weight out×in×k×k, bias) of every convolution in order, float32."""
    with open(path, "rb") as file:
        model = tflite.Model.GetRootAsModel(file.read(), 0)
    graph, layers = model.Subgraphs(0), []
    for position in range(graph.OperatorsLength()):
        operator = graph.Operators(position)
        code = model.OperatorCodes(operator.OpcodeIndex())
        kind = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
        if kind not in (tflite.BuiltinOperator.CONV_2D, tflite.BuiltinOperator.DEPTHWISE_CONV_2D):
            continue
        weight = starting_weights.dequantise(model, graph, operator.Inputs(1))
        order = (0, 3, 1, 2) if kind == tflite.BuiltinOperator.CONV_2D else (3, 0, 1, 2)
        bias = starting_weights.dequantise(model, graph, operator.Inputs(2)).reshape(-1)
        layers.append((np.ascontiguousarray(weight.transpose(order)), bias))
    return layers
