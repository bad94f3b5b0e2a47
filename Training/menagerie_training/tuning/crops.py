"""Stored training crops: activations after the held stages, and features at the start, by photo and draw."""

from pathlib import Path

import numpy as np
import torch

#: The shares of the batch by kind of photo. Other things are many, so that presence learns their variety.
SHARES = {"cats": 0.33, "dogs": 0.30, "fruit": 0.03, "rest": 0.34}
#: Photos of a class are drawn in proportion to (its number of photos)^(1 − BALANCE).
BALANCE = 0.6


def chances(rows, labels, positions):
    """Probability of drawing each of `positions`, N float64 that sum to 1.

    A photo and its sharper version count as two photos. That does not double the share of its class.
    """
    keys = np.array([rows[p]["group"] + "/" + rows[p]["class"] for p in positions])
    groups = np.array([rows[p]["group"] for p in positions])
    share = np.full(len(positions), "rest", dtype="U8")
    share[groups == "fruit"] = "fruit"
    share[groups == "cat"] = "cats"
    share[groups == "dog"] = "dogs"
    _, number, counts = np.unique(keys, return_inverse=True, return_counts=True)
    weight = counts[number].astype(np.float64) ** -BALANCE
    # The shares of cats and dogs are mainly for a head's breeds. Other breeds teach only presence, so they get less.
    known = (labels["cats"][positions] >= 0) | (labels["dogs"][positions] >= 0)
    weight[np.isin(share, ["cats", "dogs"]) & ~known] *= 0.4
    for kind, part in SHARES.items():
        chosen = share == kind
        if chosen.any():
            weight[chosen] *= part / weight[chosen].sum()
    return weight / weight.sum()


class Crops:
    """The crops of all stored draws. `names`: draws, such as `draw0`, from files of `candidates features --held`."""

    def __init__(self, folder, names, rows, labels, allowed, keys=("edgetpu", "vit")):
        """allowed: N bool, the photos that training may use; keys: the features that `draw` returns."""
        self.folder, self.names, self.rows, self.labels, self.allowed = Path(folder), names, rows, labels, allowed
        self.keys = keys
        self.places = np.empty((0, 3), np.int64)
        self.sets = {}
        self.refresh()

    def refresh(self):
        """Reads new files. Returns how many crops there are."""
        for draw in self.names:
            for file in sorted(self.folder.glob(f"{draw}_[0-9][0-9][0-9].npz")):
                middle = file.with_name(file.stem + "_middle.npy")
                if file not in self.sets and middle.exists():
                    stored = np.load(file)
                    features = [stored[key] for key in self.keys]
                    self.sets[file] = stored["positions"], np.load(middle, mmap_mode="r"), *features
        places = [
            np.stack([np.full(len(found[0]), number), np.arange(len(found[0])), found[0]], 1)
            for number, found in enumerate(self.sets.values())
        ]
        places = np.concatenate(places) if places else self.places
        self.places = places[self.allowed[places[:, 2]]]
        if len(self.places):
            self.chances = np.cumsum(chances(self.rows, self.labels, self.places[:, 2]))
        self.list = list(self.sets.values())
        return len(self.places)

    def draw(self, random, batch):
        """Activations of N crops (float32), the features of `keys` N×F each, positions N."""
        chosen = self.places[np.minimum(np.searchsorted(self.chances, random.random(batch)), len(self.places) - 1)]
        parts = [[] for _ in range(1 + len(self.keys))]
        for number, index, _ in chosen:
            for part, values in zip(parts, self.list[number][1:]):
                part.append(np.asarray(values[index]))
        return *(torch.as_tensor(np.stack(part).astype(np.float32)) for part in parts), chosen[:, 2]


def of_part(folder, name, chosen):
    """(positions, activations) of the photos at `chosen` from the files of one look."""
    positions, activations = [], []
    for file in sorted(Path(folder).glob(f"{name}_[0-9][0-9][0-9].npz")):
        stored = np.load(file)["positions"]
        take = np.flatnonzero(np.isin(stored, chosen))
        if len(take):
            positions.append(stored[take])
            activations.append(np.load(file.with_name(file.stem + "_middle.npy"), mmap_mode="r")[take])
    return np.concatenate(positions), np.concatenate(activations)
