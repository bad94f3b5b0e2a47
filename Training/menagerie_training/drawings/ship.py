"""Puts the head `drawings` into both files and the manifest. Nothing else in them changes."""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ..cascade.export import FIRST, SECOND
from . import words

HEAD = "drawings"


def added(file, features, weight, bias):
    """The file's bytes with the output `drawings`, N×(labels + 1)."""
    model = onnx.load(file)
    graph, prefix = model.graph, HEAD + "_"
    for name in [item.name for item in graph.node if any(out.startswith(HEAD) for out in item.output)]:
        graph.node.remove(next(node for node in graph.node if node.name == name))
    for items in (graph.output, graph.initializer):
        for item in [item for item in items if item.name.startswith(HEAD)]:
            items.remove(item)

    def constant(name, values):
        graph.initializer.append(numpy_helper.from_array(values, prefix + name))
        return prefix + name

    def node(kind, inputs, output, **attributes):
        output = HEAD if output == HEAD else prefix + output
        graph.node.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    wide = node("Cast", [constant("weight_half", weight.astype(np.float16))], "weight", to=TensorProto.FLOAT)
    both = node("Gemm", [features, wide, constant("bias", bias.astype(np.float32))], "linear")
    drawn = node("Gather", [both, constant("first", np.array([0]))], "drawn", axis=1)
    shares = node("LogSoftmax", [node("Gather", [both, constant("rest", np.arange(1, len(bias)))], "rest_of", axis=1)], "shares", axis=1)
    zero = node("Sub", [drawn, drawn], "photo")
    node("Concat", [node("Add", [shares, drawn], "words"), zero], HEAD, axis=1)
    batch = graph.output[0].type.tensor_type.shape.dim[0]
    size = batch.dim_param or batch.dim_value or None
    graph.output.append(helper.make_tensor_value_info(HEAD, TensorProto.FLOAT, [size, len(bias)]))
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def run(options):
    """Writes both files and the manifest with their digests."""
    models, fitted = Path(options.models), np.load(Path(options.rendered) / "fitted.npz")
    manifest = json.loads((models / "manifest.json").read_text())
    digests = []
    for name, features in ((FIRST, "features"), (SECOND, "vit")):
        content = added(models / name, features, fitted[features + "_weight"], fitted[features + "_bias"])
        (models / name).write_bytes(content)
        digests.append(hashlib.sha256(content).hexdigest())
        print(name, len(content), digests[-1])
    manifest["sha256"], manifest["cascade"]["sha256"] = digests
    manifest["version"] = options.version
    manifest["heads"][HEAD] = {"labels": [*words.LABELS, words.BACKGROUND], "background": len(words.LABELS)}
    manifest["outputs"][HEAD] = "logits"
    manifest["calibration"][HEAD] = {"abstain_below": float(fitted["threshold"]), "answer_from": float(fitted["limit"])}
    manifest["cascade"]["weights"][HEAD] = [float(value) for value in fitted["weights"]]
    manifest["cascade"]["asked_below"][HEAD] = 1.0
    (models / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
