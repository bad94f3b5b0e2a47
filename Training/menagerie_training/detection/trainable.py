"""A detector's ONNX file as a PyTorch network: reads it, and writes its weights back."""

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper
from torch import nn

from ..network import FoldedConvolution
from . import network

#: The convolutions of the backbone (ShuffleNetV2). They are the first ones of the file.
BACKBONE = 55


class Convolution(FoldedConvolution):
    """A convolution of the file, without the function after it."""

    def __init__(self, node, weight, bias):
        groups = next((entry.i for entry in node.attribute if entry.name == "group"), 1)
        stride = next((entry.ints[0] for entry in node.attribute if entry.name == "strides"), 1)
        super().__init__(weight.shape[1] * groups, len(weight), weight.shape[2], stride, groups, activate=False)
        self.load(weight, bias)

    def forward(self, x):
        return F.conv2d(x, self.weight(), self.bias, self.stride, self.kernel // 2, groups=self.groups)


class Trainable(nn.Module):
    """The network of a file of `graph.build`. `forward` gives N×P×(classes + 32) logits of N×3×S×S pictures."""

    def __init__(self, file):
        super().__init__()
        self.model = onnx.load(file)
        self.stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in self.model.graph.initializer}
        self.source = {node.output[0]: node.input[0] for node in self.model.graph.node if node.op_type == "Cast"}
        nodes = [node for node in self.model.graph.node if node.op_type != "Cast"]
        first = next(index for index, node in enumerate(nodes) if node.name == "flat_0")
        self.nodes = nodes[:first]
        self.ends = [node.input[0] for node in nodes if node.name.startswith("flat_")]
        self.convolutions = nn.ModuleDict({
            node.name: Convolution(node, self.values(node.input[1]).astype(np.float32), self.values(node.input[2]))
            for node in self.nodes if node.op_type == "Conv"})

    def values(self, name):
        """Weights as they are stored."""
        return self.stored[self.source.get(name, name)].copy()

    def hold_backbone(self):
        """The backbone learns nothing from now on."""
        for module in list(self.convolutions.values())[:BACKBONE]:
            module.requires_grad_(False)
        return self

    def forward(self, x):
        tensors = {"image": x}
        for node in self.nodes:
            inputs = [tensors[name] for name in node.input if name in tensors]
            tensors.update(zip(node.output, self.step(node, inputs)))
        return network.flat([tensors[name] for name in self.ends])

    def step(self, node, inputs):
        """The outputs of one node."""
        match node.op_type:
            case "Conv":
                return [self.convolutions[node.name](inputs[0])]
            case "LeakyRelu":
                return [F.leaky_relu(inputs[0], network.SLOPE, inplace=True)]
            case "MaxPool":
                return [F.max_pool2d(inputs[0], 3, 2, 1)]
            case "Concat":
                return [torch.cat(inputs, 1)]
            case "Split":
                return inputs[0].split(self.stored[node.input[1]].tolist(), 1)
            case "Resize":
                return [F.interpolate(inputs[0], scale_factor=2, mode="bilinear", align_corners=False)]
            case "Add":
                return [inputs[0] + inputs[1]]
        raise ValueError(f"{node.op_type} ({node.name}) is not known")

    def written(self):
        """The ONNX model with the present weights."""
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        stored = {tensor.name: tensor for tensor in model.graph.initializer}
        for node in self.nodes:
            if node.op_type != "Conv":
                continue
            module = self.convolutions[node.name]
            for name, value in zip(node.input[1:], (module.weight(), module.bias)):
                name = self.source.get(name, name)
                value = value.detach().numpy().astype(self.stored[name].dtype)
                stored[name].CopyFrom(numpy_helper.from_array(value, name))
        onnx.checker.check_model(model, full_check=True)
        return model


def mixed(first, second, share):
    """The network `first`, with every weight moved towards the one of `second` by a share (arXiv 2109.01903)."""
    for name, module in first.convolutions.items():
        other = second.convolutions[name]
        module.load(torch.lerp(module.weight(), other.weight(), share).detach(), torch.lerp(module.bias, other.bias, share).detach())
    return first


def raised(net, labels, by):
    """Adds to the biases of classes, by stride, finest first."""
    makers = {node.output[0]: node.name for node in net.nodes}
    with torch.no_grad():
        for end, value in zip(net.ends, by):
            net.convolutions[makers[end]].bias[list(labels)] += value
    return net
