"""NanoDet-Plus as an ONNX graph that ends in boxes.

Input `image`, 1×3×S×S, BGR, normalised; output `boxes`, 1×P×(4 + classes): left, top, right and bottom in pixels of the
input, then the probabilities of the classes. Weights are stored as float16; every operation is float32.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ..export import Graph
from . import network


class DetectorGraph(Graph):
    """Adds NanoDet's nodes to a graph under construction."""

    def floats(self, name, values):
        """A float32 initialiser."""
        self.initialisers.append(numpy_helper.from_array(np.asarray(values, np.float32), name))
        return name

    def convolution(self, module, x, name):
        """A folded convolution and its leaky ReLU."""
        inputs = [x, self.weight(name + "_weight", module.weight()), self.floats(name + "_bias", module.bias.detach())]
        y = self.add(
            "Conv", inputs, name + "_sum" if module.activate else name, group=module.groups,
            pads=[module.kernel // 2] * 4, kernel_shape=[module.kernel] * 2, strides=[module.stride] * 2,
        )
        return self.add("LeakyRelu", [y], name, alpha=network.SLOPE) if module.activate else y

    def shuffle(self, x, name, channels, side):
        """A channel shuffle: takes the channels of the two halves in turn."""
        apart = self.constant(name + "_apart_shape", [1, 2, channels // 2, side, side])
        back = self.constant(name + "_back_shape", [1, channels, side, side])
        y = self.add("Reshape", [x, apart], name + "_apart")
        y = self.add("Transpose", [y], name + "_turned", perm=[0, 2, 1, 3, 4])
        return self.add("Reshape", [y, back], name)

    def step(self, net, layer, shapes):
        """Adds one layer. `shapes`: the channels and the side of each tensor."""
        names = [f"t{name}" if name != "data" else "image" for name in layer.inputs]
        outputs = [f"t{name}" for name in layer.outputs]
        channels, side = shapes[layer.inputs[0]]
        match layer.kind:
            case "Convolution" | "ConvolutionDepthWise":
                module = net.convolutions[layer.name]
                self.convolution(module, names[0], outputs[0])
                channels, side = module.bias.shape[0], -(-side // module.stride)
            case "Pooling":
                self.add(
                    "MaxPool", names, outputs[0], kernel_shape=[layer.number(1)] * 2, strides=[layer.number(2)] * 2,
                    pads=[layer.number(3)] * 4,
                )
                side = -(-side // layer.number(2))
            case "Split":
                for output in outputs:
                    self.add("Identity", names, output)
            case "Concat":
                self.add("Concat", names, outputs[0], axis=1)
                channels = sum(shapes[name][0] for name in layer.inputs)
            case "ShuffleChannel":
                self.shuffle(names[0], outputs[0], channels, side)
            case "Slice":
                channels //= len(outputs)
                self.nodes.append(helper.make_node("Split", names, outputs, name=layer.name, axis=1))
            case "Interp":
                scales = self.floats(layer.name + "_scales", [1, 1, 2, 2])
                self.add("Resize", [names[0], "", scales], outputs[0], mode="linear")
                side *= 2
            case "BinaryOp":
                self.add("Add", names, outputs[0])
        shapes.update({name: (channels, side) for name in layer.outputs})

    def boxes(self, net, size):
        """Adds the output `boxes`, computed from the maps of all strides."""
        maps, classes = [], net.classes
        for index, name in enumerate(net.ends):
            shape = self.constant(f"flat_{index}_shape", [1, classes + 4 * network.BINS, -1])
            maps.append(self.add("Reshape", [f"t{name}", shape], f"flat_{index}"))
        joined = self.add("Concat", maps, "joined", axis=2)
        parts = self.constant("parts", [classes, 4 * network.BINS])
        self.nodes.append(helper.make_node("Split", [joined, parts], ["classes", "reach_bins"], name="parts_of", axis=1))
        shares = self.add("Sigmoid", ["classes"], "shares")
        bins = self.add("Reshape", ["reach_bins", self.constant("bins_shape", [1, 4, network.BINS, -1])], "bins")
        bins = self.add("Softmax", [bins], "bins_soft", axis=2)
        numbers = self.floats("bin_numbers", np.arange(network.BINS).reshape(1, 1, -1, 1))
        reach = self.add("Mul", [bins, numbers], "bins_weighed")
        reach = self.add("ReduceSum", [reach, self.constant("bin_axis", [2])], "reach", keepdims=0)
        points, strides = network.centres(size)
        signs = np.array([-1, -1, 1, 1], np.float32)[:, None] * strides
        reach = self.add("Mul", [reach, self.floats("signed_strides", signs[None])], "reach_pixels")
        edges = self.add("Add", [reach, self.floats("points", np.tile(points.T, (2, 1))[None])], "edges")
        self.add("Transpose", [self.add("Concat", [edges, shares], "by_value", axis=1)], "boxes", perm=[0, 2, 1])
        return len(points)


def build(net, size=network.SIZE, half=True):
    """The checked ONNX model."""
    graph = DetectorGraph(half)
    graph.initialisers.clear()
    shapes = {"data": (3, size)}
    for layer in net.layers:
        graph.step(net, layer, shapes)
    count = graph.boxes(net, size)
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, size, size])
    boxes = helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [1, count, 4 + net.classes])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "menagerie_boxes", [image], [boxes], graph.initialisers),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="menagerie_training",
    )
    onnx.checker.check_model(model, full_check=True)
    return model
