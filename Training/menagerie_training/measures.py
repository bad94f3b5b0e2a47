"""The measures of design/recognition.md on arrays of logits and labels. Values are in 0…1 unless stated otherwise."""

import numpy as np


def softmax(logits, temperature=1.0):
    """N×C logits → probabilities at the given temperature."""
    scaled = logits / temperature
    scaled = scaled - scaled.max(1, keepdims=True)
    exponent = np.exp(scaled)
    return exponent / exponent.sum(1, keepdims=True)


def top(logits, truth, count=1):
    """The share of photos whose label is among the `count` likeliest classes."""
    best = np.argpartition(-logits, min(count, logits.shape[1]) - 1, 1)[:, :count]
    return float((best == truth[:, None]).any(1).mean())


def area_under_curve(scores, positive):
    """ROC-AUC by ranks (ties share their rank). It is nan unless there are positive and negative photos."""
    positive = np.asarray(positive, bool)
    if positive.all() or not positive.any():
        return float("nan")
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    number = positive.sum()
    return float((ranks[positive].sum() - number * (number + 1) / 2) / number / (~positive).sum())


def confusion(prediction, truth, classes):
    """classes×classes counts of photos. Rows are labels, columns are answers."""
    return np.bincount(truth * classes + prediction, minlength=classes * classes).reshape(classes, classes)


def calibration_error(probabilities, truth, bins=15):
    """Expected calibration error of the top answer, and its bins as (confidence, accuracy, photos)."""
    confidence = probabilities.max(1)
    right = probabilities.argmax(1) == truth
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    table, error = [], 0.0
    for number in range(bins):
        inside = place == number
        if inside.any():
            table.append((float(confidence[inside].mean()), float(right[inside].mean()), int(inside.sum())))
            error += inside.mean() * abs(table[-1][0] - table[-1][1])
    return float(error), table


def classification(logits, truth, temperature=1.0, classes=None):
    """Every measure of one head: top-1, top-3, macro F1, precision, recall, one-against-rest AUC, calibration error.

    classes: the number of classes that can be an answer. They are the first ones. Others only count in the softmax.
    """
    classes = classes or logits.shape[1]
    probabilities, logits = softmax(logits, temperature)[:, :classes], logits[:, :classes]
    table = confusion(probabilities.argmax(1), truth, classes)
    present = table.sum(1) > 0
    hits = np.diag(table).astype(float)
    precision = hits / np.maximum(table.sum(0), 1)
    recall = hits / np.maximum(table.sum(1), 1)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
    curves = [area_under_curve(probabilities[:, c], truth == c) for c in np.flatnonzero(present)]
    return {
        "photos": int(len(truth)),
        "top1": top(logits, truth),
        "top3": top(logits, truth, 3),
        "macro_f1": float(f1[present].mean()),
        "precision": float(precision[present].mean()),
        "recall": float(recall[present].mean()),
        "auc": float(np.nanmean(curves)),
        "ece": calibration_error(probabilities, truth)[0],
    }


def confused_pairs(logits, truth, names, count=12):
    """The most frequent mistakes as (label, answer, photos)."""
    table = confusion(logits[:, : len(names)].argmax(1), truth, len(names))
    np.fill_diagonal(table, 0)
    order = np.argsort(-table, axis=None)[:count]
    pairs = [(names[i // len(names)], names[i % len(names)], int(table.flat[i])) for i in order]
    return [pair for pair in pairs if pair[2] > 0]


def interval(share, count):
    """Half-width of the 95 % interval of a share measured on `count` photos."""
    return 1.96 * float(np.sqrt(max(share * (1 - share), 0) / max(count, 1)))
