"""Which photos make a batch, and their crops, as a function of seed and step alone (so that training resumes)."""

import csv
from pathlib import Path

import numpy as np
import torch

from . import augment

#: Shares of the batch by kind of photo.
SHARES = {"cats": 0.36, "dogs": 0.38, "fruit": 0.05, "rest": 0.21}
#: Photos of a class are drawn in proportion to (its number of photos)^(1 − 0.6).
BALANCE = 0.6


def apply_cleaning(pack, file):
    """Takes the verdicts of cleaning.csv into the pack's labels: a dropped label becomes −1, a changed one the new."""
    if not file or not Path(file).exists():
        return 0
    where = {row["path"]: position for position, row in enumerate(pack.rows)}
    with open(file, newline="") as stream:
        verdicts = list(csv.DictReader(stream))
    for verdict in verdicts:
        new = verdict["new"]
        pack.labels[verdict["head"]][where[verdict["path"]]] = pack.heads[verdict["head"]].index(new) if new else -1
    return len(verdicts)


def weights(pack, positions):
    """Probability of drawing each of `positions`, N float64 that sum to 1."""
    kinds = np.full(len(positions), "rest", dtype="U8")
    keys = np.array([pack.rows[p]["group"] + "/" + pack.rows[p]["class"] for p in positions])
    groups = np.array([pack.rows[p]["group"] for p in positions])
    kinds[groups == "fruit"] = "fruit"
    kinds[pack.labels["cats"][positions] >= 0] = "cats"
    kinds[pack.labels["dogs"][positions] >= 0] = "dogs"
    _, number, counts = np.unique(keys, return_inverse=True, return_counts=True)
    weight = counts[number].astype(np.float64) ** -BALANCE
    for kind, share in SHARES.items():
        chosen = kinds == kind
        weight[chosen] *= share / weight[chosen].sum()
    weight[pack.labels["presence"][positions] < 0] *= 0.3
    return weight / weight.sum()


class Batches(torch.utils.data.Dataset):
    """Item `step` is (crops N×S×S×3 uint8, positions N) for the CPU, or (boxes, positions) when `boxes_only`."""

    def __init__(self, pack, positions, size, batch, seed, boxes_only=False):
        self.pack, self.positions, self.size, self.batch, self.seed = pack, positions, size, batch, seed
        self.boxes_only = boxes_only
        self.weights = weights(pack, positions)

    def __len__(self):
        return 10**9

    def __getitem__(self, step):
        random = np.random.default_rng((self.seed, step))
        chosen = np.sort(random.choice(self.positions, self.batch, p=self.weights))
        boxes = augment.draw_boxes(random, self.pack.aspect[chosen])
        if self.boxes_only:
            return boxes, chosen
        return augment.crop_cpu(self.pack.photos[chosen], boxes, self.size), chosen
