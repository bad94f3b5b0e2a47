"""Finds temperatures and thresholds on the validation photos, and the status of the zoo's species on unseen photos."""

import json
from pathlib import Path

import numpy as np

from . import answers, evaluate, measures, zoo

#: The threshold of each head is chosen so that its answers have this precision on validation photos.
PRECISION = {"cats": 0.8, "dogs": 0.85, "zoo": 0.9, "fruit": 0.9, "objects": 0.75}
#: The heads of zoo and fruit answer, instead of the objects head, from the score at which they reach this precision.
ANSWERS = {"zoo": 0.7, "fruit": 0.98}
#: Breeds with fewer photos than this are few-shot. The manifest lists them.
FEW = 10


def temperature(logits, truth):
    """The temperature with the least negative log-likelihood, found by golden-section search on its logarithm."""
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


def threshold(score, right, precision):
    """The lowest score from which the answers reach `precision`, or 1 if they never do.

    score: N in 0…1; right: N bool, whether the answer given at that score is right.
    """
    order = np.argsort(-score)
    reached = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(reached >= precision)
    return float(score[order][good[-1]]) if len(good) else 1.0


def judged(pack, positions, logits, temperatures):
    """{head: (score, right)} of the photos for which each head would answer, N float and N bool.

    The cats head answers if presence says cat, the dogs head if it says dog. Zoo, fruit and objects answer if it says
    other. For cats and dogs, an answer about a photo without a label for the head (another breed, a drawing) counts as
    wrong, and pets without a stated breed do not count. For the other heads only photos with a label count.
    """
    probabilities = {
        head: measures.softmax(logits[head], temperatures[head])[:, : len(names)] for head, names in pack.heads.items()
    }
    presence = probabilities["presence"]
    breed = evaluate.stated_breed(pack, positions)
    result = {}
    for head in PRECISION:
        truth = pack.labels[head][positions]
        score, best = probabilities[head].max(1), probabilities[head].argmax(1)
        asked = truth >= 0
        if head in ("cats", "dogs"):
            place = ("cats", "dogs").index(head)
            asked = breed & (presence.argmax(1) == place)
            score = score * presence[:, place]
        elif head == "objects":
            asked &= presence.argmax(1) == 2
        else:
            # The last label is `none`, which is not an answer.
            named = probabilities[head][:, :-1]
            score, best = named.max(1), named.argmax(1)
            asked &= presence.argmax(1) == 2
        result[head] = score[asked], (best == truth)[asked]
    return result


def calibrate(pack, positions, logits):
    """{head: {"temperature", "abstain_below", …}} as in the manifest, from one part of the split."""
    result = {}
    for head in pack.heads:
        truth = pack.labels[head][positions]
        known = truth >= 0
        result[head] = {"temperature": round(temperature(logits[head][known], truth[known]), 4)}
    temperatures = {head: entry["temperature"] for head, entry in result.items()}
    for head, (score, right) in judged(pack, positions, logits, temperatures).items():
        result[head]["abstain_below"] = round(threshold(score, right, PRECISION[head]), 4)
        if head in ANSWERS:
            result[head]["answer_from"] = round(threshold(score, right, ANSWERS[head]), 4)
    return result


def answered(pack, positions, logits, heads):
    """{head: (right answers, answers, photos)} on one part of the split, with the thresholds of `heads`."""
    temperatures = {head: entry["temperature"] for head, entry in heads.items()}
    result = {}
    for head, (score, right) in judged(pack, positions, logits, temperatures).items():
        sure = score >= heads[head]["abstain_below"]
        result[head] = int(right[sure].sum()), int(sure.sum()), len(score)
    return result


def few_shot(pack):
    """{breed: photos} of the cats head's breeds with only a few photos."""
    counts = np.bincount(pack.labels["cats"][pack.labels["cats"] >= 0], minlength=len(pack.heads["cats"]))
    return {name: int(count) for name, count in zip(pack.heads["cats"], counts) if count < FEW}


def run(pack, options):
    """Writes calibration.json (`options.out`): heads, few-shot breeds, status of the zoo's species."""
    positions, logits = answers.stored_or_of_part(options, pack, "val")
    heads = calibrate(pack, positions, logits)
    others, tested = answers.stored_or_of_part(options, pack, "test")
    both = np.concatenate([positions, others])
    status = zoo.statuses(pack, both, np.concatenate([logits["zoo"], tested["zoo"]]))
    measured = {"val": answered(pack, positions, logits, heads), "test": answered(pack, others, tested, heads)}
    result = {
        "heads": heads, "precision": PRECISION, "answered": measured, "few_shot": few_shot(pack), "zoo": status,
    }
    Path(options.out).write_text(json.dumps(result, indent=1) + "\n")
    kinds = [entry["status"] for entry in status.values()]
    print(json.dumps(heads), {kind: kinds.count(kind) for kind in set(kinds)})
    for part, counts in measured.items():
        print(part, ", ".join(f"{head}: {a} of {b} answers right, {c} photos" for head, (a, b, c) in counts.items()))
