"""Measures one model on one part of the split. Writes JSON and prints a short table."""

import json
from pathlib import Path

import numpy as np

from . import answers, batches, labels, measures

NATURAL = "ksara28/"


def subsets(pack, positions, doubted):
    """Named subsets of the part for the report: {name: (head, chosen N bool)}.

    doubted: {head: bool for each photo of the pack}, of `batches.doubted`.
    """
    truth = {head: pack.labels[head][positions] for head in pack.heads}
    sources = np.array([pack.rows[p]["source"] for p in positions])
    clean = {pack.heads["cats"].index(name) for name in labels.CLEAN_CATS}
    cats, dogs = truth["cats"], truth["dogs"]
    number = np.bincount(pack.labels["cats"][pack.labels["cats"] >= 0], minlength=len(pack.heads["cats"]))
    return {
        "cats, clean source": ("cats", np.isin(cats, list(clean)) & (sources == "batogov/cat-breeds-classifier")),
        "cats": ("cats", (cats >= 0) & (number[np.maximum(cats, 0)] >= 10)),
        "dogs": ("dogs", dogs >= 0),
        "dogs, natural shape": ("dogs", (dogs >= 0) & ~np.char.startswith(sources, NATURAL)),
        "presence": ("presence", truth["presence"] >= 0),
        "presence, labels that stand": ("presence", (truth["presence"] >= 0) & ~doubted["presence"][positions]),
        "fruit": ("fruit", (truth["fruit"] >= 0) & np.array([pack.rows[p]["group"] == "fruit" for p in positions])),
        "zoo": ("zoo", (truth["zoo"] >= 0) & (truth["zoo"] < len(pack.heads["zoo"]) - 1)),
        "objects": ("objects", truth["objects"] >= 0),
    }


def stated_breed(pack, positions):
    """N bool: the photos on which an answer of a breed can be judged. Cats and dogs without a stated breed are not."""
    names = [pack.rows[p]["class"] for p in positions]
    silent = np.array([name.endswith("_unspecified") or name in labels.UNTRUSTED_DOGS for name in names])
    return ~silent | (pack.labels["cats"][positions] >= 0) | (pack.labels["dogs"][positions] >= 0)


def other_breeds(pack, head):
    """For each photo of the pack: whether it is a cat (`head` cats) or dog (dogs) of a breed that the head lacks."""
    everywhere = np.arange(len(pack.rows))
    mine = np.array([row["group"] == head[:-1] for row in pack.rows])
    mine &= pack.labels["presence"] == labels.PRESENCE.index(head[:-1])
    return mine & (pack.labels[head] < 0) & stated_breed(pack, everywhere)


def known_breed_scores(pack, positions, logits, temperatures=None):
    """Abstention score and truth of every photo. The score is max(P(cat)·max P(breed), P(dog)·max P(breed)).

    Known photos show a cat or dog with the label of a trained breed. All other photos are unknown, including breeds
    that no head has. Pets without a breed label are left out.
    """
    temperatures = temperatures or {}
    probabilities = {
        h: measures.softmax(logits[h], temperatures.get(h, 1))[:, : len(pack.heads[h])] for h in ("presence", "cats", "dogs")
    }
    score = np.maximum(
        probabilities["presence"][:, 0] * probabilities["cats"].max(1),
        probabilities["presence"][:, 1] * probabilities["dogs"].max(1),
    )
    known = (pack.labels["cats"][positions] >= 0) | (pack.labels["dogs"][positions] >= 0)
    return score, known, stated_breed(pack, positions)


def measure(pack, positions, logits, doubted, temperatures=None):
    """{subset: measures} and the AUROC of abstention."""
    temperatures = temperatures or {}
    result = {}
    for name, (head, chosen) in subsets(pack, positions, doubted).items():
        if head not in logits or not chosen.any():
            continue
        truth = pack.labels[head][positions][chosen]
        result[name] = measures.classification(
            logits[head][chosen], truth, temperatures.get(head, 1), len(pack.heads[head]))
        result[name]["interval"] = measures.interval(result[name]["top1"], len(truth))
    if "presence" in logits:
        score, known, counted = known_breed_scores(pack, positions, logits, temperatures)
        result["abstention"] = {"auroc": measures.area_under_curve(score[counted], known[counted]), "photos": int(counted.sum())}
    return result


def original_network(pack, options, part):
    """The original network's answers: its objects, and its dog rows as the dogs head."""
    from . import features

    positions, matrix, objects = features.original(pack, options, part)
    rows = labels.dogs(pack.heads["objects"])[1]
    return positions, {"objects": objects, "dogs": objects[:, rows], "features": matrix}


def load_temperatures(file):
    """{head: temperature} of a calibration.json. Without a file it is empty."""
    heads = json.loads(Path(file).read_text())["heads"] if file else {}
    return {head: numbers["temperature"] for head, numbers in heads.items()}


def run(pack, options):
    """Measures `options.model` (checkpoint, ONNX file or `original`) at each size and prints a table."""
    temperatures, doubted = load_temperatures(options.calibration), batches.doubted(pack, options.cleaning)
    report = {}
    for size in options.sizes:
        for look in options.looks:
            if options.model == "original":
                positions, logits = original_network(pack, options, options.part)
            else:
                positions, logits = answers.of_part(options.model, pack, options, options.part, size, look)
            key = f"{size}{'' if look == 'plain' else ' ' + look}"
            report[key] = measure(pack, positions, logits, doubted, temperatures)
            print(f"\n{options.model}, {options.part}, {key}")
            for name, values in report[key].items():
                print(f"  {name:28s}", *(f"{k} {v:.4f}" if isinstance(v, float) else f"{k} {v}" for k, v in values.items()))
            if options.save:
                heads = {h: v.astype(np.float16) for h, v in logits.items() if h != "features"}
                np.savez(f"{options.save}_{options.part}_{key.replace(' ', '_')}.npz", positions=positions, **heads)
    if options.save:
        Path(f"{options.save}_{options.part}.json").write_text(json.dumps(report, indent=1))
