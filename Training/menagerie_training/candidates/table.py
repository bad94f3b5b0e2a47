"""Measures one set of answers on one part of the split: by head, by origin of the photo, by kind of stranger."""

import numpy as np

from .. import calibrate, labels, measures
from ..gallery import kinds

#: The thresholds of breeds are chosen for this precision, as in `calibrate`.
PRECISION = {"cats": 0.8, "dogs": 0.85}


def temperatures(answers, truth):
    """{head: temperature}, found on the photos that have a label for the head."""
    found = {}
    for head in ("presence", "cats", "dogs", "zoo", "fruit", "objects"):
        known = truth[head] >= 0
        if known.any():
            logits = answers[head][known]
            found[head] = calibrate.temperature(logits, truth[head][known])
    return found


def breed_score(answers, warm, names):
    """(N×2 score of the likeliest cat and dog breed times presence, N×3 presence), at the given temperatures."""
    presence = measures.softmax(answers["presence"], warm.get("presence", 1))
    scores = [
        measures.softmax(answers[head], warm.get(head, 1))[:, : len(names[head])].max(1) * presence[:, place]
        for place, head in enumerate(("cats", "dogs"))
    ]
    return np.stack(scores, 1), presence


def thresholds(answers, truth, silent, warm, names):
    """The scores (cat, dog) from which answers have the precision `PRECISION`, counted as in `calibrate.judged`."""
    scores, presence = breed_score(answers, warm, names)
    found = []
    for place, head in enumerate(("cats", "dogs")):
        asked = (presence.argmax(1) == place) & ~silent
        right = answers[head][:, : len(names[head])].argmax(1) == truth[head]
        found.append(calibrate.threshold(scores[asked, place], right[asked], PRECISION[head]))
    return found


def row(answers, truth, kind, origin, names, warm, limits, clean):
    """{measure: (value, photos)} of N photos.

    truth: {head: N int}; kind: N names by `kinds.stranger`; origin: N; clean: N bool, the clean source's cats.
    """
    found = {}

    def share(name, chosen, right):
        if chosen.any():
            found[name] = float(right[chosen].mean()), int(chosen.sum())

    everywhere = np.ones(len(kind), bool)
    small, real = origin == "photos", origin == "sharp"
    best = {head: answers[head][:, : len(names[head])].argmax(1) for head in names if head != "kinds"}
    for name, where in (("", everywhere), (", small", small), (", real", real)):
        share("presence" + name, where & (truth["presence"] >= 0), best["presence"] == truth["presence"])
    strangers = np.isin(kind, list(kinds.STRANGERS)) & (truth["presence"] == 2)
    taken = best["presence"] != 2
    scores, _ = breed_score(answers, warm, names)
    place = np.minimum(best["presence"], 1)
    named = taken & (scores[np.arange(len(kind)), place] >= np.array(limits)[place])
    for name, where in (("", everywhere), (", small", small), (", real", real)):
        share("strangers taken for pets" + name, strangers & where, taken)
        share("strangers named as a breed" + name, strangers & where, named)
    for one in sorted(set(kind[strangers])):
        share(f"taken: {one}", strangers & (kind == one), taken)
    for head in ("cats", "dogs", "zoo", "objects", "fruit"):
        known = truth[head] >= 0
        if head in ("zoo", "fruit"):
            known &= truth[head] < len(names[head]) - 1
        order = np.argsort(-answers[head][:, : len(names[head])], 1)[:, :5]
        places = order == truth[head][:, None]
        for name, where in (("", everywhere), (", small", small), (", real", real), (", natural", origin == "ingest")):
            share(head + name, known & where, places[:, 0])
        share(f"{head}, top-{5 if head == 'objects' else 3}", known, places[:, : 5 if head == "objects" else 3].any(1))
        if head in warm and known.any():
            probabilities = measures.softmax(answers[head][known], warm[head])[:, : len(names[head])]
            found[f"{head}, ECE"] = measures.calibration_error(probabilities, truth[head][known])[0], int(known.sum())
    share("cats, clean source", clean & (truth["cats"] >= 0), best["cats"] == truth["cats"])
    oxford = np.isin(truth["cats"], [names["cats"].index(name) for name in labels.CLEAN_CATS])
    share("cats, Oxford's 12", oxford, best["cats"] == truth["cats"])
    if "presence" in warm:
        known = truth["presence"] >= 0
        probabilities = measures.softmax(answers["presence"][known], warm["presence"])
        found["presence, ECE"] = measures.calibration_error(probabilities, truth["presence"][known])[0], int(known.sum())
    share("other breeds named", (truth["other_cats"] | truth["other_dogs"]) & taken, named)
    return found


def markdown(columns, order=None):
    """A Markdown table with a line for each measure and a column for each of {name: row}, in %. The number of photos is
    that of the first column that has the measure.
    """
    names = order or list(dict.fromkeys(name for column in columns.values() for name in column))
    lines = ["| | photos | " + " | ".join(columns) + " |", "|---" * (len(columns) + 2) + "|"]
    for name in names:
        cells = [f"{100 * column[name][0]:.1f}" if name in column else "–" for column in columns.values()]
        photos = next((column[name][1] for column in columns.values() if name in column), 0)
        lines.append(f"| {name} | {photos} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
