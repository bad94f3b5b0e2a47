"""NanoDet-Plus-m (RangiLyu/nanodet, Apache-2.0) in PyTorch: ShuffleNetV2, Ghost-PAN, a head for each stride.

The layers run in the order of the file, so that the file decides the architecture. Each stride's last convolution gives
the logits of the classes, and after them four distances of eight bins each (generalised focal loss, arXiv 2006.04388).
Input: N×3×S×S, BGR, `(x − mean) / deviation`.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from ..network import FoldedConvolution
from . import ncnn

SIZE = 416
STRIDES = (8, 16, 32, 64)
BINS = 8
CLASSES = 80
MEAN = (103.53, 116.28, 123.675)
DEVIATION = (57.375, 57.12, 58.395)
#: The file's name for the layers that split a stride's last output, and the slope of the leaky ReLU.
LAST, SLOPE = "tensor_split", 0.1


class Convolution(FoldedConvolution):
    """A folded convolution from ncnn's description, with equal zero padding on all sides. A leaky ReLU may follow."""

    def __init__(self, layer):
        inputs = layer.weight.shape[1] * layer.groups
        super().__init__(
            inputs, layer.number(0), layer.number(1), layer.number(3, 1), layer.groups, layer.number(9) == 2, plain=True
        )
        self.load(layer.weight, layer.bias)

    def forward(self, x):
        x = F.conv2d(x, self.weight(), self.bias, self.stride, self.kernel // 2, groups=self.groups)
        return F.leaky_relu(x, SLOPE, inplace=True) if self.activate else x


class NanoDet(nn.Module):
    """The network; `forward` gives a list, finest stride first, of N×(classes + 32)×rows×columns logits."""

    def __init__(self, layers):
        super().__init__()
        self.layers = [layer for layer in layers if layer.name != "data"]
        # The layers after a last convolution only split its logits, so they are left out.
        ends = [layer for layer in self.layers if layer.name.startswith(LAST)]
        makers = {output: layer for layer in self.layers for output in layer.outputs}
        last = {layer.inputs[0]: makers[layer.inputs[0]].name for layer in ends}
        stop = min(index for index, layer in enumerate(self.layers) if layer.kind == "Sigmoid")
        self.layers = [layer for layer in self.layers[:stop] if layer not in ends]
        # The file lists the coarsest stride first.
        self.ends = list(last)[::-1]
        self.last = list(last.values())[::-1]
        self.convolutions = nn.ModuleDict(
            {layer.name: Convolution(layer) for layer in self.layers if layer.kind in ncnn.CONVOLUTIONS}
        )

    @property
    def classes(self):
        """The number of classes of the head."""
        return self.convolutions[self.last[0]].bias.shape[0] - 4 * BINS

    def forward(self, x):
        """The logits of all strides."""
        tensors = {"data": x}
        for layer in self.layers:
            self.step(layer, tensors)
        return [tensors[name] for name in self.ends]

    def step(self, layer, tensors):
        """Adds a layer's outputs to the tensors."""
        inputs = [tensors[name] for name in layer.inputs]
        x = inputs[0]
        match layer.kind:
            case "Convolution" | "ConvolutionDepthWise":
                outputs = [self.convolutions[layer.name](x)]
            case "Pooling":
                outputs = [F.max_pool2d(x, layer.number(1), layer.number(2), layer.number(3))]
            case "Split":
                outputs = [x] * len(layer.outputs)
            case "Concat":
                outputs = [torch.cat(inputs, 1)]
            case "ShuffleChannel":
                outputs = [F.channel_shuffle(x, layer.number(0))]
            case "Slice":
                outputs = x.chunk(len(layer.outputs), 1)
            case "Interp":
                outputs = [F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)]
            case "BinaryOp":
                outputs = [inputs[0] + inputs[1]]
            case _:
                raise ValueError(f"{layer.kind} ({layer.name}) is not known")
        tensors.update(zip(layer.outputs, outputs))

    def widen(self, like, bias=-2.0):
        """Adds a class whose weights are the mean of the rows `like`, with `bias` added to their mean bias."""
        count = self.classes
        with torch.no_grad():
            for name in self.last:
                module = self.convolutions[name]
                weight, values = module.weight(), module.bias
                rows = weight[list(like)].mean(0, keepdim=True), values[list(like)].mean(0, keepdim=True) + bias
                weight = torch.cat([weight[:count], rows[0], weight[count:]])
                values = torch.cat([values[:count], rows[1], values[count:]])
                module.direction = nn.Parameter(torch.empty_like(weight))
                module.scale = nn.Parameter(torch.empty(len(weight)))
                module.bias = nn.Parameter(torch.empty(len(weight)))
                module.load(weight, values)
        return self


def centres(size=SIZE, strides=STRIDES):
    """The points from which distances are measured, P×2, and the stride of each, P, ordered by stride, then row."""
    points, sides = [], []
    for stride in strides:
        count = -(-size // stride)
        rows, columns = np.mgrid[:count, :count]
        points.append(np.stack([columns, rows], -1).reshape(-1, 2) * stride)
        sides.append(np.full(count * count, stride))
    return np.concatenate(points).astype(np.float32), np.concatenate(sides).astype(np.float32)


def normalised(pictures):
    """N×S×S×RGB uint8 → the network's input, N×3×S×S float32."""
    x = (np.asarray(pictures)[..., ::-1].astype(np.float32) - np.array(MEAN, np.float32)) / np.array(DEVIATION, np.float32)
    return torch.from_numpy(np.ascontiguousarray(x.transpose(0, 3, 1, 2)))


def flat(outputs):
    """The maps of all strides as N×P×(classes + 32)."""
    return torch.cat([output.flatten(2) for output in outputs], 2).transpose(1, 2)


def distances(logits):
    """N×P×32 logits → N×P×4 distances to left, top, right and bottom, in strides: the mean over eight bins."""
    shares = logits.unflatten(-1, (4, BINS)).softmax(-1)
    return shares @ torch.arange(BINS, dtype=logits.dtype, device=logits.device)


def corners(reach, points, strides):
    """N×P×4 distances in strides → N×P×4 left, top, right, bottom in pixels."""
    reach = reach * strides[:, None]
    return torch.cat([points - reach[..., :2], points + reach[..., 2:]], -1)


def start(folder, other=None, name="nanodet-plus-m_416"):
    """The public network of that name. With `other` it gets a class that begins as the mean of these."""
    net = NanoDet(ncnn.load(folder, name))
    return net if other is None else net.widen(other)
