"""The classes of a specialist: the breeds of its head, and every other breed with enough photos."""

import collections

import numpy as np
import torch

from .. import labels

#: A further breed with at least this many training photos is a separate class. All others together are `another_breed`.
ENOUGH = 20


def others(gallery, truth, head):
    """The sorted names of the further breeds that are separate classes."""
    found = collections.Counter(
        gallery.rows[p]["class"] for p in np.flatnonzero(truth["other_" + head] & (gallery.part == "train")))
    return sorted(name for name, count in found.items() if count >= ENOUGH and name not in gallery.heads[head])


def targets(gallery, truth, head, names):
    """The class of every photo, N int64, −1 for none. names: the result of `others`.

    A photo whose breed label was dropped has no class, since it may show that breed nevertheless.
    """
    breeds = gallery.heads[head]
    place = {name: len(breeds) + 1 + number for number, name in enumerate(names)}
    found = truth[head].copy()
    for position in np.flatnonzero(truth["other_" + head]):
        name = gallery.rows[position]["class"]
        found[position] = -1 if labels.ALIASES.get((head[:-1], name), name) in breeds else place.get(name, len(breeds))
    return found


def folded(logits, breeds):
    """N×classes logits → N×(breeds + 1). The further breeds' probabilities are summed as `another_breed`."""
    return torch.cat([logits[:, :breeds], logits[:, breeds:].logsumexp(1, keepdim=True)], 1)
