"""Two MobileNetV2s side by side, and linear heads on the features of both.

Shapes are NCHW. Input: RGB, x/127.5 − 1. Padding is TensorFlow's SAME: stride-2 layers pad only right and bottom.
"""

import torch
import torch.nn.functional as F
from torch import nn

#: (expansion, output channels, stride) of the 17 inverted residual blocks of MobileNetV2 1.0 (arXiv 1801.04381, table 2)
BLOCKS = (
    [(1, 16, 1)]
    + [(6, 24, 2), (6, 24, 1)]
    + [(6, 32, 2), (6, 32, 1), (6, 32, 1)]
    + [(6, 64, 2), (6, 64, 1), (6, 64, 1), (6, 64, 1)]
    + [(6, 96, 1), (6, 96, 1), (6, 96, 1)]
    + [(6, 160, 2), (6, 160, 1), (6, 160, 1)]
    + [(6, 320, 1)]
)


def precision(device):
    """bfloat16 if the device computes in it, otherwise float32. Emulated bfloat16 takes twenty times as long."""
    native = device == "cuda" or torch.cpu._is_avx512_bf16_supported()
    return torch.bfloat16 if native else torch.float32


class FoldedConvolution(nn.Module):
    """A convolution with its batch-norm folded in. The weight is stored as direction × per-channel scale.

    Folded weights differ between channels by orders of magnitude, but AdamW takes equal steps, which would destroy
    small weights. With separate scales (like batch-norm's gamma) all directions have RMS 1/√fan-in.
    """

    def __init__(self, inputs, outputs, kernel, stride=1, groups=1, activate=True, plain=False):
        super().__init__()
        self.stride, self.groups, self.activate, self.kernel, self.plain = stride, groups, activate, kernel, plain
        self.direction = nn.Parameter(torch.zeros(outputs, inputs // groups, kernel, kernel))
        self.scale = nn.Parameter(torch.ones(outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def load(self, weight, bias):
        """Takes folded float weights (outputs×inputs×k×k) and bias. The layer then computes what they compute."""
        weight = torch.as_tensor(weight)
        scale = weight.flatten(1).norm(dim=1).clamp_min(1e-6)
        with torch.no_grad():
            self.direction.copy_(weight / scale.view(-1, 1, 1, 1))
            self.scale.copy_(scale)
            self.bias.copy_(torch.as_tensor(bias))

    def weight(self):
        """The folded weight, outputs×inputs×k×k."""
        return self.direction * self.scale.view(-1, 1, 1, 1)

    def forward(self, x):
        if self.stride == 2 and not self.plain:
            x, padding = F.pad(x, (0, 1, 0, 1)), 0
        else:
            padding = self.kernel // 2
        dtype = x.dtype
        if self.stride == 2 and self.groups > 1 and x.requires_grad and x.device.type == "cpu":
            # The bf16 gradient of a strided depthwise convolution takes the CPU thirty times as long as the float32 one.
            x = x.float()
        weight = self.weight().to(x.dtype)
        x = F.conv2d(x, weight, self.bias.to(x.dtype), self.stride, padding, groups=self.groups).to(dtype)
        if not self.activate:
            return x
        return F.relu(x, inplace=True) if self.plain else F.relu6(x, inplace=True)


class InvertedResidual(nn.Module):
    """Expansion, depthwise 3×3 convolution, projection. It has a shortcut if input and output have the same shape."""

    def __init__(self, inputs, expansion, outputs, stride, plain=False):
        super().__init__()
        hidden = inputs * expansion
        self.shortcut = stride == 1 and inputs == outputs
        layers = [FoldedConvolution(inputs, hidden, 1, plain=plain)] if expansion > 1 else []
        layers.append(FoldedConvolution(hidden, hidden, 3, stride, groups=hidden, plain=plain))
        layers.append(FoldedConvolution(hidden, outputs, 1, activate=False))
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        y = self.layers(x)
        return x + y if self.shortcut else y


def stages(first, last, plain=False):
    """Blocks `first`..<`last` of the whole network, 0 the stem, 1–17 the inverted residuals, 18 the last convolution.

    plain: stride-2 layers pad all four sides instead of only right and bottom, and activations have no upper limit.
    """
    modules = []
    for index in range(first, last):
        if index == 0:
            modules.append(FoldedConvolution(3, 32, 3, 2, plain=plain))
        elif index == 18:
            modules.append(FoldedConvolution(320, 1280, 1, plain=plain))
        else:
            inputs = 32 if index == 1 else BLOCKS[index - 2][1]
            modules.append(InvertedResidual(inputs, *BLOCKS[index - 1], plain))
    return nn.Sequential(*modules)


def convolutions(module):
    """The folded convolutions of `module` in order of use."""
    return [m for m in module.modules() if isinstance(m, FoldedConvolution)]


def load(tower, layers):
    """Takes the convolutions (kind, weight, bias) of a public network into a tower."""
    for convolution, (_, weight, bias) in zip(convolutions(tower), layers, strict=True):
        convolution.load(weight, bias)


class Menagerie(nn.Module):
    """Image → logits of every head, each linear on the 2,560 pooled features of two towers (`first`, then `second`).

    sizes: {head: number of classes}.
    """

    def __init__(self, sizes):
        super().__init__()
        self.first = stages(0, 19)
        self.second = stages(0, 19, plain=True)
        self.heads = nn.ModuleDict({name: nn.Linear(2560, size) for name, size in sizes.items()})
        for head in self.heads.values():
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)

    @property
    def towers(self):
        """Both towers by name, in the order of their features."""
        return {"first": self.first, "second": self.second}

    def load(self, *networks):
        """Takes the layers of `starting_weights.read` and `read_second` into the towers."""
        for tower, layers in zip(self.towers.values(), networks, strict=True):
            load(tower, layers[:-1])

    def halves(self, head):
        """Views of the weights of `head` by tower, {name: C×1280}. Twice one, with the bias, is a head on that
        tower."""
        return dict(zip(self.towers, self.heads[head].weight.detach().chunk(2, 1)))

    def forward(self, x):
        features = torch.cat([pool(tower(x)) for tower in self.towers.values()], 1)
        return {name: head(features) for name, head in self.heads.items()} | {"features": features}


def pool(activations):
    """N×C×H×W → means over positions, N×C float32."""
    return activations.mean((2, 3)).float()
