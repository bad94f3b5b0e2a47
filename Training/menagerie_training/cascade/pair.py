"""Both stages of the cascade on one view of 192 px, as the service feeds them: what each sees of every photo."""


from ..backbones import graph, vit
from ..candidates import features

#: Pixels of the view that both stages read; the second stage enlarges it to its own 224.
SIZE = 192


def enlarging(transformer, half=False):
    """A graph in the making whose tensor `vit` holds ViT-Tiny's 192 features of an N×3×192×192 input."""
    made = graph.BackboneGraph(half)
    image = made.enlarged("image", vit.SIDE / SIZE)
    made.add("Identity", [made.vit(transformer, image, "vit_tower")], "vit")
    return made


def held(transformer, blocks):
    """ViT-Tiny alone: `vit`, and `middle`, the 197 tokens behind so many blocks, N×197×192."""
    graph = enlarging(transformer)
    graph.add("Identity", [f"vit_tower_{blocks - 1}_out"], "middle")
    model = graph.model({"vit": [vit.FEATURES], "middle": ["tokens", vit.FEATURES]})
    return features.Network(model.SerializeToString(), SIZE, "f32", 8)


class Pair:
    """Version 5 and ViT-Tiny, asked about the same views; outputs of both by name."""

    def __init__(self, first, transformer):
        """first: the ONNX file of version 5; transformer: `vit.load`'s network, or None for the first alone."""
        self.size = SIZE
        # One by one: OpenVINO errs in version 5's zoo head in batches.
        self.networks = [features.Network(first, SIZE, "bf16", 1)]
        if transformer is not None:
            second = enlarging(transformer).model({"vit": [vit.FEATURES]}).SerializeToString()
            self.networks.append(features.Network(second, SIZE, "bf16", 8))

    def __call__(self, views):
        """{output: N×C float16} for N views."""
        found = {}
        for network in self.networks:
            found |= network(views)
        return found
