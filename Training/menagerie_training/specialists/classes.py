"""What a specialist tells apart: the breeds of its head, and beside them every other breed of which there are photos."""

import collections

import numpy as np
import torch

from .. import labels

#: Photos to train on from which a further breed is a class of its own; fewer are `another_breed` together.
ENOUGH = 20


def others(gallery, truth, head):
    """The names of the further breeds that are classes of their own, sorted."""
    found = collections.Counter(
        gallery.rows[p]["class"] for p in np.flatnonzero(truth["other_" + head] & (gallery.part == "train")))
    return sorted(name for name, count in found.items() if count >= ENOUGH and name not in gallery.heads[head])


def targets(gallery, truth, head, names):
    """The class of every photo, N int64, −1 none. names: what `others` gave.

    A photo whose own breed's label was struck out may show that breed after all: it teaches nothing.
    """
    breeds = gallery.heads[head]
    place = {name: len(breeds) + 1 + number for number, name in enumerate(names)}
    found = truth[head].copy()
    for position in np.flatnonzero(truth["other_" + head]):
        name = gallery.rows[position]["class"]
        found[position] = -1 if labels.ALIASES.get((head[:-1], name), name) in breeds else place.get(name, len(breeds))
    return found


def folded(logits, breeds):
    """N×classes logits → N×(breeds + 1): the further breeds' probabilities are summed to `another_breed`'s."""
    return torch.cat([logits[:, :breeds], logits[:, breeds:].logsumexp(1, keepdim=True)], 1)
