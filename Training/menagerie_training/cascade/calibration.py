"""Measures the calibration of the cascade's probabilities, head by head, on photos that did not set the temperature.

The calibration error of few photos is above 0 by chance even if every probability is right. The table also has the mean
error of right probabilities, and the error without the part that chance adds (the debiased error of arXiv 1909.10155).
"""

import json
from pathlib import Path

import numpy as np

from .. import calibrate, measures
from ..candidates import heads as candidates
from . import fit, fuse

HEADS = ("presence", "cats", "dogs", "zoo", "objects", "fruit")
FOLDS, BINS, DRAWS = 10, 15, 200
#: The features of the training part's photos of objects. Neither stage learnt their labels.
FURTHER = "pair_objects"


def by_chance(confidence, bins=BINS, draws=DRAWS, seed=1):
    """The mean calibration error if each answer is right with the probability that it states, by simulation."""
    random = np.random.default_rng(seed)
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    weight = np.bincount(place, minlength=bins)
    told = np.bincount(place, confidence, minlength=bins)
    errors = []
    for _ in range(draws):
        right = np.bincount(place, random.random(len(confidence)) < confidence, minlength=bins)
        errors.append(np.abs(told - right).sum() / weight.sum())
    return float(np.mean(errors))


def without_chance(confidence, right, bins=BINS):
    """The root mean squared calibration error over bins of equally many photos, without the part that chance adds."""
    total = 0.0
    for part in np.array_split(np.argsort(confidence, kind="stable"), bins):
        if len(part) > 1:
            share = right[part].mean()
            gap = (confidence[part].mean() - share) ** 2 - share * (1 - share) / (len(part) - 1)
            total += gap * len(part) / len(confidence)
    return float(np.sqrt(max(total, 0.0)))


def crossed(logits, truth, fold):
    """Probabilities of N photos. The temperature for a fold is found on all other folds."""
    found = np.zeros_like(logits, np.float32)
    for number in np.unique(fold):
        inside = fold == number
        warm = calibrate.temperature(logits[~inside], truth[~inside])
        found[inside] = measures.softmax(logits[inside], warm)
    return found


def row(logits, truth, fold, classes):
    """{measure: value} of one head. classes: the number of classes that can be an answer."""
    shares = crossed(logits, truth, fold)[:, :classes]
    confidence, right = shares.max(1), shares.argmax(1) == truth
    return {
        "photos": len(truth), "right": float(right.mean()), "error": measures.calibration_error(shares, truth)[0],
        "chance": by_chance(confidence), "rest": without_chance(confidence, right),
        "temperature": round(calibrate.temperature(logits, truth), 4),
    }


def unseen(gallery, seen, stages):
    """(logits of both stages, positions) of the validation and test parts, and of unlearnt objects."""
    looks = [("val", "test"), ("train",)]
    parts = []
    for look, names in zip((seen.look("size0"), seen.load(FURTHER, "size0")), looks):
        chosen = np.flatnonzero(np.isin(gallery.part, names) & look[1])
        if len(chosen):
            seen.loaded["size0"] = look
            parts.append((*fit.answers(seen, stages, "size0", chosen), chosen))
    seen.loaded.pop("size0", None)
    joined = [{head: np.concatenate([part[n][head] for part in parts]) for head in fuse.OUTPUTS} for n in (0, 1)]
    return *joined, np.concatenate([part[2] for part in parts])


def of_all(gallery, rules, first, second, positions, truth):
    """{head: `row`} of the cascade."""
    logits = rules.together(first, second)
    # Near-duplicates are in one fold.
    group = np.unique(gallery.near, return_inverse=True)[1]
    fold = np.random.default_rng(0).integers(FOLDS, size=group.max() + 1)[group][positions]
    trained = gallery.part[positions] == "train"
    found = {}
    for head in HEADS:
        known = (truth[head][positions] >= 0) & (~trained | (head == "objects"))
        found[head] = row(logits[head][known], truth[head][positions][known], fold[known], len(gallery.heads[head]))
    return found


def mended(told, gallery, first, second, positions, truth, parts):
    """The numbers of `told` (rules.json or shipped.json) with a new temperature and threshold of objects.

    They are found on the photos of `parts`. With the training part these are ten times as many as in `fit`.
    """
    rules = fit.loaded(told, gallery.heads)
    chosen = (truth["objects"][positions] >= 0) & np.isin(gallery.part[positions], parts)
    logits, labels = rules.together(first, second), truth["objects"][positions][chosen]
    warm = round(calibrate.temperature(logits["objects"][chosen], labels), 4)
    rules.warm = rules.warm | {"objects": warm}
    shares = rules.shares({head: values[chosen] for head, values in rules.together(first, second).items()})
    answers = shares["presence"].argmax(1) == 2
    score, right = shares["objects"].max(1)[answers], (shares["objects"].argmax(1) == labels)[answers]
    limit = round(calibrate.threshold(score, right, fit.PRECISION["objects"]), 4)
    return told | {
        "temperature": told["temperature"] | {"objects": warm}, "abstain_below": told["abstain_below"] | {"objects": limit},
    }


def into_manifest(manifest, told):
    """The manifest with the numbers of shipped.json. The networks' files stay as they are."""
    numbers = {}
    for head, entry in manifest["calibration"].items():
        numbers[head] = entry | {"temperature": told["temperature"][head]}
        if head in told["abstain_below"]:
            numbers[head]["abstain_below"] = told["abstain_below"][head]
    return manifest | {"calibration": numbers}


def markdown(rows):
    """The table of the report."""
    yield "| head | photos | right, % | calibration error, % | of right probabilities, % | without chance, % |"
    yield "|---|---|---|---|---|---|"
    for head, found in rows.items():
        yield f"| {head} | {found['photos']} | " + " | ".join(
            f"{100 * found[key]:.1f}" for key in ("right", "error", "chance", "rest")) + " |"


def run(gallery, options):
    """Writes calibration.json to `options.out`, corrects rules.json, shipped.json and the manifest, prints the
    table."""
    import torch

    out, seen = Path(options.out), fit.Seen(gallery, options)
    truth = candidates.truths(gallery, options.cleaning)
    stages = torch.load(out / "stages.pt", weights_only=False)
    photos = unseen(gallery, seen, stages)
    for name, parts in (("rules.json", ("train", "val")), ("shipped.json", ("train", "val", "test"))):
        told = mended(json.loads((out / name).read_text()), gallery, *photos, truth, parts)
        (out / name).write_text(json.dumps(told, indent=1))
        print(name, {key: told[key]["objects"] for key in ("temperature", "abstain_below")})
    file = Path(options.models) / "manifest.json"
    text = json.dumps(into_manifest(json.loads(file.read_text()), told), indent=1, ensure_ascii=False)
    file.write_text(text + "\n")
    rules = fit.loaded(json.loads((out / "rules.json").read_text()), gallery.heads)
    found = of_all(gallery, rules, *photos, truth)
    (out / "calibration.json").write_text(json.dumps(found, indent=1) + "\n")
    print("\n".join(markdown(found)))
