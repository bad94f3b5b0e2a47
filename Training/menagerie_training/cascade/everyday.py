"""Gives `objects` rows for common animals that ImageNet has no class for, such as giraffes and horses.

Everything else in the shipped files stays. In each stage, a row's logit is linear in the features and stands beside the
1,000 logits of ImageNet. It is fitted with these as they are. The more the rows take, the less likely the species of the
zoo are: its logits get `AGAINST_ZOO`·log(1.01 − the rows' probability).
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from ..candidates import heads as candidates
from . import agreement, fit
from .export import FIRST, SECOND
from .rezoo import PARTS

#: label → the classes of the photos that show it.
ANIMALS = {
    "horse": "horse wild_horse", "cow": "cow cattle domestic_cow", "giraffe": "giraffe", "deer": "deer sika_deer",
    "donkey": "donkey", "rhinoceros": "rhinoceros white_rhinoceros", "kangaroo": "kangaroo red_kangaroo",
    "dolphin": "dolphin common_bottlenose_dolphin chinese_white_dolphin", "raccoon": "raccoon", "octopus": "octopus",
    "pigeon": "pigeon", "turkey": "turkey", "duck": "duck", "okapi": "okapi", "gerenuk": "gerenuk", "caracal": "caracal",
    "ocelot": "ocelot", "clouded_leopard": "clouded_leopard", "seahorse": "sea_horse common_seahorse",
}
LABELS = list(ANIMALS)
#: ImageNet's classes that are also one of these animals. Both rows are right for their photos.
ALSO = {"sorrel": "horse", "ox": "cow", "drake": "duck"}
#: The L2 penalty of each stage's rows, chosen on the validation part, as the two numbers below.
PENALTIES = (1e-3, 3e-4)
#: Added to the rows' biases, so that fewer other animals and things get one of these names.
BIAS = -0.3
AGAINST_ZOO = 2.0
#: The tensors of the files: the rows' inputs and outputs.
FEATURES = ("features", "vit")


class Truth:
    """`row`: N int, −1 where no row is right; `objects`: N int, −1 unknown; `also`: N×rows bool, the rows that are right."""

    def __init__(self, gallery, cleaning):
        of_class = {name: place for place, names in enumerate(ANIMALS.values()) for name in names.split()}
        self.row = np.array([of_class.get(row["class"], -1) if row["group"] == "animal" else -1 for row in gallery.rows])
        self.labels = candidates.truths(gallery, cleaning)
        self.objects = np.where(self.row < 0, self.labels["objects"], -1)
        self.also = self.row[:, None] == np.arange(len(LABELS))
        for position, row in enumerate(gallery.rows):
            if row["class"] in ALSO:
                self.also[position, LABELS.index(ALSO[row["class"]])] = True


def rows(seen, number, truth, looks, parts, steps=60):
    """(weight rows×F, bias) of a stage for plain features, rounded as in the file."""
    features, base, where = seen.several(number, looks, parts)
    everything = base.logsumexp(1)
    known, right = truth.objects[where] >= 0, everything.clone()
    right[known] = base[np.flatnonzero(known), truth.objects[where][known]]
    right[truth.row[where] >= 0] = -1e4
    blocked = torch.where(torch.as_tensor(truth.also[where]), 0.0, -1e4)
    mean, deviation = features.mean(0), features.std(0) + 1e-3
    scaled = (features - mean) / deviation
    weight = torch.zeros(len(LABELS), scaled.shape[1], requires_grad=True)
    bias = (torch.zeros(len(LABELS)) + everything.mean() - 6).requires_grad_()
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=steps, history_size=10, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        logits = scaled @ weight.T + bias
        likely = torch.cat([right[:, None], logits + blocked], 1).logsumexp(1)
        loss = (torch.cat([everything[:, None], logits], 1).logsumexp(1) - likely).mean()
        loss = loss + PENALTIES[number] / 2 * weight.square().sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    weight = weight.detach() / deviation
    bias = bias.detach() - weight @ mean + BIAS
    return weight.numpy().astype(np.float16), bias.numpy()


def added(file, features, weight, bias):
    """The file's bytes with the rows behind those of `objects`, N×(1000 + rows)."""
    model = onnx.load(file)
    graph = model.graph
    assert not any(node.output[0] == "everyday" for node in graph.node), f"{file} has these rows already"
    for node in graph.node:
        if node.name in ("objects", "zoo"):
            node.name += "_before"
        for names in (node.input, node.output):
            for place, name in enumerate(names):
                if name in ("objects", "zoo"):
                    names[place] = name + "_before"

    def constant(name, values):
        graph.initializer.append(numpy_helper.from_array(values, "everyday_" + name))
        return "everyday_" + name

    def node(kind, inputs, output, **attributes):
        graph.node.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    outputs = {output.name: output.type.tensor_type.shape.dim[1] for output in graph.output}
    count, species = outputs["objects"].dim_value, outputs["zoo"].dim_value
    wide = node("Cast", [constant("weight_half", weight.T.copy())], "everyday_weight", to=TensorProto.FLOAT)
    own = node("Gemm", [features, wide, constant("bias", bias.astype(np.float32))], "everyday")
    node("Concat", ["objects_before", own], "objects", axis=1)
    mine = constant("places", np.arange(count, count + len(bias)))
    shares = node("Gather", [node("Softmax", ["objects"], "everyday_all_shares", axis=1), mine], "everyday_shares", axis=1)
    taken = np.ones((len(bias), species), np.float32)
    taken[:, -1] = 0
    share = node("MatMul", [shares, constant("taken", taken)], "everyday_share")
    left = node("Log", [node("Sub", [constant("most", np.float32(1.01)), share], "everyday_left")], "everyday_log")
    node("Add", ["zoo_before", node("Mul", [left, constant("against", np.float32(AGAINST_ZOO))], "everyday_against_zoo")], "zoo")
    outputs["objects"].dim_value = count + len(bias)
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def extended(logits, own):
    """One stage's logits as `added` changes them. logits: {head: N×C}; own: N×rows."""
    objects = np.concatenate([logits["objects"], own], 1)
    share = np.exp(objects - objects.max(1, keepdims=True))
    share = share[:, -own.shape[1] :].sum(1) / share.sum(1)
    zoo = logits["zoo"].copy()
    zoo[:, :-1] += AGAINST_ZOO * np.log(1.01 - share)[:, None]
    return logits | {"objects": objects, "zoo": zoo}


def heads_of(file):
    """The heads of the second file alone, as a function from features N×192 to {output: N×C}."""
    import openvino

    whole = onnx.load(file)
    outputs = [output.name for output in whole.graph.output]
    part = onnx.utils.Extractor(whole).extract_model([FEATURES[1]], outputs)
    network = openvino.Core().read_model(part.SerializeToString())
    network.reshape([1, part.graph.input[0].type.tensor_type.shape.dim[1].dim_value])
    request = openvino.Core().compile_model(network, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()

    def heads(features):
        each = [[found.copy() for found in request.infer([row[None]]).to_tuple()] for row in features]
        return {name: np.concatenate(values) for name, values in zip(outputs, zip(*each))}

    return heads


def report(seen, truth, manifest, second, layers, part):
    """Prints the share of right answers before and after, for photos of `part`."""
    found, there = seen.look("size0")
    chosen = np.flatnonzero((seen.gallery.part == part) & there)
    before = [{head: found[head][chosen].astype(np.float32) for head in manifest["heads"]}]
    before.append(second(found[FEATURES[1]][chosen].astype(np.float32)))
    own = [found[name][chosen].astype(np.float32) @ weight.astype(np.float32).T + bias for name, (weight, bias) in zip(FEATURES, layers)]
    numbers = agreement.Numbers(manifest)
    species, objects = (np.array(numbers.names[head]) for head in ("zoo", "objects"))
    named = np.array([*LABELS, ""])[truth.row[chosen]]
    pets = np.array([row["group"] in ("cat", "dog") for row in seen.gallery.rows])[chosen]
    labels = {head: values[chosen] for head, values in truth.labels.items()}
    of_zoo = (labels["zoo"] >= 0) & (labels["zoo"] < len(species) - 1)
    of_objects, known, new = (labels["objects"] >= 0) & ~pets, labels["presence"] >= 0, named != ""
    for when, logits in (("before", before), ("after", [extended(*each) for each in zip(before, own)])):
        logits, _ = numbers.joined(*logits)
        heads, sure = numbers.answering(logits)
        shares = numbers.probabilities(logits)
        best = np.array([numbers.names[head][shares[head][place].argmax()] for place, head in enumerate(heads)])
        told = sure >= np.array([numbers.abstain_below[head] for head in heads])
        rows = {
            "everyday animals": (best == named)[new], "of these told and wrong": (told & (best != named))[new],
            "species of the zoo": (best[of_zoo] == species[labels["zoo"][of_zoo]]),
            "ImageNet's objects": (best[of_objects] == objects[labels["objects"][of_objects]]),
            "presence": (shares["presence"].argmax(1) == labels["presence"])[known],
            "others told as an everyday animal": (told & np.isin(best, LABELS))[~new],
        }
        print(part, when, *(f"{name} {values.mean():.1%} of {len(values)}" for name, values in rows.items()), sep="; ", flush=True)
        numbers.names["objects"] = [*objects, *LABELS]


def run(gallery, options):
    """Prints figures of rows fitted on the training part, then writes both files with rows fitted on every photo."""
    models, seen, truth = Path(options.models), fit.Seen(gallery, options), Truth(gallery, options.cleaning)
    manifest = json.loads((models / "manifest.json").read_text())
    second = heads_of(models / SECOND)
    layers = [rows(seen, number, truth, options.draws, ("train",)) for number in range(2)]
    for part in ("val", "test"):
        report(seen, truth, manifest, second, layers, part)
    digests = []
    for number, (name, features) in enumerate(zip((FIRST, SECOND), FEATURES)):
        content = added(models / name, features, *rows(seen, number, truth, options.draws, PARTS))
        (models / name).write_bytes(content)
        digests.append(hashlib.sha256(content).hexdigest())
    manifest["sha256"], manifest["cascade"]["sha256"] = digests
    manifest["version"] = options.version
    manifest["heads"]["objects"] += LABELS
    (models / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
