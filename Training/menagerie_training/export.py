"""Checkpoint → ONNX file and manifest. The same checkpoint and class lists always give the same file. A file of
`quantise` can be used instead.

Weights are stored as float16 and cast to float32 in the graph; every other operation is float32. Input `image`,
N×3×S×S, RGB, x/127.5 − 1, any N and S; outputs are logits, and `features` the 2,560 pooled features.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import labels, network, zoo


class Graph:
    """Nodes and initialisers of an ONNX graph under construction. With `half` weights are stored as float16."""

    def __init__(self, half=True):
        self.nodes, self.half = [], half
        limits = (("zero", 0.0), ("six", 6.0))
        self.initialisers = [numpy_helper.from_array(np.array(value, np.float32), name) for name, value in limits]

    def add(self, kind, inputs, output, **attributes):
        """Appends a node that is named after its output. Returns the output."""
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name, values):
        """An integer initialiser."""
        self.initialisers.append(numpy_helper.from_array(np.asarray(values, np.int64), name))
        return name

    def weight(self, name, tensor):
        """A float16 initialiser with a cast to float32. Without `half`, a float32 initialiser of the same values."""
        values = tensor.detach().cpu().numpy().astype(np.float16)
        if not self.half:
            self.initialisers.append(numpy_helper.from_array(values.astype(np.float32), name))
            return name
        self.initialisers.append(numpy_helper.from_array(values, name + "_half"))
        return self.add("Cast", [name + "_half"], name, to=TensorProto.FLOAT)

    def convolution(self, module, x, name):
        """A folded convolution and its activation."""
        half = module.kernel // 2
        pads = [0, 0, 1, 1] if module.stride == 2 and not module.plain else [half] * 4
        inputs = [x, self.weight(name + "_weight", module.weight()), self.weight(name + "_bias", module.bias)]
        y = self.add(
            "Conv", inputs, name + "_sum" if module.activate else name, group=module.groups, pads=pads,
            kernel_shape=[module.kernel] * 2, strides=[module.stride] * 2,
        )
        if not module.activate:
            return y
        return self.add("Relu", [y], name) if module.plain else self.add("Clip", [y, "zero", "six"], name)

    def stages(self, modules, x, name):
        """A run of stages (stem, inverted residuals, last convolution)."""
        for number, stage in enumerate(modules):
            if isinstance(stage, network.FoldedConvolution):
                x = self.convolution(stage, x, f"{name}_{number}")
                continue
            y = x
            for layer, module in enumerate(stage.layers):
                y = self.convolution(module, y, f"{name}_{number}_{layer}")
            x = self.add("Add", [x, y], f"{name}_{number}_out") if stage.shortcut else y
        return x

    def linear(self, layer, x, name):
        """A fully connected layer, N×in → N×out."""
        inputs = [x, self.weight(name + "_weight", layer.weight), self.weight(name + "_bias", layer.bias)]
        return self.add("Gemm", inputs, name, transB=1)

    def pooled(self, x, name):
        """Mean over positions, N×C."""
        pooled = self.add("GlobalAveragePool", [x], name + "_pooled")
        return self.add("Flatten", [pooled], name, axis=1)

    def zoo(self, composed, linear, objects):
        """`zoo.Composition.logits` as nodes."""
        log_softmax = self.add("LogSoftmax", [objects], "objects_log", axis=1)
        none = self.add("Gather", [linear, self.constant("zoo_none_at", [composed.none])], "zoo_none", axis=1)
        parts, order = [], []
        for number, (position, rows) in enumerate([*composed.mapped.items(), (composed.none, composed.rest)]):
            picked = self.add("Gather", [log_softmax, self.constant(f"zoo_rows_{number}", rows)], f"zoo_pick_{number}", axis=1)
            summed = picked
            if len(rows) > 1:
                summed = self.add("ReduceLogSumExp", [picked], f"zoo_sum_{number}", axes=[1], keepdims=1)
            parts.append(self.add("Add", [none, summed], f"zoo_part_{number}"))
            order.append(position)
        trained = self.constant("zoo_trained_at", composed.trained)
        parts.append(self.add("Gather", [linear, trained], "zoo_trained", axis=1))
        order += composed.trained
        self.initialisers.append(numpy_helper.from_array(np.array([zoo.NEVER], np.float32), "never"))
        self.initialisers.append(numpy_helper.from_array(np.zeros(1, np.float32), "nothing"))
        parts.append(self.add("Add", [self.add("Mul", [none, "nothing"], "zoo_zero"), "never"], "zoo_never"))
        joined = self.add("Concat", parts, "zoo_joined", axis=1)
        column = {position: number for number, position in enumerate(order)}
        columns = [column.get(position, len(order)) for position in range(composed.none + 1)]
        return self.add("Gather", [joined, self.constant("zoo_columns", columns)], "zoo", axis=1)

    def model(self, outputs):
        """The checked model. outputs: {name: dimensions after the first}."""
        kinds = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", *tail]) for n, tail in outputs.items()]
        image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, "height", "width"])
        model = helper.make_model(
            helper.make_graph(self.nodes, "menagerie", [image], kinds, self.initialisers),
            opset_imports=[helper.make_opsetid("", 17)],
            ir_version=8,
            producer_name="menagerie_training",
        )
        onnx.checker.check_model(model, full_check=True)
        return model


def build_frozen(net, tower, held):
    """The unchanged part: `image` → activations after `held` stages of `tower`, and all 2,560 features."""
    graph = Graph()
    middle = graph.stages(net.towers[tower][:held], "image", "held")
    behind = graph.pooled(graph.stages(net.towers[tower][held:], middle, tower), f"{tower}_features")
    pooled = [
        behind if name == tower else graph.pooled(graph.stages(other, "image", name), f"{name}_features")
        for name, other in net.towers.items()
    ]
    features = graph.add("Concat", pooled, "features", axis=1)
    return graph.model({middle: ["channels", "rows", "columns"], features: [2560]})


def build(net, composed, half=True):
    """The ONNX model of a network."""
    graph = Graph(half)
    pooled = [
        graph.pooled(graph.stages(tower, "image", name), f"{name}_features") for name, tower in net.towers.items()
    ]
    features = graph.add("Concat", pooled, "features", axis=1)
    sizes = {"features": 2560}
    for name, head in net.heads.items():
        sizes[name] = head.out_features
        graph.linear(head, features, "zoo_linear" if name == "zoo" else name)
    graph.zoo(composed, "zoo_linear", "objects")
    outputs = ("presence", "cats", "dogs", "zoo", "objects", "fruit", "features")
    return graph.model({name: [sizes[name]] for name in outputs})


def with_other_breeds(names):
    """A head's entry in the manifest, with the additional class for other breeds, which is never an answer."""
    return {"labels": [*names, labels.OTHER_BREED], "background": len(names)}


def manifest(pack, digest, calibration, size, version):
    """The manifest as Models/README.md describes it, ready to be written as JSON."""
    heads = {head: pack.heads[head] for head in ("presence", "cats", "dogs", "zoo", "fruit", "objects")}
    few = {
        name: {"status": "approximate", "note": f"few-shot: {photos} photos in all, not measured"}
        for name, photos in calibration["few_shot"].items()
    }
    heads["cats"] = with_other_breeds(heads["cats"]) | {"status": few}
    heads["dogs"] = with_other_breeds(heads["dogs"])
    species = {name: {k: entry[k] for k in ("status", "note") if k in entry} for name, entry in calibration["zoo"].items()}
    heads["zoo"] = {"labels": pack.heads["zoo"], "background": len(pack.heads["zoo"]) - 1, "status": species}
    heads["fruit"] = {"labels": pack.heads["fruit"], "background": len(pack.heads["fruit"]) - 1}
    outputs = {head: "logits" for head in heads}
    outputs["features"] = "2560: 1280 of each of two towers; means over positions"
    return {
        "name": "menagerie",
        "version": version,
        "file": "menagerie.onnx",
        "sha256": digest,
        "precision": "automatic",
        "licence": "Apache-2.0",
        "origin": "MobileNetV2 1.0 of google-coral/test_data and of the ONNX model zoo (both Apache-2.0, ImageNet), "
        "fine-tuned by Training/",
        "input": {
            "name": "image",
            "layout": "NCHW",
            "size": [size, size],
            "channels": "RGB",
            "scale": "x/127.5-1",
            "resize": "short side to size (antialiased), centre crop",
        },
        "heads": heads,
        "people": [name for name in dict.fromkeys(pack.heads["objects"]) if name in labels.PEOPLE],
        "outputs": outputs,
        "calibration": calibration["heads"],
    }


def run(pack, options):
    """Writes menagerie.onnx and manifest.json to `options.out` and compares the file with PyTorch on 100 photos."""
    from . import answers

    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    net = answers.load_checkpoint(options.model)
    composed = zoo.composition(pack)
    file = out / "menagerie.onnx"
    if options.quantised:
        file.write_bytes(Path(options.quantised).read_bytes())
    else:
        file.write_bytes(build(net, composed).SerializeToString(deterministic=True))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    calibration = json.loads(Path(options.calibration).read_text())
    text = json.dumps(manifest(pack, digest, calibration, options.size, options.version), indent=1, ensure_ascii=False)
    (out / "manifest.json").write_text(text + "\n")
    print(f"{file}: {file.stat().st_size / 1e6:.2f} MB, sha256 {digest}")
    compare(pack, options, net, composed, file)


def compare(pack, options, net, composed, file, count=100):
    """Top-1 agreement and largest difference of probability between the file and PyTorch, float32."""
    from . import answers, measures, views

    _, photos = views.centre_views(pack, options.cache, "test", options.size)
    photos = photos[:: max(1, len(photos) // count)][:count]
    theirs = answers.of_onnx(file, photos)
    ours = answers.finish(views.infer(net, photos), composed)
    for head in pack.heads:
        same = float((ours[head].argmax(1) == theirs[head].argmax(1)).mean())
        apart = float(np.abs(measures.softmax(ours[head]) - measures.softmax(theirs[head])).max())
        print(f"  {head:9s} top-1 agreement {same:.3f}, largest difference of probability {apart:.5f}")
