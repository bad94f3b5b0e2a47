"""Writes both files and the manifest. The heads are fitted on all photos, with the validation part's numbers."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from .. import export
from ..candidates import fitting, heads as candidates
from ..gallery import kinds
from . import fit, fuse, pair, second, status
from .heads import LEAST, MOST, strangers

PARTS = ("train", "val", "test")
FIRST, SECOND = "menagerie.onnx", "second.onnx"


class Linear:
    """A weight and a bias in the form that `export.Graph.linear` expects."""

    def __init__(self, weight, bias):
        self.weight, self.bias = torch.as_tensor(weight), torch.as_tensor(bias)


def number(graph, name, value):
    """A float initialiser, a scalar or a vector."""
    graph.initialisers.append(numpy_helper.from_array(np.asarray(value, np.float32), name))
    return name


def add_kinds(graph, stage, features):
    """Adds the output `kinds`, and `presence` as sums of kinds."""
    graph.linear(Linear(*stage.layers["kinds"]), features, "kinds")
    parts = [graph.add("Gather", ["kinds", graph.constant(f"kind_{n}_at", [n])], f"kind_{n}", axis=1) for n in (0, 1)]
    rest = graph.add("Gather", ["kinds", graph.constant("strangers_at", strangers())], "strangers", axis=1)
    parts.append(graph.add("ReduceLogSumExp", [rest], "stranger", axes=[1], keepdims=1))
    graph.add("Concat", parts, "presence", axis=1)


def add_zoo(graph, stage, features):
    """Adds the output `zoo`, computed as in `heads.Stage.zoo`."""
    classes, by_photos, by_classes, weight, bias = stage.zoo_tables()
    linear = graph.linear(Linear(weight, bias), features, "zoo_linear")
    shares = graph.add("Softmax", ["objects"], "objects_share", axis=1)
    summed = graph.add("MatMul", [shares, graph.weight("zoo_classes", classes)], "zoo_share")
    limits = [number(graph, "least_share", LEAST), number(graph, "most_share", MOST)]
    kept = graph.add("Clip", [summed, *limits], "zoo_share_kept")
    log = graph.add("Log", [kept], "zoo_log")
    rest = graph.add("Log", [graph.add("Sub", [number(graph, "whole", 1.0), kept], "zoo_rest")], "zoo_rest_log")
    bounds = [number(graph, "least_odds", fitting.UNKNOWN), number(graph, "most_odds", -fitting.UNKNOWN)]
    odds = graph.add("Clip", [graph.add("Sub", [log, rest], "zoo_odds"), *bounds], "zoo_odds_kept")
    photos = graph.add("Mul", [odds, number(graph, "by_photos", by_photos.numpy())], "zoo_by_photos")
    mapped = graph.add("Mul", [log, number(graph, "by_classes", by_classes.numpy())], "zoo_by_classes")
    graph.add("Add", [graph.add("Add", [linear, photos], "zoo_known"), mapped], "zoo")


def first_file(stage, version5):
    """Version 5's network with newly fitted kinds, presence and zoo instead of its own presence and zoo."""
    model = onnx.load(version5)
    graph = export.Graph()
    add_kinds(graph, stage, "features")
    add_zoo(graph, stage, "features")
    # The old heads are removed first, since the new ones have the same names.
    kept = reachable(model.graph.node, ["cats", "dogs", "objects", "fruit", "features"])
    nodes = [*kept, *graph.nodes]
    outputs = ["presence", "kinds", "cats", "dogs", "zoo", "objects", "fruit", "features"]
    nodes = reachable(nodes, outputs)
    used = {name for node in kept for name in node.input}
    old = [i for i in model.graph.initializer if i.name in used]
    used = {name for node in graph.nodes for name in node.input}
    new = [i for i in graph.initialisers if i.name in used]
    sizes = {o.name: o.type.tensor_type.shape.dim[1].dim_value for o in model.graph.output}
    sizes |= {"kinds": len(kinds.KINDS), "presence": 3}
    return assembled(nodes, [*old, *new], outputs, sizes, model.graph.input[0])


def reachable(nodes, outputs):
    """The nodes that the outputs need, in their order."""
    needed, kept = set(outputs), []
    for node in reversed(nodes):
        if set(node.output) & needed:
            needed |= set(node.input)
            kept.append(node)
    return kept[::-1]


def assembled(nodes, initialisers, outputs, sizes, image):
    """The checked model."""
    told = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", sizes[name]]) for name in outputs]
    model = helper.make_model(
        helper.make_graph(nodes, "menagerie", [image], told, initialisers),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="menagerie_training",
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def second_file(stage, network, net, classifier):
    """The second stage's network and its heads. Weights are stored in float16 and computed in float32."""
    graph, key = pair.seeing(network, net, half=True), network.KEY
    weight, bias = (torch.as_tensor(value) for value in classifier)
    graph.linear(Linear(weight, bias), key, "objects")
    graph.linear(Linear(*stage.layers["cats"]), key, "cats")
    # The dog rows of the public classifier are linear on the same features.
    rows, offset = (tensor.clone() for tensor in stage.layers["dogs"])
    rows[: len(stage.dog_rows)] += weight[stage.dog_rows]
    offset[: len(stage.dog_rows)] += bias[stage.dog_rows]
    graph.linear(Linear(rows, offset), key, "dogs")
    graph.linear(Linear(*stage.layers["fruit"]), key, "fruit")
    add_kinds(graph, stage, key)
    add_zoo(graph, stage, key)
    sizes = {head: len(stage.names[head]) for head in fuse.OUTPUTS}
    sizes |= {"cats": sizes["cats"] + 1, "dogs": sizes["dogs"] + 1}
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, "height", "width"])
    nodes = reachable(graph.nodes, list(fuse.OUTPUTS))
    used = {name for node in nodes for name in node.input}
    return assembled(nodes, [i for i in graph.initialisers if i.name in used], list(fuse.OUTPUTS), sizes, image)


def manifest(old, rules, digests, species, version, network, tuned):
    """The manifest, made from an earlier version's.

    digests: of both files; species: {id: status} of `status.statuses`; network: one of `second.NETWORKS`; tuned:
    whether the network's weights differ from the public ones.
    """
    new = dict(old)
    new |= {"version": version, "file": FIRST, "sha256": digests[0]}
    new["origin"] = (
        "first stage: MobileNetV2 1.0 of google-coral/test_data and of the ONNX model zoo (both Apache-2.0, ImageNet), "
        "fine-tuned by Training/; second stage: see cascade.origin"
    )
    heads = {"presence": old["heads"]["presence"], "kinds": {"labels": list(kinds.KINDS)}}
    heads |= {head: old["heads"][head] for head in ("cats", "dogs", "zoo", "fruit", "objects")}
    heads["zoo"] = heads["zoo"] | {
        "status": {name: {k: entry[k] for k in ("status", "note") if k in entry} for name, entry in species.items()}
    }
    new["heads"] = heads
    new["outputs"] = {head: "logits" for head in heads} | {
        "features": "2560: 1280 of each of the first stage's two towers; means over positions"}
    numbers = {}
    for head in fuse.OUTPUTS:
        numbers[head] = {"temperature": rules["temperature"][head]}
        for key in ("abstain_below", "answer_from"):
            if head in rules[key]:
                numbers[head][key] = rules[key][head]
    new["calibration"] = numbers
    new["cascade"] = {
        "file": SECOND,
        "sha256": digests[1],
        "precision": "automatic",
        "asked_below": rules["below"],
        "weights": {head: list(rules["weights"][head]) for head in fuse.OUTPUTS},
        "licence": "Apache-2.0",
        "origin": network.ORIGIN + ("Last blocks tuned" if tuned else "Untuned") + "; heads by Training/",
    }
    order = ("name", "version", "file", "sha256", "precision", "licence", "origin", "input", "heads", "people", "outputs",
             "calibration", "cascade")
    return {key: new[key] for key in order}


def run(gallery, options):
    """Writes both files and manifest.json to `options.models`."""
    out, models, seen = Path(options.out), Path(options.models), fit.Seen(gallery, options)
    rules = json.loads((out / "shipped.json").read_text())
    truth = candidates.truths(gallery, options.cleaning)
    # The untuned network is used, since the tuned one was trained on the photos of this cross-validation.
    untuned = SimpleNamespace(**vars(options) | {"second": "", "seen": options.untuned})
    species = status.statuses(gallery, fit.Seen(gallery, untuned), truth, options.draws, rules["penalties"][1]["zoo"])
    (out / "status.json").write_text(json.dumps(species, indent=1))
    stages = []
    for number_, penalties in enumerate(rules["penalties"]):
        told = {head: (penalty,) for head, penalty in penalties.items()}
        stages.append(fit.fit_stage(seen, number_, truth, options.draws, told, PARTS)[0])
    torch.save(stages, out / "shipped.pt")
    network, file = second.of(options)
    made = first_file(stages[0], options.first), second_file(stages[1], network, network.load(file)[0], (seen.weight, seen.bias))
    digests = []
    for name, model in zip((FIRST, SECOND), made):
        content = model.SerializeToString(deterministic=True)
        (models / name).write_bytes(content)
        digests.append(hashlib.sha256(content).hexdigest())
        print(f"{models / name}: {len(content) / 1e6:.2f} MB, sha256 {digests[-1]}")
    old = json.loads((models / "manifest.json").read_text())
    told = manifest(old, rules, digests, species, options.version, network, bool(options.second))
    text = json.dumps(told, indent=1, ensure_ascii=False)
    (models / "manifest.json").write_text(text + "\n")
