"""Cleans labels by confident learning on out-of-fold probabilities (arXiv 1911.00068) and by near-duplicates."""

import csv

import numpy as np
import torch

from . import features, linear

#: By head: a label is dropped if its out-of-fold probability is below `own` and another class has more than `other`.
LIMITS = {"presence": {"own": 0.02, "other": 0.95}, "cats": {"own": 0.01, "other": 0.9}, "dogs": {"own": 0.01, "other": 0.8}}
#: Two photos count as the same picture if the cosine between their features is above this.
SAME = 0.965


def groups_of(rows):
    """Near-duplicate group number of each row."""
    _, numbers = np.unique([row["dup"] or row["path"] for row in rows], return_inverse=True)
    return torch.as_tensor(numbers)


def suspects(pack, options, head):
    """(position, new class name or "", reason) of the labels of `head` that the evidence contradicts."""
    matrix = features.original_all(pack, options)
    truth = torch.as_tensor(pack.labels[head])
    known = torch.nonzero(truth >= 0).flatten()
    names = pack.heads[head]
    groups = groups_of(pack.rows)
    probabilities = linear.out_of_fold(matrix[known], truth[known], groups[known], len(names), seed=options.seed)
    own = probabilities.gather(1, truth[known].unsqueeze(1)).squeeze(1)
    top, best = probabilities.max(1)
    accuracy = float((best == truth[known]).float().mean())
    print(f"{head}: {len(known)} labels, out-of-fold accuracy {accuracy:.4f}", flush=True)
    limit = LIMITS[head]
    found = {}
    for i in torch.nonzero((own < limit["own"]) & (top > limit["other"])).flatten().tolist():
        position = int(known[i])
        new = names[int(best[i])] if head == "presence" and top[i] > 0.995 else ""
        found[position] = (new, f"out of fold {names[int(best[i])]} {top[i]:.2f}, own label {own[i]:.3f}")
    for position, other in conflicts(matrix[known], truth[known]):
        # If one picture has two labels, the less likely label is dropped.
        loser = position if own[position] < own[other] else other
        found.setdefault(int(known[loser]), ("", f"same picture as {pack.rows[int(known[position + other - loser])]['path']}"))
    return found


def conflicts(matrix, truth):
    """Pairs of photos that look the same and carry different labels."""
    unit = torch.nn.functional.normalize(matrix - matrix.mean(0), dim=1)
    pairs = []
    for start in range(0, len(unit), 1024):
        close = unit[start : start + 1024] @ unit.T > SAME
        close &= truth[start : start + 1024].unsqueeze(1) != truth.unsqueeze(0)
        pairs += [(start + a, b) for a, b in torch.nonzero(close).tolist() if start + a < b]
    return pairs


def gain(pack, options, head, found):
    """(accuracy without the verdicts on `head`, with them, photos) of a softmax layer on the original's features.

    It is measured on the validation and test photos whose labels the verdicts do not change, so that both are measured
    on the same labels.
    """
    matrix = features.original_all(pack, options)
    inside = pack.part == "train"
    cleaned = pack.labels[head].copy()
    for position, (new, _) in found.items():
        cleaned[position] = pack.heads[head].index(new) if new else -1
    mean, deviation = linear.standardise(matrix[inside])
    scaled = (matrix - mean) / deviation
    judged = torch.as_tensor(~inside & (pack.labels[head] >= 0) & (cleaned == pack.labels[head]))
    scores = []
    for numbers in (pack.labels[head], cleaned):
        chosen = torch.as_tensor(inside & (numbers >= 0))
        truth = torch.as_tensor(numbers)
        weight, bias = linear.fit(scaled[chosen], truth[chosen], len(pack.heads[head]))
        scores.append(float(((scaled[judged] @ weight.T + bias).argmax(1) == truth[judged]).float().mean()))
    return scores[0], scores[1], int(judged.sum())


def run(pack, options):
    """Writes the verdicts to `options.cleaning`: path, part, head, old, new (empty: dropped), reason."""
    verdicts = []
    for head in LIMITS:
        found = suspects(pack, options, head)
        before, after, photos = gain(pack, options, head, found)
        print(f"{head}: {before:.4f} with the labels as they were, {after:.4f} cleaned, on {photos} photos", flush=True)
        for position, (new, reason) in sorted(found.items()):
            old = pack.heads[head][pack.labels[head][position]]
            row = pack.rows[position]
            verdicts.append([row["path"], pack.part[position], head, old, new, reason])
    with open(options.cleaning, "w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["path", "part", "head", "old", "new", "reason"])
        writer.writerows(verdicts)
    for head in LIMITS:
        mine = [v for v in verdicts if v[2] == head]
        sources = {}
        for verdict in mine:
            source = next(r["source"] for r in pack.rows if r["path"] == verdict[0])
            sources[source] = sources.get(source, 0) + 1
        print(head, len(mine), sorted(sources.items(), key=lambda s: -s[1])[:6])
