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


def threshold(score, right, precision=PRECISION):
    """The lowest score from which on the answers reach `precision`; 1 where none do.

    score: N in 0…1; right: N bool, whether the answer given at that score is right.
    """
    order = np.argsort(-score)
    reached = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(reached >= precision)
    return float(score[order][good[-1]]) if len(good) else 1.0


def calibrate(pack, positions, logits):
    """Temperatures and thresholds of every head from one part of the split."""
    temperatures, thresholds = {}, {}
    for head in pack.heads:
        truth = pack.labels[head][positions]
        known = truth >= 0
        temperatures[head] = round(temperature(logits[head][known], truth[known]), 4)
    probabilities = {head: measures.softmax(logits[head], temperatures[head]) for head in pack.heads}
    for head in ("presence", "fruit", "objects", "zoo"):
        truth = pack.labels[head][positions]
        known = truth >= 0
        best = probabilities[head].argmax(1)
        # `none` is no answer: only photos for which a species or fruit would be named count.
        named = known & (best < len(pack.heads[head]) - 1) if head in ("zoo", "fruit") else known
        thresholds[head] = round(threshold(probabilities[head].max(1)[named], (best == truth)[named]), 4)
    score, known, counted = evaluate.known_breed_scores(pack, positions, logits, temperatures)
    right = np.zeros(len(positions), bool)
    for head in ("cats", "dogs"):
        truth = pack.labels[head][positions]
        right |= (truth >= 0) & (probabilities[head].argmax(1) == truth)
    thresholds["breed"] = round(threshold(score[counted], right[counted]), 4)
    return temperatures, thresholds


def run(pack, options):
    """Writes calibration.json (`options.out`)."""
    positions, logits = answers.of_part(options.model, pack, options, "val", options.size)
    temperatures, thresholds = calibrate(pack, positions, logits)
    others, tested = answers.of_part(options.model, pack, options, "test", options.size)
    both = np.concatenate([positions, others])
    status = zoo.statuses(pack, both, np.concatenate([logits["zoo"], tested["zoo"]]))
    counts = np.bincount(pack.labels["cats"][pack.labels["cats"] >= 0], minlength=len(pack.heads["cats"]))
    result = {
        "precision": PRECISION,
        "temperatures": temperatures,
        "thresholds": thresholds,
        "few_shot": [name for name, count in zip(pack.heads["cats"], counts) if count < FEW],
        "zoo": status,
    }
    Path(options.out).write_text(json.dumps(result, indent=1) + "\n")
    kinds = [entry["status"] for entry in status.values()]
    print(temperatures, thresholds, {kind: kinds.count(kind) for kind in set(kinds)})
