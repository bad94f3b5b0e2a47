"""Puts a fine-tuned MobileNetV2 (the first weights) beside the original as the second tower: no training at all.

The first weights left the stem and the first three blocks as they were, so both towers can share them (branch 4) and
every answer of either network is kept exactly; `objects` becomes the original's.
"""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from . import features, linear, network, starting_weights, zoo

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


def fit_zoo(pack, options, net, iterations=40):
    """Fits the linear zoo head on the preserved tower's features of the training photos (the tuned half stays zero)."""
    positions, matrix, _ = features.original(pack, options, "train")
    truth = torch.as_tensor(pack.labels["zoo"][positions])
    none = len(pack.heads["zoo"]) - 1
    chosen = truth >= 0
    # A species that is read off `objects` must look like none to the linear head: its share comes out of none's.
    trained = torch.tensor(zoo.composition(pack).trained)
    truth = torch.where(torch.isin(truth, trained), truth, none)
    # Every third photo that is none of the species is enough, and makes the fit cheap.
    chosen &= (truth != none) | (torch.arange(len(truth)) % 3 == 0)
    scaled = torch.as_tensor(matrix)[chosen]
    mean, deviation = linear.standardise(scaled)
    weights = torch.where(truth[chosen] == none, 1.0, 6.0)
    weight, bias = linear.fit((scaled - mean) / deviation, truth[chosen], none + 1, 1e-2, iterations, weights)
    with torch.no_grad():
        net.heads["zoo"].weight.zero_()
        net.heads["zoo"].weight[:, 1280:].copy_(weight / deviation)
        net.heads["zoo"].bias.copy_(bias - (weight / deviation) @ mean)


def run(pack, options):
    """Writes the grafted network as a checkpoint that evaluate, calibrate and export read."""
    net = graft(pack, options)
    fit_zoo(pack, options, net)
    heads = {head: len(names) for head, names in pack.heads.items() if head != "objects"}
    Path(options.out).parent.mkdir(parents=True, exist_ok=True)
    torch.save({"average": net.state_dict(), "branch": SHARED, "heads": heads}, options.out)
    print(f"{options.out} written")
