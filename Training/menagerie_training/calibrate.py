"""Temperatures, thresholds and the status of the zoo's species, from the validation photos (zoo: also the test ones)."""

import json
from pathlib import Path

import numpy as np

from . import answers, evaluate, measures, zoo

PRECISION = 0.9
#: Breeds with fewer photos than this in all are few-shot: the manifest says so.
FEW = 10


def temperature(logits, truth):
    """The temperature of least negative log-likelihood, by golden section on its logarithm in 0.2…5."""
    low, high = np.log(0.2), np.log(5.0)
    golden = (np.sqrt(5) - 1) / 2

    def cost(value):
        scaled = answers.log_probabilities(logits / np.exp(value))
        return -float(scaled[np.arange(len(truth)), truth].mean())

    for _ in range(40):
        first, second = high - golden * (high - low), low + golden * (high - low)
        if cost(first) < cost(second):
            high = second
        else:
            low = first
    return float(np.exp((low + high) / 2))


def anchored_temperature(logits, accuracy):
    """The temperature at which the mean confidence equals `accuracy`.

    For a model that was trained on the validation photos: there likelihood would reward overconfidence, so the
    accuracy measured on photos that it never saw decides.
    """
    low, high = np.log(0.1), np.log(10.0)
    for _ in range(40):
        middle = (low + high) / 2
        if float(measures.softmax(logits, np.exp(middle)).max(1).mean()) > accuracy:
            low = middle
        else:
            high = middle
    return float(np.exp((low + high) / 2))


def threshold(score, right, precision=PRECISION):
    """The lowest score from which on the answers reach `precision`; 1 where none do.

    score: N in 0…1; right: N bool, whether the answer given at that score is right.
    """
    order = np.argsort(-score)
    reached = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(reached >= precision)
    return float(score[order][good[-1]]) if len(good) else 1.0


def calibrate(pack, positions, logits, anchors=None):
    """Temperatures and thresholds of every head from one part of the split.

    anchors: {head: accuracy on unseen photos} for heads that were trained on these; their answers then count as right
    by their calibrated confidence instead of by the label.
    """
    anchors = anchors or {}
    temperatures, thresholds = {}, {}
    for head in pack.heads:
        truth = pack.labels[head][positions]
        known = truth >= 0
        if head in anchors:
            temperatures[head] = round(anchored_temperature(logits[head][known], anchors[head]), 4)
        else:
            temperatures[head] = round(temperature(logits[head][known], truth[known]), 4)
    probabilities = {head: measures.softmax(logits[head], temperatures[head]) for head in pack.heads}
    for head in ("presence", "fruit", "objects", "zoo"):
        truth = pack.labels[head][positions]
        known = truth >= 0
        best = probabilities[head].argmax(1)
        # `none` is no answer: only photos for which a species or fruit would be named count.
        named = known & (best < len(pack.heads[head]) - 1) if head in ("zoo", "fruit") else known
        confidence = probabilities[head].max(1)
        right = confidence if head in anchors else best == truth
        thresholds[head] = round(threshold(confidence[named], right[named]), 4)
    score, known, counted = evaluate.known_breed_scores(pack, positions, logits, temperatures)
    right = np.zeros(len(positions))
    for head in ("cats", "dogs"):
        truth = pack.labels[head][positions]
        hit = probabilities[head].max(1) if head in anchors else probabilities[head].argmax(1) == truth
        right[truth >= 0] = hit[truth >= 0]
    thresholds["breed"] = round(threshold(score[counted], right[counted]), 4)
    return temperatures, thresholds


def run(pack, options):
    """Writes calibration.json (`options.out`)."""
    positions, logits = answers.stored_or_of_part(options, pack, "val")
    anchors = {head: float(value) for head, value in (entry.split("=") for entry in options.anchors)}
    temperatures, thresholds = calibrate(pack, positions, logits, anchors)
    others, tested = answers.stored_or_of_part(options, pack, "test")
    both = np.concatenate([positions, others])
    status = zoo.statuses(pack, both, np.concatenate([logits["zoo"], tested["zoo"]]))
    counts = np.bincount(pack.labels["cats"][pack.labels["cats"] >= 0], minlength=len(pack.heads["cats"]))
    result = {
        "precision": PRECISION,
        "anchors": anchors,
        "temperatures": temperatures,
        "thresholds": thresholds,
        "few_shot": [name for name, count in zip(pack.heads["cats"], counts) if count < FEW],
        "zoo": status,
    }
    Path(options.out).write_text(json.dumps(result, indent=1) + "\n")
    kinds = [entry["status"] for entry in status.values()]
    print(temperatures, thresholds, {kind: kinds.count(kind) for kind in set(kinds)})
