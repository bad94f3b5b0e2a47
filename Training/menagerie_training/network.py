"""Two MobileNetV2s side by side: a preserved tower that answers `objects`, and a fine-tuned one.

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

    def __init__(self, inputs, outputs, kernel, stride=1, groups=1, activate=True, plain=False):
        super().__init__()
        self.stride, self.groups, self.activate, self.kernel, self.plain = stride, groups, activate, kernel, plain
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
    """Expand, depthwise 3×3, project; with a shortcut where shapes allow."""

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

    plain: stride-2 layers pad all four sides instead of right and bottom alone, and activations have no upper limit.
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


class Menagerie(nn.Module):
    """Image → logits of every head.

    `preserved` is one public network, never changed, so `objects` answers as it does. `tuned` starts as another public
    network and is fine-tuned. Every other head is linear on the 2,560 pooled features of both towers (tuned first).

    sizes: {head: number of classes} of the linear heads.
    held: number of leading stages of `tuned` that training leaves alone as well.
    """

    def __init__(self, sizes, held=0):
        super().__init__()
        self.held = held
        self.preserved = stages(0, 19)
        self.tuned = stages(0, 19, plain=True)
        self.objects = nn.Linear(1280, 1000)
        self.heads = nn.ModuleDict({name: nn.Linear(2560, size) for name, size in sizes.items()})
        for head in self.heads.values():
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)

    def load_original(self, layers):
        """Takes the layers of `starting_weights.read` into the preserved tower and `objects`."""
        for convolution, (_, weight, bias) in zip(convolutions(self.preserved), layers[:-1], strict=True):
            convolution.load(weight, bias)
        with torch.no_grad():
            self.objects.weight.copy_(torch.as_tensor(layers[-1][1]))
            self.objects.bias.copy_(torch.as_tensor(layers[-1][2]))

    def load_second(self, layers):
        """Takes the layers of `starting_weights.read_second` into the tuned tower."""
        for convolution, (_, weight, bias) in zip(convolutions(self.tuned), layers[:-1], strict=True):
            convolution.load(weight, bias)

    def fixed(self, x):
        """N×3×S×S → (activations before what is tuned, preserved features N×1280). No gradient is needed through it."""
        return self.tuned[: self.held](x), self.preserved(x).mean((2, 3)).float()

    def tuned_features(self, middle):
        """Activations of `fixed` → N×1280 features of the fine-tuned tower."""
        return self.tuned[self.held :](middle).mean((2, 3)).float()

    def forward(self, x):
        middle, preserved = self.fixed(x)
        features = torch.cat([self.tuned_features(middle), preserved], 1)
        answers = {name: head(features) for name, head in self.heads.items()}
        answers["objects"] = self.objects(preserved)
        answers["features"] = features
        return answers
