"""Average precision of detectors over photos with boxes."""

import numpy as np

from . import boxes


def average_precision(found, photos, label, threshold=0.5):
    """(average precision over all points, boxes) of one class at the threshold of intersection over union.

    found: for each photo boxes, classes and probabilities.
    """
    rows, count = [], 0
    for photo, (edges, labels, shares) in zip(photos, found):
        if label not in photo.complete:
            continue
        truth = photo.boxes[photo.labels == label]
        count += len(truth)
        mine = labels == label
        if not mine.any():
            continue
        share = boxes.overlaps(edges[mine], truth)
        taken = np.zeros(len(truth), bool)
        for index in np.argsort(-shares[mine], kind="stable"):
            hit = False
            if len(truth):
                # A true box counts as found only once.
                free = np.where(taken, -1.0, share[index])
                best = int(free.argmax())
                hit = free[best] >= threshold
                if hit:
                    taken[best] = True
            rows.append((float(shares[mine][index]), hit))
    if not count:
        return float("nan"), 0
    rows.sort(key=lambda row: -row[0])
    hits = np.cumsum([row[1] for row in rows])
    precision = hits / np.arange(1, len(rows) + 1)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    recall = np.concatenate([[0], hits / count])
    return float((np.diff(recall) * precision).sum()), count
