"""Removes the detector's channel shuffles: makes the same network with its channels in another order.

    python -m menagerie_training.detection.unshuffled IN.onnx OUT.onnx

ShuffleNetV2 interleaves the two halves of its channels after every block, and the next block then reads half of them.
The place of each channel is known beforehand. So each convolution here reads its channels in whole pieces from the
tensors that have them, with its weights in that order. The result is the same, except that sums are computed in another
order.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

#: The operations that treat each channel separately.
BY_CHANNEL = ("LeakyRelu", "MaxPool", "Resize")


class Unshuffler:
    """Goes through a graph, and stores where each tensor's channels are: (tensor of the new graph, channel)."""

    def __init__(self, model):
        self.model = model
        graph = onnx.shape_inference.infer_shapes(model).graph
        self.channels = {
            value.name: value.type.tensor_type.shape.dim[1].dim_value
            for value in (*graph.input, *graph.value_info, *graph.output) if len(value.type.tensor_type.shape.dim) == 4
        }
        self.stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        self.nodes, self.values, self.places, self.pieces = [], dict(self.stored), {}, {}

    def whole(self, name, count):
        """Notes that a new tensor has all of its channels in order."""
        self.places[name] = [(name, channel) for channel in range(count)]

    def gathered(self, places, name):
        """Makes a tensor with these channels in any order. Returns its name, and each channel's index in `places`."""
        sources = {}
        for index, (source, channel) in enumerate(places):
            sources.setdefault(source, []).append((channel, index))
        parts, order = [], []
        for source, taken in sources.items():
            taken.sort()
            runs = np.split(np.array(taken), np.flatnonzero(np.diff([channel for channel, _ in taken]) != 1) + 1)
            for run in runs:
                parts.append(self.piece(source, int(run[0, 0]), int(run[-1, 0]) + 1))
                order += run[:, 1].tolist()
        if len(parts) == 1:
            return parts[0], order
        self.nodes.append(helper.make_node("Concat", parts, [name], name=name, axis=1))
        return name, order

    def piece(self, source, start, end):
        """The channels start ..< end of a tensor. For all channels this is the tensor itself."""
        if (start, end) == (0, self.channels[source]):
            return source
        self.pieces.setdefault(source, {})[start] = end
        return f"{source}_from_{start}"

    def input(self, node, name):
        """The tensor that a node reads, and the order of its channels."""
        return self.gathered(self.places[name], f"{node.output[0]}_in")

    def convolution(self, node):
        """Adds a convolution with its weights in the order of the channels that it reads."""
        read, order = self.input(node, node.input[0])
        weight, bias = self.floats(node.input[1]), self.floats(node.input[2])
        groups = next((entry.i for entry in node.attribute if entry.name == "group"), 1)
        result = list(range(len(weight)))
        if groups == 1:
            weight = weight[:, order]
        elif groups == len(weight) and weight.shape[1] == 1:
            weight, bias, result = weight[order], bias[order], order
        elif order != result:
            raise ValueError(f"{node.name} reads its channels in groups")
        self.values[node.input[1]], self.values[node.input[2]] = weight, bias
        self.append(node, [read, *node.input[1:]], result)

    def append(self, node, inputs, order):
        """Adds a node. Its channel i is the channel `order[i]` of the old node."""
        made = helper.make_node(node.op_type, inputs, node.output, name=node.name)
        made.attribute.extend(node.attribute)
        self.nodes.append(made)
        name = node.output[0]
        self.channels[name] = len(order)
        self.places[name] = [(name, index) for index in np.argsort(order).tolist()]

    def floats(self, name):
        """Weights as float32. Weights that are stored as float16 have a cast after them."""
        return self.values[name].astype(np.float32)

    def run(self):
        """The new graph's nodes, and its initialisers by name."""
        graph = self.model.graph
        nodes = list(graph.node)
        image = graph.input[0].name
        self.whole(image, self.channels[image])
        casts = {node.output[0]: node.input[0] for node in nodes if node.op_type == "Cast"}
        self.values.update({name: self.stored[source] for name, source in casts.items()})
        skipped = set()
        for index, node in enumerate(nodes):
            if node.op_type == "Cast" or index in skipped:
                continue
            known = [name for name in node.input if name in self.places]
            if not known:
                self.nodes.append(node)
            elif node.op_type == "Identity":
                self.places[node.output[0]] = self.places[node.input[0]]
            elif node.op_type == "Concat":
                self.places[node.output[0]] = [place for name in node.input for place in self.places[name]]
            elif node.op_type == "Split":
                places, start = self.places[node.input[0]], 0
                for name in node.output:
                    count = self.channels[name]
                    self.places[name] = places[start : start + count]
                    start += count
            elif node.op_type == "Reshape" and index + 2 < len(nodes) and nodes[index + 1].op_type == "Transpose":
                # A shuffle takes the channels of the two halves in turn.
                places = self.places[node.input[0]]
                half = len(places) // 2
                self.places[nodes[index + 2].output[0]] = [
                    place for pair in zip(places[:half], places[half:]) for place in pair]
                skipped |= {index + 1, index + 2}
            elif node.op_type == "Conv":
                self.convolution(node)
            elif node.op_type in BY_CHANNEL:
                read, order = self.input(node, node.input[0])
                self.append(node, [read, *node.input[1:]], order)
            else:
                # Additions, and the nodes after the last convolutions, need the old order.
                inputs = []
                for name in node.input:
                    if name in self.places:
                        read, order = self.input(node, name)
                        if order != sorted(order):
                            raise ValueError(f"{node.name} reads channels out of order")
                        name = read
                    inputs.append(name)
                made = helper.make_node(node.op_type, inputs, node.output, name=node.name)
                made.attribute.extend(node.attribute)
                self.nodes.append(made)
                if node.op_type == "Add":
                    self.whole(node.output[0], self.channels[node.output[0]])
        return self.with_pieces()

    def with_pieces(self):
        """The nodes with one split for each tensor whose pieces are read, directly after the node that makes it."""
        nodes = []
        for node in self.nodes:
            nodes.append(node)
            for name in node.output:
                if name not in self.pieces:
                    continue
                edges = sorted({0, self.channels[name], *self.pieces[name], *self.pieces[name].values()})
                for start, end in self.pieces[name].items():
                    if edges[edges.index(start) + 1] != end:
                        raise ValueError(f"pieces of {name} overlap")
                sizes = np.diff(edges).astype(np.int64)
                self.values[f"{name}_sizes"] = sizes
                nodes.append(helper.make_node(
                    "Split", [name, f"{name}_sizes"], [f"{name}_from_{start}" for start in edges[:-1]], name=f"{name}_pieces",
                    axis=1))
        return nodes


def unshuffled(model):
    """The same network without shuffles. Weights that were float16 with a cast are so again."""
    work = Unshuffler(model)
    old = {node.output[0]: node.input[0] for node in model.graph.node if node.op_type == "Cast"}
    nodes = work.run()
    used = {name for node in nodes for name in node.input}
    casts, stored = [], []
    for name, values in work.values.items():
        if name not in used:
            continue
        if name in old:
            stored.append(numpy_helper.from_array(values.astype(np.float16), old[name]))
            casts.append(helper.make_node("Cast", [old[name]], [name], name=name, to=onnx.TensorProto.FLOAT))
        else:
            stored.append(numpy_helper.from_array(values, name))
    graph = model.graph
    made = helper.make_model(
        helper.make_graph([*casts, *nodes], graph.name, graph.input, graph.output, stored),
        opset_imports=model.opset_import, ir_version=model.ir_version, producer_name="menagerie_training",
    )
    onnx.checker.check_model(made, full_check=True)
    return made


def main(source, target):
    """Reads, reorders and writes."""
    Path(target).write_bytes(unshuffled(onnx.load(source)).SerializeToString(deterministic=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
