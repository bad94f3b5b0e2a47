"""Fits linear heads on frozen features. A photo's kind is a set of possible labels. Breeds and species add to what the
public classifiers say.
"""

import torch
import torch.nn.functional as F

from .. import labels, linear
from ..gallery import kinds

#: Each photo's weight is proportional to (number of photos of its class)^−BALANCE.
BALANCE = {"kinds": 0.4, "cats": 0.3, "dogs": 0.0, "zoo": 0.5, "fruit": 0.5}
PENALTIES = {"kinds": (3e-3,), "cats": (3e-3, 1e-2, 3e-2), "dogs": (1e-2, 3e-2, 1e-1), "zoo": (3e-3, 1e-2), "fruit": (3e-3,)}
#: A species with at least this many training photos has a row of its own.
ENOUGH = 6
#: The log-odds of a species without an ImageNet class, to which the fitted row adds.
UNKNOWN = -8.0


def fit_sets(features, mask, weights, penalty, iterations=60):
    """Softmax regression in which each photo has a set of possible classes.

    The loss is −log of the set's probability with an L2 penalty, minimised by L-BFGS.

    features: N×F standardised; mask: N×C bool; weights: N. Returns weight C×F and bias C.
    """
    weights = weights / weights.sum()
    blocked = torch.where(mask, 0.0, -1e4)
    weight = torch.zeros(mask.shape[1], features.shape[1], requires_grad=True)
    bias = torch.zeros(mask.shape[1], requires_grad=True)
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=iterations, history_size=10, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        log = F.log_softmax(features @ weight.T + bias, 1)
        loss = -(torch.logsumexp(log + blocked, 1) * weights).sum() + penalty / 2 * weight.square().sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    return weight.detach(), bias.detach()


def presence(logits):
    """N×13 logits of kinds → N×3 logits of cat, dog and other. Other has the summed probability of all other kinds."""
    rest = [number for number, kind in enumerate(kinds.KINDS) if kind in kinds.STRANGERS]
    return torch.stack([logits[:, 0], logits[:, 1], torch.logsumexp(logits[:, rest], 1)], 1)


def zoo_base(objects, names, table):
    """N×60 log-odds of each species by its ImageNet classes. They are `UNKNOWN` without such a class, and 0 for `none`.

    objects: N×1000 logits; names: ImageNet's labels; table: `labels.zoo_table()`.
    """
    log = F.log_softmax(objects, 1)
    base = torch.full((len(objects), len(table) + 1), UNKNOWN)
    for number, entry in enumerate(table):
        rows = [names.index(name) for name in entry["imagenet"]]
        if rows:
            share = torch.logsumexp(log[:, rows], 1).clamp(max=-1e-4)
            base[:, number] = (share - torch.log1p(-share.exp())).clamp(UNKNOWN, 8)
    base[:, -1] = 0
    return base


class Heads:
    """Every head on one input. `fit` fits them on training features, `answer` gives the logits of others."""

    def __init__(self, names, classifiers):
        """names: {head: class names}; classifiers: (weight 1000×F_i, bias) of each public network of the input, in order."""
        self.names = names
        self.object_weight = torch.cat([weight for weight, _ in classifiers], 1) / len(classifiers)
        self.object_bias = sum(bias for _, bias in classifiers) / len(classifiers)
        self.rows = labels.dogs(names["objects"])[1]
        self.table = labels.zoo_table()
        self.layers, self.penalties = {}, {}

    def scaled(self, features):
        """Standardised features, N×F."""
        return (features - self.mean) / self.deviation

    def base(self, head, features, objects):
        """The public networks' logits, to which the fitted layer adds: N×classes, or None if the head has none."""
        if head == "dogs":
            return objects[:, self.rows]
        return zoo_base(objects, self.names["objects"], self.table) if head == "zoo" else None

    def objects(self, features):
        """N×1000 logits."""
        return features @ self.object_weight.T + self.object_bias

    def fit(self, features, truth, score):
        """Fits all heads. features: N×F float32; truth: {head: N int64 or N×13 bool}; score(head): accuracy on unseen
        photos, by which the penalty is chosen.
        """
        self.mean, self.deviation = linear.standardise(features)
        scaled, objects = self.scaled(features), self.objects(features)
        for head, options in PENALTIES.items():
            known = truth[head].any(1) & ~truth[head].all(1) if head == "kinds" else truth[head] >= 0
            if head == "zoo":
                counts = torch.bincount(truth[head][known], minlength=len(self.names["zoo"]))
                self.fitted = counts >= ENOUGH
                self.fitted[-1] = True
                known &= (truth[head] < 0) | self.fitted[truth[head]]
            best = -1.0
            for penalty in options:
                layer = self.fit_head(head, scaled[known], objects[known], truth[head][known], penalty)
                before, self.layers[head] = self.layers.get(head), layer
                found = score(head) if len(options) > 1 else 0.0
                if found > best:
                    best, self.penalties[head] = found, penalty
                else:
                    self.layers[head] = before
        for head in ("cats", "dogs"):
            self.fit_other(head, scaled, objects, truth)

    def fit_head(self, head, scaled, objects, truth, penalty):
        """Weight and bias of one head."""
        if head == "kinds":
            first = truth.int().argmax(1)
            weights = torch.bincount(first, minlength=truth.shape[1]).clamp_min(1).float()[first] ** -BALANCE[head]
            return fit_sets(scaled, truth, weights, penalty)
        classes = len(self.names[head])
        weights = torch.bincount(truth, minlength=classes).clamp_min(1).float()[truth] ** -BALANCE[head]
        base = self.base(head, scaled, objects)
        return linear.fit(scaled, truth, classes, penalty, 50, weights, base=base)

    def fit_other(self, head, scaled, objects, truth):
        """Adds a row for all breeds that the head does not have. The other rows do not change."""
        count = len(self.names[head])
        other = truth["other_" + head]
        known = (truth[head] >= 0) | other
        target = torch.where(other, count, truth[head])[known]
        base = self.logits(head, scaled[known], objects[known])
        self.layers["other_" + head] = linear.fit_row(scaled[known], base, target)

    def logits(self, head, scaled, objects):
        """N×classes of one head, without its row for other breeds."""
        weight, bias = self.layers[head]
        found = scaled @ weight.T + bias
        base = self.base(head, scaled, objects)
        if base is None:
            return found
        found = found + base
        if head != "zoo":
            return found
        # Each species without photos gets a part of `none`'s probability, by the share of its ImageNet classes.
        none, log = found[:, -1:], F.log_softmax(objects, 1)
        answer = torch.full_like(found, -40.0)
        answer[:, self.fitted] = found[:, self.fitted]
        taken = []
        for number, entry in enumerate(self.table):
            rows = [self.names["objects"].index(name) for name in entry["imagenet"]]
            if not self.fitted[number] and rows:
                answer[:, number] = none[:, 0] + torch.logsumexp(log[:, rows], 1)
                taken += rows
        rest = [row for row in range(log.shape[1]) if row not in set(taken)]
        answer[:, -1] = none[:, 0] + torch.logsumexp(log[:, rest], 1)
        return answer

    def answer(self, features):
        """{head: N×C numpy}: kinds, presence, cats and dogs with their row for other breeds, zoo, fruit, objects."""
        scaled, objects = self.scaled(features), self.objects(features)
        found = {head: self.logits(head, scaled, objects) for head in PENALTIES}
        for head in ("cats", "dogs"):
            weight, bias = self.layers["other_" + head]
            found[head] = torch.cat([found[head], (scaled @ weight + bias).unsqueeze(1)], 1)
        found |= {"presence": presence(found["kinds"]), "objects": objects}
        return {head: value.numpy() for head, value in found.items()}
