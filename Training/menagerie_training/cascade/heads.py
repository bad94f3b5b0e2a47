"""Linear heads on the features of one stage, fitted anew: kinds of things, breeds, species, fruit.

Each head is `weight`·features + `bias` on features as they come (the standardising is folded in), on top of what the stage's
own public classifier says: dogs beside its dog rows, species beside the log-odds of their ImageNet classes.
"""

import numpy as np
import torch

from .. import labels, linear
from ..candidates import fitting
from ..gallery import kinds

#: Logit of a species that nothing supports, and of a class that was left out.
NEVER = -40.0
#: Shares of ImageNet's classes are kept off 0 and 1.
LEAST, MOST = 1e-9, 1 - 1e-4


#: Views to train on from which a species has a row of its own: two tell it better than its ImageNet classes do.
ENOUGH = 2


class Stage:
    """The heads of one stage. `layers[head]`: weight classes×F and bias, both for features as they come."""

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
        """The layer with a row more for breeds that are none of the head's, which leaves the others as they are."""
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
        """N×60 log-odds of each species by its ImageNet classes, 0 for none."""
        return fitting.zoo_base(objects, self.names["objects"], self.table)

    def zoo_tables(self):
        """What `zoo` is made of beside its layer.

        (classes 1000×60, by_photos 60, by_classes 60, weight 60×F, bias 60): with S = softmax(objects)·classes kept within
        `LEAST` and `MOST`, zoo = features·weightᵀ + bias + by_photos·clip(log S/(1 − S), ±8) + by_classes·log S. A species
        with photos has its own row; one that only ImageNet has takes its share of what is none of the former; of one with
        neither nothing is ever said.
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
        """{head: N×C numpy} of the heads that were fitted, with `presence` beside `kinds`, and objects."""
        found = {}
        for head, (weight, bias) in self.layers.items():
            found[head] = self.zoo(features, objects) if head == "zoo" else features @ weight.T + bias
        if "dogs" in found:
            found["dogs"][:, : len(self.dog_rows)] += objects[:, self.dog_rows]
        if "kinds" in found:
            found["presence"] = fitting.presence(found["kinds"])
        return {head: value.numpy() for head, value in (found | {"objects": objects}).items()}


def zoo_by_objects(objects, classes, by_photos, by_classes):
    """What N×1000 logits of objects add to those of `zoo`, N×60; the tables are `Stage.zoo_tables`'."""
    share = (objects.softmax(1) @ classes).clamp(LEAST, MOST)
    log = share.log()
    odds = (log - (1 - share).log()).clamp(fitting.UNKNOWN, -fitting.UNKNOWN)
    return by_photos * odds + by_classes * log


def strangers():
    """Positions of the kinds that are no pets."""
    return [number for number, kind in enumerate(kinds.KINDS) if kind in kinds.STRANGERS]


def rounded(stage):
    """The stage with its weights as the file keeps them, in float16."""
    half = lambda tensor: torch.as_tensor(tensor.numpy().astype(np.float16).astype(np.float32))  # noqa: E731
    stage.layers = {head: tuple(half(tensor) for tensor in layer) for head, layer in stage.layers.items()}
    return stage
