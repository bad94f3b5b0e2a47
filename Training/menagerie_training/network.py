"""MobileNetV2 with a preserved tower for objects and a fine-tuned tower beside it, on one shared trunk.

Shapes are NCHW. Input: RGB, x/127.5 − 1. Padding is TensorFlow's SAME: stride-2 layers pad right and bottom only.
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


class FoldedConvolution(nn.Module):
    """A convolution with its batch-norm folded in, kept as direction × per-channel scale.

    Folded weights differ in size by orders of magnitude between channels, which AdamW's equal steps would wreck; with
    the scale apart (as batch-norm's gamma was) the directions all have RMS 1/√fan-in.
    """

    def __init__(self, inputs, outputs, kernel, stride=1, groups=1, activate=True):
        super().__init__()
        self.stride, self.groups, self.activate, self.kernel = stride, groups, activate, kernel
        self.direction = nn.Parameter(torch.zeros(outputs, inputs // groups, kernel, kernel))
        self.scale = nn.Parameter(torch.ones(outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def load(self, weight, bias):
        """Takes folded float weights (outputs×inputs×k×k) and bias; the function is unchanged."""
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
        if self.stride == 2:
            x, padding = F.pad(x, (0, 1, 0, 1)), 0
        else:
            padding = self.kernel // 2
        dtype = x.dtype
        if self.stride == 2 and self.groups > 1 and x.requires_grad and x.device.type == "cpu":
            # The bf16 gradient of a strided depthwise convolution takes the CPU thirty times as long as the float32 one.
            x = x.float()
        weight = self.weight().to(x.dtype)
        x = F.conv2d(x, weight, self.bias.to(x.dtype), self.stride, padding, groups=self.groups).to(dtype)
        return F.relu6(x, inplace=True) if self.activate else x


class InvertedResidual(nn.Module):
    """Expand, depthwise 3×3, project; with a shortcut where shapes allow."""

    def __init__(self, inputs, expansion, outputs, stride):
        super().__init__()
        hidden = inputs * expansion
        self.shortcut = stride == 1 and inputs == outputs
        layers = [FoldedConvolution(inputs, hidden, 1)] if expansion > 1 else []
        layers.append(FoldedConvolution(hidden, hidden, 3, stride, groups=hidden))
        layers.append(FoldedConvolution(hidden, outputs, 1, activate=False))
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        y = self.layers(x)
        return x + y if self.shortcut else y


def stages(first, last):
    """Blocks `first`..<`last` of the whole network, 0 the stem, 1–17 the inverted residuals, 18 the last convolution."""
    modules = []
    for index in range(first, last):
        if index == 0:
            modules.append(FoldedConvolution(3, 32, 3, 2))
        elif index == 18:
            modules.append(FoldedConvolution(320, 1280, 1))
        else:
            inputs = 32 if index == 1 else BLOCKS[index - 2][1]
            modules.append(InvertedResidual(inputs, *BLOCKS[index - 1]))
    return nn.Sequential(*modules)


def convolutions(module):
    """The folded convolutions of `module` in order of use."""
    return [m for m in module.modules() if isinstance(m, FoldedConvolution)]


class Menagerie(nn.Module):
    """Image → logits of every head.

    `trunk` and `preserved` together are the original network, never changed, so `objects` answers as it does.
    `tuned` starts as a copy of `preserved` and is fine-tuned. Every other head is linear on the 2,560 pooled features
    of both towers (tuned first).

    branch: number of leading stages (stem and blocks) in the shared trunk, 1…18.
    sizes: {head: number of classes} of the linear heads.
    """

    def __init__(self, branch, sizes):
        super().__init__()
        self.branch = branch
        self.trunk = stages(0, branch)
        self.preserved = stages(branch, 19)
        self.tuned = stages(branch, 19)
        self.objects = nn.Linear(1280, 1000)
        self.heads = nn.ModuleDict({name: nn.Linear(2560, size) for name, size in sizes.items()})
        for head in self.heads.values():
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)

    def load_original(self, layers):
        """Takes the layers of `starting_weights.read` into trunk and both towers."""
        shared = convolutions(self.trunk)
        for tower in (self.preserved, self.tuned):
            for convolution, (_, weight, bias) in zip(shared + convolutions(tower), layers[:-1], strict=True):
                convolution.load(weight, bias)
        with torch.no_grad():
            self.objects.weight.copy_(torch.as_tensor(layers[-1][1]))
            self.objects.bias.copy_(torch.as_tensor(layers[-1][2]))

    def fixed(self, x):
        """N×3×S×S → (trunk activations, preserved features N×1280). No gradient is ever needed through it."""
        middle = self.trunk(x)
        return middle, self.preserved(middle).mean((2, 3)).float()

    def tuned_features(self, middle):
        """Trunk activations → N×1280 features of the fine-tuned tower."""
        return self.tuned(middle).mean((2, 3)).float()

    def forward(self, x):
        middle, preserved = self.fixed(x)
        features = torch.cat([self.tuned_features(middle), preserved], 1)
        answers = {name: head(features) for name, head in self.heads.items()}
        answers["objects"] = self.objects(preserved)
        answers["features"] = features
        return answers
