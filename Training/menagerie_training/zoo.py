"""The zoo head's answer: species trained on photos, and species mapped to the original network's 1,000 classes.

P is the softmax of the trained linear head, and Q that of `objects`. A trained species has the probability P(s), a
mapped species P(none)·Q(its classes), and none P(none)·Q(all other classes). A species with neither is never the
answer. The outputs are logits: a softmax over the head's 60 outputs gives these probabilities.
"""

import numpy as np

from . import labels

#: A species with at least this many training photos is trained. Otherwise its ImageNet class is used, if there is one.
ENOUGH = 12
#: The number of unseen photos that a species that was trained here needs to be recognised.
PROOF = 5
#: The logit of a species without photos and ImageNet classes.
NEVER = -40.0


class Composition:
    """Index tables for one data set.

    trained: positions (of the 60) whose linear logits are used; mapped: {position: rows of objects}; never: all others.
    """

    def __init__(self, object_names, photos_per_species):
        table = labels.zoo_table()
        self.none = len(table)
        self.trained, self.mapped, self.never = [], {}, []
        for position, species in enumerate(table):
            # Two ImageNet classes may share a name. The first one is the animal, the second a machine or a garment.
            rows = [object_names.index(name) for name in species["imagenet"]]
            if photos_per_species[position] >= ENOUGH:
                self.trained.append(position)
            elif rows:
                self.mapped[position] = rows
            else:
                self.never.append(position)
        taken = {row for rows in self.mapped.values() for row in rows}
        self.rest = [row for row in range(len(object_names)) if row not in taken]

    def logits(self, linear, objects):
        """linear N×60, objects N×1000 (numpy) → N×60."""
        log_softmax = objects - log_sum(objects)
        answer = np.full(linear.shape, NEVER, np.float32)
        answer[:, self.trained] = linear[:, self.trained]
        none = linear[:, self.none]
        for position, rows in self.mapped.items():
            answer[:, position] = none + log_sum(log_softmax[:, rows])[:, 0]
        answer[:, self.none] = none + log_sum(log_softmax[:, self.rest])[:, 0]
        return answer


def log_sum(values):
    """log Σ exp over the last axis of N×C, kept as N×1."""
    peak = values.max(1, keepdims=True)
    return peak + np.log(np.exp(values - peak).sum(1, keepdims=True))


def composition(pack):
    """The composition for a pack, from the number of training photos of each species."""
    truth = pack.labels["zoo"][pack.where("train")]
    counts = np.bincount(truth[truth >= 0], minlength=len(pack.heads["zoo"]))
    return Composition(pack.heads["objects"], counts)


def statuses(pack, positions, logits):
    """{species: {"status", "accuracy", "photos", "by", "note"}} measured on `positions`.

    recognised: its photos or its ImageNet class show exactly this species, and at least 90 % of its photos were right.
    A species that was trained here needs `PROOF` photos for that. approximate: trained or mapped, but not recognised.
    not_yet: neither.
    """
    composed = composition(pack)
    truth, answer = pack.labels["zoo"][positions], logits.argmax(1)
    result = {}
    for position, species in enumerate(labels.zoo_table()):
        mine = truth == position
        photos = int(mine.sum())
        accuracy = float((answer[mine] == position).mean()) if photos else None
        by = "photos" if position in composed.trained else "imagenet" if position in composed.mapped else None
        status = "approximate" if by else "not_yet"
        if by and species["exact"] and photos >= (PROOF if by == "photos" else 0) and (accuracy is None or accuracy >= 0.9):
            status = "recognised"
        result[species["id"]] = {"status": status, "by": by, "photos": photos, "accuracy": accuracy}
        if "note" in species:
            result[species["id"]]["note"] = species["note"]
    return result
