"""The backbones as ONNX graphs, built node by node as `export` builds the towers of MobileNetV2."""

import numpy as np
from onnx import numpy_helper

from ..export import Graph
from . import edgetpu, vit


class BackboneGraph(Graph):
    """Adds the nodes of EdgeTPU and ViT to a graph under construction."""

    def convolution(self, module, x, name, side=None):
        """A folded convolution and its activation. `side`: rows of the input, from which SAME padding is computed."""
        if not isinstance(module, edgetpu.Convolution):
            return super().convolution(module, x, name)
        before, after = module.pads(side)
        inputs = [x, self.weight(name + "_weight", module.weight()), self.weight(name + "_bias", module.bias)]
        y = self.add(
            "Conv", inputs, name + "_sum" if module.activate else name, group=module.groups,
            pads=[before, before, after, after], kernel_shape=[module.kernel] * 2, strides=[module.stride] * 2,
        )
        if not module.activate:
            return y
        return self.add("Clip", [y, "zero", "six"], name) if module.six else self.add("Relu", [y], name)

    def edgetpu(self, stages, x, name, side):
        """Adds stages of EdgeTPU or EfficientNet-Lite for an input of `side` rows. Returns the output's name and
        rows."""
        for number, stage in enumerate(stages):
            layers = [stage] if isinstance(stage, edgetpu.Convolution) else stage.layers
            y = x
            for layer, module in enumerate(layers):
                y = self.convolution(module, y, f"{name}_{number}_{layer}", side)
                side = -(-side // module.stride)
            x = self.add("Add", [x, y], f"{name}_{number}_out") if getattr(stage, "shortcut", False) else y
        return x, side

    def norm(self, layer, x, name):
        """A layer norm over the last axis. The quantiser uses names that end in `_scale`, so no name here does."""
        inputs = [x, self.weight(name + "_gain", layer.weight), self.weight(name + "_offset", layer.bias)]
        return self.add("LayerNormalization", inputs, name, axis=-1, epsilon=1e-6)

    def dense(self, layer, x, name):
        """A linear layer on the last axis of N×T×C."""
        y = self.add("MatMul", [x, self.weight(name + "_weight", layer.weight.T.contiguous())], name + "_product")
        return self.add("Add", [y, self.weight(name + "_bias", layer.bias)], name)

    def number(self, name, value):
        """A float scalar."""
        self.initialisers.append(numpy_helper.from_array(np.array(value, np.float32), name))
        return name

    def gelu(self, x, name):
        """x/2 · (1 + erf(x/√2))."""
        if not any(tensor.name == "gelu_root" for tensor in self.initialisers):
            for constant, value in (("gelu_root", 2**-0.5), ("gelu_one", 1.0), ("gelu_half", 0.5)):
                self.number(constant, value)
        erf = self.add("Erf", [self.add("Mul", [x, "gelu_root"], name + "_in")], name + "_erf")
        y = self.add("Mul", [x, self.add("Add", [erf, "gelu_one"], name + "_more")], name + "_twice")
        return self.add("Mul", [y, "gelu_half"], name)

    def of_heads(self, layer, x, name, parts):
        """Splits the output of a linear layer on N×T×192 into its `parts`, each a tensor N×heads×T×64."""
        width = vit.FEATURES // vit.HEADS
        apart = self.constant(name + "_shape", [0, -1, len(parts), vit.HEADS, width])
        apart = self.add("Reshape", [self.dense(layer, x, name), apart], name + "_apart")
        turned = self.add("Transpose", [apart], name + "_turned", perm=[2, 0, 3, 1, 4])
        found = []
        for index, part in enumerate(parts):
            self.initialisers.append(numpy_helper.from_array(np.array(index, np.int64), f"{part}_at"))
            found.append(self.add("Gather", [turned, f"{part}_at"], part, axis=0))
        return found

    def attention(self, block, x, name, first=None):
        """Self-attention of N×T×192. With `first`, a part of the tokens, only these attend to all tokens."""
        q, k, v = (f"{name}_{part}" for part in "qkv")
        if first is None:
            query, key, value = self.of_heads(block.qkv, x, name + "_qkv", [q, k, v])
        else:
            (query,) = self.of_heads(vit.part(block.qkv, 0, 1), first, name + "_query_of", [q])
            key, value = self.of_heads(vit.part(block.qkv, 1, 3), x, name + "_kv", [k, v])
        query = self.add("Mul", [query, self.number(name + "_root", (vit.FEATURES // vit.HEADS) ** -0.5)], name + "_query")
        key = self.add("Transpose", [key], name + "_key", perm=[0, 1, 3, 2])
        scores = self.add("Softmax", [self.add("MatMul", [query, key], name + "_scores")], name + "_soft", axis=-1)
        mixed = self.add("Transpose", [self.add("MatMul", [scores, value], name + "_mixed")], name + "_back", perm=[0, 2, 1, 3])
        flat = self.add("Reshape", [mixed, self.constant(name + "_flat_shape", [0, -1, vit.FEATURES])], name + "_flat")
        return self.dense(block.proj, flat, name + "_proj")

    def vit(self, net, x, name):
        """ViT-Tiny, N×3×side×side → N×192."""
        patches = self.add(
            "Conv",
            [x, self.weight(name + "_patch_weight", net.patch.weight), self.weight(name + "_patch_bias", net.patch.bias)],
            name + "_patch", kernel_shape=[vit.PATCH] * 2, strides=[vit.PATCH] * 2,
        )
        patches = self.add("Reshape", [patches, self.constant(name + "_rows", [0, vit.FEATURES, -1])], name + "_flat")
        patches = self.add("Transpose", [patches], name + "_tokens", perm=[0, 2, 1])
        patches = self.add("Add", [patches, self.weight(name + "_positions", net.positions[:, 1:])], name + "_placed")
        # Each photo of the batch needs the class token. A photo's first token times zero repeats it.
        one = self.add("Gather", [patches, self.constant(name + "_first", [0])], name + "_one", axis=1)
        nothing = self.add("Mul", [one, self.number(name + "_zero", 0.0)], name + "_nothing")
        token = self.add("Add", [nothing, self.weight(name + "_token", net.token + net.positions[:, :1])], name + "_class")
        x = self.add("Concat", [token, patches], name + "_in", axis=1)
        for index, block in enumerate(net.blocks):
            at = f"{name}_{index}"
            normed, first = self.norm(block.norm1, x, at + "_norm1"), None
            if block is net.blocks[-1]:
                # In the last block only the class token is computed, since no layer reads the other tokens.
                token = self.constant(name + "_token_at", [0])
                x = self.add("Gather", [x, token], at + "_first", axis=1)
                first = self.add("Gather", [normed, token], at + "_first_normed", axis=1)
            mixed = self.attention(block, normed, at, first)
            x = self.add("Add", [x, mixed], at + "_middle")
            y = self.dense(block.fc1, self.norm(block.norm2, x, at + "_norm2"), at + "_fc1")
            x = self.add("Add", [x, self.dense(block.fc2, self.gelu(y, at + "_gelu"), at + "_fc2")], at + "_out")
        return self.norm(net.norm, self.add("Flatten", [x], name + "_answer", axis=1), name + "_features")

    def enlarged(self, x, factor):
        """The images enlarged by `factor`, linearly."""
        self.initialisers.append(numpy_helper.from_array(np.array([1, 1, factor, factor], np.float32), "scales"))
        self.initialisers.append(numpy_helper.from_array(np.zeros(0, np.float32), "region"))
        return self.add(
            "Resize", [x, "region", "scales"], "enlarged", mode="linear", coordinate_transformation_mode="half_pixel")


def features(edge=None, transformer=None, size=224, half=False, held=0, view=None):
    """The ONNX model `image` → pooled features of EdgeTPU (`edgetpu`, N×1280) and of ViT (`vit`, N×192), if given.

    held: the output `middle` has the activations after this many stages of EdgeTPU, N×C×H×W. view: the side of the
    image in pixels if it must be enlarged to `size`.
    """
    graph, outputs = BackboneGraph(half), {}
    image = graph.enlarged("image", size / view) if view and view != size else "image"
    if edge is not None:
        middle, side = graph.edgetpu(edge[:held], image, "held", size)
        last, _ = graph.edgetpu(edge[held:], middle, "edge", side)
        graph.add("Flatten", [graph.add("GlobalAveragePool", [last], "edge_pooled")], "edgetpu", axis=1)
        outputs["edgetpu"] = [edgetpu.FEATURES]
        if held:
            graph.add("Identity", [middle], "middle")
            outputs["middle"] = ["channels", "rows", "columns"]
    if transformer is not None:
        graph.add("Identity", [graph.vit(transformer, image, "vit_tower")], "vit")
        outputs["vit"] = [vit.FEATURES]
    return graph.model(outputs)
