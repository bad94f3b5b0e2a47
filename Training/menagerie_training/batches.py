"""Which labels count, and how often each photo is drawn."""

import csv
from pathlib import Path

import numpy as np

#: Shares of the batch by kind of photo.
SHARES = {"cats": 0.36, "dogs": 0.38, "fruit": 0.05, "rest": 0.21}
#: Photos of a class are drawn in proportion to (its number of photos)^(1 − 0.6).
BALANCE = 0.6


def verdicts(pack, file):
    """(head, position, new label or "") of every row of cleaning.csv. The list is empty without the file."""
    if not file or not Path(file).exists():
        return []
    where = {row["path"]: position for position, row in enumerate(pack.rows)}
    with open(file, newline="") as stream:
        return [(row["head"], where[row["path"]], row["new"]) for row in csv.DictReader(stream)]


def apply_cleaning(pack, file):
    """Applies the verdicts of cleaning.csv to the pack's labels. A dropped label becomes −1."""
    found = verdicts(pack, file)
    for head, position, new in found:
        pack.labels[head][position] = pack.heads[head].index(new) if new else -1
    return len(found)


def doubted(pack, file):
    """{head: N bool}: the photos whose own label cleaning.csv drops or changes."""
    answer = {head: np.zeros(len(pack.rows), bool) for head in pack.heads}
    for head, position, _ in verdicts(pack, file):
        answer[head][position] = True
    return answer


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
