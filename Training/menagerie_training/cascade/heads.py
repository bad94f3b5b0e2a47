"""Newly fitted linear heads on the features of one stage: kinds of things, breeds, species, fruit.

Each head is `weight`·features + `bias` on plain features (the standardisation is folded in). Two heads add this to the
stage's public classifier: dogs to its dog rows, species to the log-odds of their ImageNet classes.
"""

import numpy as np
import torch

from .. import labels, linear
from ..candidates import fitting
from ..gallery import kinds

#: The logit of a species without photos and ImageNet classes, and of a class that was left out.
NEVER = -40.0
#: Probabilities of ImageNet's classes are limited to this range, so that their logarithms are finite.
LEAST, MOST = 1e-9, 1 - 1e-4


#: A species with this many training views has its own row, since even two views are better than its ImageNet classes.
ENOUGH = 2


class Stage:
    """The heads of one stage. `layers[head]`: weight classes×F and bias, both for plain features."""

    def __init__(self, names):
        """names: {head: class names}."""
        self.names = names
        self.dog_rows, self.table = labels.dogs(names["objects"])[1], labels.zoo_table()
        self.layers, self.fitted = {}, None

    def fit(self, features, objects, truth, penalties):
        """features: N×F float32; objects: N×1000 logits; truth: {head: N int64, `kinds` N×13 bool}; penalties: {head: L2} of
        the heads to fit.
        """
        mean, deviation = linear.standardise(features)
        scaled = (features - mean) / deviation
        for head in penalties:
            told = truth[head]
            known = told.any(1) & ~told.all(1) if head == "kinds" else told >= 0
            base = None
            if head == "zoo":
                counts = torch.bincount(told[known], minlength=len(self.names["zoo"]))
                self.fitted = counts >= ENOUGH
                self.fitted[-1] = True
                known &= (told < 0) | self.fitted[told.clamp_min(0)]
                base = self.zoo_base(objects[known])
            elif head == "dogs":
                base = objects[known][:, self.dog_rows]
            layer = self.fit_one(head, scaled[known], told[known], penalties[head], base)
            if head in ("cats", "dogs"):
                layer = self.with_other_breeds(head, layer, scaled, objects, truth)
            weight, bias = layer
            weight = weight / deviation
            self.layers[head] = weight, bias - weight @ mean
        return self

    def fit_one(self, head, scaled, told, penalty, base):
        """Weight and bias of one head on standardised features."""
        balance = fitting.BALANCE[head]
        if head == "kinds":
            first = told.int().argmax(1)
            weights = torch.bincount(first, minlength=told.shape[1]).clamp_min(1).float()[first] ** -balance
            return fitting.fit_sets(scaled, told, weights, penalty)
        classes = len(self.names[head])
        weights = torch.bincount(told, minlength=classes).clamp_min(1).float()[told] ** -balance
        return linear.fit(scaled, told, classes, penalty, 50, weights, base=base)

    def with_other_breeds(self, head, layer, scaled, objects, truth):
        """The layer with another row for all breeds that the head does not have. The other rows do not change."""
        weight, bias = layer
        count = len(self.names[head])
        other = truth["other_" + head]
        known = (truth[head] >= 0) | other
        base = scaled[known] @ weight.T + bias
        if head == "dogs":
            base = base + objects[known][:, self.dog_rows]
        row, offset = linear.fit_row(scaled[known], base, torch.where(other, count, truth[head])[known])
        return torch.cat([weight, row.unsqueeze(0)]), torch.cat([bias, offset])

    def zoo_base(self, objects):
        """N×60 log-odds of each species by its ImageNet classes, and 0 for `none`."""
        return fitting.zoo_base(objects, self.names["objects"], self.table)

    def zoo_tables(self):
        """The tables for `zoo`: (classes 1000×60, by_photos 60, by_classes 60, weight 60×F, bias 60).

        With S = softmax(objects)·classes limited to `LEAST`…`MOST`, zoo = features·weightᵀ + bias +
        by_photos·clip(log S/(1 − S), ±8) + by_classes·log S. A species with photos has its own row. A species that only
        ImageNet has gets a part of `none`'s probability. A species with neither is never the answer.
        """
        weight, bias = (tensor.clone() for tensor in self.layers["zoo"])
        count, none = len(self.names["zoo"]), len(self.names["zoo"]) - 1
        classes = torch.zeros(len(self.names["objects"]), count)
        by_photos, by_classes = torch.zeros(count), torch.zeros(count)
        for number, entry in enumerate(self.table):
            for name in entry["imagenet"]:
                classes[self.names["objects"].index(name), number] = 1
            if self.fitted[number]:
                by_photos[number] = 1
                continue
            weight[number], bias[number] = (weight[none], bias[none]) if entry["imagenet"] else (torch.zeros_like(weight[none]), NEVER)
            by_classes[number] = 1.0 if entry["imagenet"] else 0.0
        mapped = (by_classes[:none] > 0).nonzero()[:, 0]
        classes[:, none] = 1 - classes[:, mapped].sum(1).clamp(max=1)
        by_classes[none] = 1
        return classes, by_photos, by_classes, weight, bias

    def zoo(self, features, objects):
        """N×60 logits."""
        *tables, weight, bias = self.zoo_tables()
        return features @ weight.T + bias + zoo_by_objects(objects, *tables)

    def answer(self, features, objects):
        """{head: N×C numpy} of the fitted heads and of objects. If kinds is fitted, presence is computed from it."""
        found = {}
        for head, (weight, bias) in self.layers.items():
            found[head] = self.zoo(features, objects) if head == "zoo" else features @ weight.T + bias
        if "dogs" in found:
            found["dogs"][:, : len(self.dog_rows)] += objects[:, self.dog_rows]
        if "kinds" in found:
            found["presence"] = fitting.presence(found["kinds"])
        return {head: value.numpy() for head, value in (found | {"objects": objects}).items()}


def zoo_by_objects(objects, classes, by_photos, by_classes):
    """The N×60 logits that N×1000 logits of objects add to `zoo`. The tables are from `Stage.zoo_tables`."""
    share = (objects.softmax(1) @ classes).clamp(LEAST, MOST)
    log = share.log()
    odds = (log - (1 - share).log()).clamp(fitting.UNKNOWN, -fitting.UNKNOWN)
    return by_photos * odds + by_classes * log


def strangers():
    """The positions of all kinds except cat and dog."""
    return [number for number, kind in enumerate(kinds.KINDS) if kind in kinds.STRANGERS]


def rounded(stage):
    """The stage with its weights rounded to float16, as in the file."""
    half = lambda tensor: torch.as_tensor(tensor.numpy().astype(np.float16).astype(np.float32))  # noqa: E731
    stage.layers = {head: tuple(half(tensor) for tensor in layer) for head, layer in stage.layers.items()}
    return stage
