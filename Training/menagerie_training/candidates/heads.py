"""Fits heads on the frozen features of each input, and measures them at each photo size beside earlier weights."""

import csv
import json
from pathlib import Path

import numpy as np
import torch

from .. import labels
from ..gallery import kinds, law
from . import cascade, features, fitting, table
from .__main__ import EDGETPU, VIT

INPUTS = {"edgetpu": ("edgetpu",), "vit": ("vit",), "both": ("edgetpu", "vit")}


def classifiers(folder):
    """{network: (weight 1000×F, bias)} of the public networks."""
    from ..backbones import edgetpu, vit

    return {"edgetpu": edgetpu.load(Path(folder) / EDGETPU)[1:], "vit": vit.load(Path(folder) / VIT)[1:]}


def truths(gallery, cleaning="cleaning.csv"):
    """{head: labels of all photos} after cleaning. `other_cats` and `other_dogs`, N bool: breeds without a class."""
    truth = {head: values.copy() for head, values in gallery.labels.items()}
    if Path(cleaning).exists():
        where = {row["name"]: position for position, row in enumerate(gallery.rows)}
        with open(cleaning, newline="") as file:
            for row in csv.DictReader(file):
                if row["path"] in where:
                    clean(truth, gallery, where[row["path"]], row["head"], row["new"])
    for place, head in enumerate(("cats", "dogs")):
        mine = np.array([row["group"] == head[:-1] for row in gallery.rows]) & (truth["presence"] == place)
        truth["other_" + head] = mine & (truth[head] < 0) & ~silent(gallery)
    return truth


def clean(truth, gallery, position, head, new):
    """Applies one verdict of cleaning.csv to the labels."""
    truth[head][position] = gallery.heads[head].index(new) if new else -1
    if head == "presence":
        mask = np.ones(len(kinds.KINDS), bool)
        if new in ("cat", "dog"):
            mask = np.array([kind == new for kind in kinds.KINDS])
        elif new:
            mask[:2] = False
        truth["kinds"][position] = mask


def silent(gallery):
    """N bool: cats and dogs without a stated breed, or with a breed that cannot be trusted."""
    names = [row["class"] for row in gallery.rows]
    return np.array([name.endswith("_unspecified") or name in labels.UNTRUSTED_DOGS for name in names])


def gather(found, networks, chosen):
    """N×F float32 features of the chosen photos. The features of several networks are side by side."""
    return torch.as_tensor(np.concatenate([found[name][chosen] for name in networks], 1).astype(np.float32))


class Judge:
    """Measures answers on a part of the gallery."""

    def __init__(self, gallery, part, truth):
        self.gallery, self.part, self.truth = gallery, part, truth
        objects = gallery.heads["objects"]
        self.kind = np.array([kinds.stranger(row, objects) for row in gallery.rows])
        self.clean = np.array([row["source"] == "batogov/cat-breeds-classifier" for row in gallery.rows])
        self.silent = silent(gallery)

    def photos(self, there):
        """Positions of the part's photos for which `there`, N bool, is true."""
        return np.flatnonzero((self.gallery.part == self.part) & there)

    def measure(self, answers, chosen, warm=None, limits=None):
        """(row, temperatures, thresholds). Temperatures and thresholds come from these photos unless they are given."""
        truth = {head: values[chosen] for head, values in self.truth.items()}
        names = self.gallery.heads
        warm = warm or table.temperatures(answers, truth)
        limits = limits or table.thresholds(answers, truth, self.silent[chosen], warm, names)
        row = table.row(
            answers, truth, self.kind[chosen], self.gallery.origin[chosen], names, warm, limits, self.clean[chosen])
        return row, warm, limits


def run(gallery, options):
    """Writes heads_INPUT.pt and table_PART.md and .json to `options.out`."""
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    count, truth, public = len(gallery.rows), truths(gallery), classifiers(options.backbones)
    looks = {f"size{size}": features.load("backbones", f"size{size}", options.cache, count) for size in law.SIZES}
    drawn = [features.load("backbones", draw, options.cache, count) for draw in options.draws]
    val = np.flatnonzero((gallery.part == "val") & looks["size0"][1])
    columns, fitted = {}, {}
    for name in options.inputs:
        networks = INPUTS[name]
        heads = fitting.Heads(gallery.heads, [public[network] for network in networks])
        chosen = [np.flatnonzero((gallery.part == "train") & there) for _, there in drawn]
        rows = torch.cat([gather(found, networks, part) for (found, _), part in zip(drawn, chosen)])
        told = {h: torch.as_tensor(np.concatenate([v[part] for part in chosen])) for h, v in truth.items()}
        judged = gather(looks["size0"][0], networks, val)

        def score(head):
            known = torch.as_tensor(truth[head][val] >= 0)
            known &= torch.as_tensor(truth[head][val] < len(gallery.heads[head]) - (head in ("zoo", "fruit")))
            found = heads.logits(head, heads.scaled(judged[known]), heads.objects(judged[known]))
            return float((found.argmax(1).numpy() == truth[head][val][known.numpy()]).mean())

        heads.fit(rows, told, score)
        print(name, len(rows), "views", heads.penalties, flush=True)
        torch.save(heads, out / f"heads_{name}.pt")

        def answer(found, part):
            return heads.answer(gather(found, networks, part))  # noqa: B023

        columns |= measure(gallery, options, looks, name, answer, truth)
        fitted[name] = heads
    if options.earlier:
        looks = {f"size{size}": features.load(options.earlier, f"size{size}", options.cache, count) for size in law.SIZES}

        def stored(found, part):
            return {head: values[part].astype(np.float32) for head, values in found.items()}

        columns |= measure(gallery, options, looks, options.earlier, stored, truth)
    if {"edgetpu", "both"} <= fitted.keys():
        found = features.load("backbones", "size0", options.cache, count)
        columns |= cascaded(gallery, options, found, fitted, truth)
    (out / f"table_{options.part}.json").write_text(json.dumps(columns, indent=1))
    text = table.markdown(columns)
    (out / f"table_{options.part}.md").write_text(text + "\n")
    print(text)


def measure(gallery, options, looks, name, answer, truth):
    """{column: row} of one network at every stored size, with temperatures and thresholds of the validation part."""
    columns = {}
    judge, own = Judge(gallery, "val", truth), Judge(gallery, options.part, truth)
    found, there = looks["size0"]
    chosen = judge.photos(there)
    _, warm, limits = judge.measure(answer(found, chosen), chosen)
    for look, (found, there) in looks.items():
        chosen = own.photos(there)
        if len(chosen):
            columns[f"{name} {look.removeprefix('size')}"] = own.measure(answer(found, chosen), chosen, warm, limits)[0]
    return columns


def cascaded(gallery, options, seen, fitted, truth):
    """{column: row} of cascades in which both networks see a growing share of the photos."""
    found, there = seen
    judges = [Judge(gallery, "val", truth), Judge(gallery, options.part, truth)]
    chosen = [judge.photos(there) for judge in judges]
    answers = [
        {name: heads.answer(gather(found, INPUTS[name], part)) for name, heads in fitted.items()} for part in chosen
    ]
    _, warm, _ = judges[0].measure(answers[0]["edgetpu"], chosen[0])
    columns = {}
    sure = [cascade.certainty(each["edgetpu"], warm, gallery.heads) for each in answers]
    for share in cascade.SHARES:
        threshold = cascade.threshold(sure[0], share)
        joined = [
            cascade.joined(each["edgetpu"], each["both"], certain, threshold) for each, certain in zip(answers, sure)
        ]
        _, own, limits = judges[0].measure(joined[0], chosen[0])
        asked = float((sure[1] < threshold).mean())
        columns[f"cascade {asked:.0%}"] = judges[1].measure(joined[1], chosen[1], own, limits)[0]
    return columns
