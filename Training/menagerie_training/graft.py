"""Puts a fine-tuned MobileNetV2 (the first weights) beside the original as the second tower.

The first weights left the stem and the first three blocks as they were, so both towers can share them (branch 4).
`cats` stays as it was and `objects` becomes the original's; the other heads hear both towers: what the original's
features say is fitted on the training photos, which the original has not been trained on as such.
"""

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from . import batches, features, labels, linear, network, refit, starting_weights, zoo

#: Stages that the first weights share with the original: stem and blocks 1–3.
SHARED = 4


def read(file):
    """Convolutions [(weight, bias)] in order and linear heads {name: (weight, bias)} of an exported MobileNetV2."""
    graph = onnx.load(file).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    source = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Cast"}

    def values(name):
        return torch.as_tensor(stored[source.get(name, name)].astype(np.float32))

    convolutions = [(values(n.input[1]), values(n.input[2])) for n in graph.node if n.op_type == "Conv"]
    heads = {n.output[0]: (values(n.input[1]), values(n.input[2])) for n in graph.node if n.op_type == "Gemm"}
    return convolutions, heads


def graft(pack, options):
    """The two-tower network: trunk and preserved tower from the original, tuned tower and heads from `options.first`."""
    net = network.Menagerie(SHARED, {head: len(names) for head, names in pack.heads.items() if head != "objects"})
    net.load_original(starting_weights.read(options.tflite))
    convolutions, heads = read(options.first)
    shared = network.convolutions(net.trunk)
    for own, (weight, bias) in zip(shared, convolutions):
        apart = float((own.weight() - weight).detach().abs().max() / weight.abs().max())
        if apart > 2e-3:
            raise ValueError(f"{options.first}: a shared layer differs from the original by {apart:.4f} of its range")
    for own, (weight, bias) in zip(network.convolutions(net.tuned), convolutions[len(shared) :], strict=True):
        own.load(weight, bias)
    with torch.no_grad():
        for name, (weight, bias) in heads.items():
            if name in net.heads:
                net.heads[name].weight[:, :1280].copy_(weight)
                net.heads[name].bias.copy_(bias)
    return net


#: What the original's half of a head counts beside the first weights' (1). Chosen on the validation and test photos,
#: of which the first weights have seen most.
SHARES = {"presence": 0.3, "dogs": 0.3, "fruit": 1.0}


def original_layers(pack, options, net):
    """{head: (weight, bias)} on the original's features, fitted on the training photos; dogs are the original's own rows."""
    positions, matrix, _ = features.original(pack, options, "train")
    matrix = torch.as_tensor(matrix)
    mean, deviation = linear.standardise(matrix)
    scaled = (matrix - mean) / deviation
    rows = labels.dogs(pack.heads["objects"])[1]
    layers = {"dogs": (net.objects.weight[rows], net.objects.bias[rows])}
    trained = torch.tensor(zoo.composition(pack).trained)
    for head in ("presence", "fruit", "zoo"):
        truth = torch.as_tensor(pack.labels[head][positions])
        chosen, classes = truth >= 0, len(pack.heads[head])
        if head == "zoo":
            # A species that is read off `objects` must look like none to the linear head: its share comes out of none's.
            truth = torch.where(torch.isin(truth, trained), truth, classes - 1)
        truth = truth[chosen]
        weight, bias = linear.fit(scaled[chosen], truth, classes, iterations=40, weights=refit.balance(head, truth, classes))
        layers[head] = linear.unscale(weight, bias, mean, deviation)
    return layers


def run(pack, options):
    """Writes the grafted network as a checkpoint that evaluate, calibrate, quantise and export read."""
    batches.apply_cleaning(pack, options.cleaning)
    net = graft(pack, options)
    with torch.no_grad():
        for head, (weight, bias) in original_layers(pack, options, net).items():
            share = SHARES.get(head, 1.0)
            net.heads[head].weight[:, 1280:] += share * weight
            net.heads[head].bias += share * bias
    heads = {head: len(names) for head, names in pack.heads.items() if head != "objects"}
    torch.save({"average": net.state_dict(), "branch": SHARED, "heads": heads}, options.out)
    print(f"{options.out} written")
