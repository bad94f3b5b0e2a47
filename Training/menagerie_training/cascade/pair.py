"""Runs both stages of the cascade on the same view of 192 px, as the service does, to get their features."""

from pathlib import Path

from ..backbones import edgetpu, graph, vit
from ..candidates import features
from ..candidates.__main__ import EDGETPU
from .second import ViTTiny

#: Pixels of the view that both stages read.
SIZE = 192


def seeing(network, net, half=False):
    """A graph under construction. Its tensor `network.KEY` has the second stage's features of an N×3×192×192 input."""
    made = graph.BackboneGraph(half)
    network.add(made, net, SIZE)
    return made


def held(network, transformer, blocks):
    """ViT-Tiny alone, with the outputs `vit` and `middle`, the tokens after this many blocks, N×T×192."""
    graph = seeing(network, transformer)
    graph.add("Identity", [f"vit_tower_{blocks - 1}_out"], "middle")
    model = graph.model({"vit": [vit.FEATURES], "middle": ["tokens", vit.FEATURES]})
    return features.Network(model.SerializeToString(), SIZE, "f32", 8)


class Taught:
    """ViT-Tiny after this many blocks, and its teacher's features: `big`, ViT-Tiny on the view enlarged to 224 px, and
    `edgetpu`.
    """

    def __init__(self, network, transformer, blocks, backbones):
        """backbones: the folder of the public networks."""
        self.size, self.held = SIZE, held(network, transformer, blocks)
        big, edge = ViTTiny.load(Path(backbones) / ViTTiny.FILE)[0], edgetpu.load(Path(backbones) / EDGETPU)[0]
        model = seeing(ViTTiny, big).model({ViTTiny.KEY: [ViTTiny.FEATURES]}).SerializeToString()
        self.big = features.Network(model, SIZE, "f32", 8)
        self.edge = features.Network(graph.features(edge, view=SIZE).SerializeToString(), SIZE, "bf16", 8)

    def __call__(self, views):
        """{output: N×… float16} for N views."""
        return self.held(views) | {"big": self.big(views)[ViTTiny.KEY]} | self.edge(views)


class Pair:
    """Version 5 and the second stage's network, which see the same views. The outputs of both are by name."""

    def __init__(self, first, network, net):
        """first: version 5's ONNX file; network: one of `second.NETWORKS`; net: its network, or None."""
        self.size = SIZE
        # Photos are asked one by one, since OpenVINO computes version 5's zoo head wrongly in batches.
        self.networks = [features.Network(first, SIZE, "bf16", 1)]
        if net is not None:
            model = seeing(network, net).model({network.KEY: [network.FEATURES]}).SerializeToString()
            self.networks.append(features.Network(model, SIZE, "bf16", 8))

    def __call__(self, views):
        """{output: N×C float16} for N views."""
        found = {}
        for network in self.networks:
            found |= network(views)
        return found
