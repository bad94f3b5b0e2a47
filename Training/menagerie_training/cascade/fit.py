"""Fits the heads of both stages on the training part, and all numbers of the cascade on the validation part."""

import json
from pathlib import Path

import numpy as np
import torch

from .. import calibrate
from ..candidates import features, heads as candidates, table
from ..gallery import law
from . import fuse, second
from .heads import Stage, rounded

#: The L2 penalties that are tried for each fitted head. The first stage keeps version 5's other heads.
FIRST = {"kinds": (1e-2, 3e-2), "zoo": (1e-2,)}
OF_VIT = {"kinds": (3e-3, 1e-2), "cats": (3e-3, 1e-2), "dogs": (3e-2, 1e-1), "zoo": (1e-2, 3e-2), "fruit": (3e-3,)}
SECOND = {
    second.ViTTiny: OF_VIT,
    second.ViTTiny192: OF_VIT,
    # Lite2 has seven times as many features, which need larger penalties.
    second.Lite2: {"kinds": (1e-2, 3e-2), "cats": (3e-2, 1e-1), "dogs": (3e-1, 1.0), "zoo": (3e-2, 1e-1), "fruit": (3e-3,)},
}
#: The threshold of each head is chosen so that its answers have this precision on validation photos.
PRECISION = {"cats": 0.8, "dogs": 0.85, "zoo": 0.9, "fruit": 0.9, "objects": 0.78, "kinds": 0.9}
#: Zoo, fruit and the kind person answer, instead of objects, from the score at which they reach this precision.
ANSWERS = {"zoo": 0.7, "fruit": 0.98, "kinds": 0.97}
#: The compared certainties below which the second stage is asked, of presence and of the answering head.
OF_PRESENCE, OF_HEAD = (0.95, 0.97, 0.98), (0.5, 0.6, 0.7)
#: The loss of mean accuracy that is accepted for asking the second stage about no photo instead of about all photos.
PRICE = 0.03


class Seen:
    """The stored features of both stages for the gallery's photos, by look."""

    def __init__(self, gallery, options):
        self.gallery, self.cache, self.loaded = gallery, options.cache, {}
        self.network, file = second.of(options)
        _, weight, bias = self.network.load(file)
        self.second = options.seen
        self.weight, self.bias = (tensor.numpy().astype(np.float16).astype(np.float32) for tensor in (weight, bias))

    def look(self, name):
        """({output: N×C float16}, N bool: photos with stored features) of one look."""
        if name not in self.loaded:
            self.loaded[name] = self.load("pair", name)
        return self.loaded[name]

    def load(self, name, look):
        """Like `look`, for stored features of another name."""
        found, there = features.load(name, look, self.cache, len(self.gallery.rows))
        if self.second:
            own, mine = features.load(self.second, look, self.cache, len(self.gallery.rows))
            found, there = found | own, there & mine
        return found, there

    def stage(self, number, look, chosen):
        """(features, objects logits) of a stage, float32 tensors."""
        found, _ = self.look(look)
        if number == 0:
            features, objects = (torch.as_tensor(found[key][chosen].astype(np.float32)) for key in ("features", "objects"))
            # The rows of `everyday` are behind ImageNet's.
            return features, objects[:, : len(self.gallery.heads["objects"])]
        values = found[self.network.KEY][chosen].astype(np.float32)
        return torch.as_tensor(values), torch.as_tensor(values @ self.weight.T + self.bias)

    def several(self, number, looks, parts):
        """Like `stage`, for all photos of `parts` under each look. Also returns the photos' positions."""
        chosen = [np.flatnonzero(np.isin(self.gallery.part, parts) & self.look(look)[1]) for look in looks]
        each = [self.stage(number, look, part) for look, part in zip(looks, chosen)]
        return *(torch.cat(values) for values in zip(*each)), np.concatenate(chosen)


def answers(seen, stages, look, chosen):
    """The logits of both stages, {head: N×C} each. The first stage's breeds, fruit and objects are version 5's own."""
    found, _ = seen.look(look)
    first = {head: found[head][chosen].astype(np.float32) for head in ("cats", "dogs", "objects", "fruit")}
    first |= {head: value for head, value in stages[0].answer(*seen.stage(0, look, chosen)).items() if head != "objects"}
    return first, stages[1].answer(*seen.stage(1, look, chosen))


def score(logits, told):
    """The share of photos whose likeliest class is right. told: N int, or N×C bool of the possible classes."""
    if told.ndim == 2:
        known = told.any(1) & ~told.all(1)
        return float(told[known][np.arange(known.sum()), logits[known].argmax(1)].mean())
    return float((logits.argmax(1) == told).mean())


def fit_stage(seen, number, truth, looks, tried, parts=("train",), judged=None):
    """A stage with heads fitted on `parts`. The validation photos `judged` choose a penalty."""
    features, objects, rows = seen.several(number, looks, parts)
    told = {head: torch.as_tensor(values[rows]) for head, values in truth.items()}
    stage, chosen = Stage(seen.gallery.heads), {}
    if judged is not None:
        views = seen.stage(number, "size0", judged)
    for head, penalties in tried.items():
        best = -1.0
        for penalty in penalties:
            attempt = Stage(seen.gallery.heads).fit(features, objects, told, {head: penalty})
            reached = 0.0
            if judged is not None:
                labels = truth[head][judged]
                known = labels.any(1) if labels.ndim == 2 else (labels >= 0)
                if head in ("zoo", "fruit"):
                    known &= labels < len(seen.gallery.heads[head]) - 1
                # The class for other breeds is left out, since it is never an answer.
                logits = attempt.answer(views[0][known], views[1][known])[head][:, : len(seen.gallery.heads[head])]
                reached = score(logits, labels[known])
            print(f"stage {number + 1} {head} {len(rows)} views, penalty {penalty}: {reached:.4f}", flush=True)
            if reached > best:
                best, stage.layers[head], chosen[head] = reached, attempt.layers[head], penalty
                stage.fitted = attempt.fitted if head == "zoo" else stage.fitted
    return rounded(stage), chosen


def loaded(told, names):
    """The rules that `run` wrote as rules.json."""
    return Rules(names).restore(told)


class Rules:
    """The numbers of the cascade (weights, temperatures, thresholds), found on validation photos."""

    def __init__(self, names):
        """names: {head: class names}."""
        self.names, self.weights, self.trials = names, {}, []

    def find(self, first, second, truth, silent, share, below=None):
        """Finds all numbers. first, second: logits of N photos; truth: {head: N}; silent: N bool, pets without a breed;
        share: the largest share of photos for the second stage; below: given certainties, which are otherwise chosen.
        """
        for head in fuse.OUTPUTS:
            told = truth[head]
            known = told.any(1) & ~told.all(1) if head == "kinds" else told >= 0
            self.weights[head] = fuse.weigh(first[head][known], second[head][known], told[known])
        everywhere = np.ones(len(silent), bool)
        self.warm = temperatures(first, truth)
        for head in fuse.OUTPUTS:
            # The sum gets the scale of the first stage's logits, so that one temperature is right for both.
            self.weights[head] = tuple(round(value * self.warm[head], 4) for value in self.weights[head])
        both = fuse.joined(first, second, self.weights, everywhere)
        self.answer_from = {"zoo": 0.4, "fruit": 0.6, "kinds": 0.9}
        for _ in range(3):
            self.below = below or self.choose(first, both, truth, share)
            together = self.together(first, second)
            self.warm = {head: round(value, 4) for head, value in temperatures(together, truth).items()}
            self.limit(together, truth, silent)
        return self

    def shares(self, logits):
        """Probabilities at the temperatures."""
        return fuse.probabilities(logits, self.warm, self.names)

    def asked(self, first):
        """Whether the second stage is asked, N bool."""
        return fuse.asked(self.shares(first), self.names, self.answer_from, self.below)

    def together(self, first, second):
        """The cascade's logits."""
        return fuse.joined(first, second, self.weights, self.asked(first))

    def choose(self, first, both, truth, share):
        """Chooses the certainties below which the second stage is asked. They balance right answers against the number
        of asked photos, which may be a share `share` at most.
        """
        shares = self.shares(first)

        def value(below):
            where = fuse.asked(shares, self.names, self.answer_from, below)
            joined = {name: np.where(where[:, None], both[name], first[name]) for name in fuse.OUTPUTS}
            found = accuracies(joined, truth, self.names)
            # Presence counts twice, since people notice its errors first.
            mean = np.mean([found[name] for name in ("presence", "presence", "cats", "dogs", "zoo", "objects")])
            self.trials.append((dict(below), float(where.mean()), found))
            return mean - PRICE * where.mean() if where.mean() <= share else -where.mean()

        # All heads have the same certainty, since they are calibrated. Separate choices would mostly follow chance.
        found = []
        for presence in OF_PRESENCE:
            for head in OF_HEAD:
                below = {"presence": presence, "kinds": presence}
                below |= {name: head for name in ("cats", "dogs", "zoo", "objects", "fruit")}
                found.append((value(below), len(found), below))
        return max(found)[2]

    def limit(self, together, truth, silent):
        """Thresholds of each head by its stated precision."""
        shares = self.shares(together)
        self.abstain, presence = {}, shares["presence"].argmax(1)
        for head, (value, right) in judged(shares, truth, silent, self.names).items():
            self.abstain[head] = round(calibrate.threshold(value, right, PRECISION[head]), 4)
            if head in ANSWERS:
                chosen = slice(None)
                if head == "kinds":
                    chosen = shares["kinds"][presence == 2].argmax(1) == self.names["kinds"].index("person")
                self.answer_from[head] = round(calibrate.threshold(value[chosen], right[chosen], ANSWERS[head]), 4)

    def restore(self, told):
        """Takes the numbers that `dictionary` gave."""
        self.weights, self.below, self.warm = told["weights"], told["below"], told["temperature"]
        self.abstain, self.answer_from = told["abstain_below"], told["answer_from"]
        return self

    def dictionary(self):
        """The numbers as a dictionary for JSON."""
        return {
            "weights": self.weights, "below": self.below, "temperature": self.warm, "abstain_below": self.abstain,
            "answer_from": self.answer_from,
        }


def temperatures(logits, truth):
    """{head: temperature}. The temperature of kinds is found on the photos whose kind is certain."""
    found = table.temperatures(logits, truth)
    told = truth["kinds"]
    known = told.sum(1) == 1
    return found | {"kinds": calibrate.temperature(logits["kinds"][known], told[known].argmax(1))}


def accuracies(logits, truth, names):
    """{head: share of right likeliest classes}. For zoo and fruit only photos that show a species or a fruit count."""
    found = {}
    for head in ("presence", "cats", "dogs", "zoo", "objects", "fruit"):
        known = truth[head] >= 0
        if head in ("zoo", "fruit"):
            known &= truth[head] < len(names[head]) - 1
        found[head] = float((logits[head][known][:, : len(names[head])].argmax(1) == truth[head][known]).mean())
    return found


def judged(shares, truth, silent, names):
    """{head: (score, right)} of the photos for which each head would answer, counted as in `calibrate.judged`.

    For kinds these are all photos that presence calls neither cat nor dog.
    """
    presence, found = shares["presence"].argmax(1), {}
    for head in ("cats", "dogs", "zoo", "fruit", "objects"):
        value, best = shares[head].max(1), shares[head].argmax(1)
        if head in ("cats", "dogs"):
            place = ("cats", "dogs").index(head)
            mine = ~silent & (presence == place)
            value = value * shares["presence"][:, place]
        else:
            mine = (truth[head] >= 0) & (presence == 2)
        found[head] = value[mine], (best == truth[head])[mine]
    mine, best = presence == 2, shares["kinds"].argmax(1)
    found["kinds"] = shares["kinds"].max(1)[mine], truth["kinds"][np.arange(len(best)), best][mine]
    return found


def measured(judge, rules, first, second, chosen, warm=None):
    """The rows of `candidates.table` for the cascade, for the first stage alone, and for both stages on every photo."""
    everywhere = np.ones(len(chosen), bool)
    limits = [rules.abstain["cats"], rules.abstain["dogs"]]
    columns = {}
    for name, where in (("cascade", rules.asked(first)), ("first alone", ~everywhere), ("both always", everywhere)):
        joined = fuse.joined(first, second, rules.weights, where)
        columns[name] = judge.measure(joined, chosen, rules.warm, limits)[0]
        columns[name]["asked"] = float(where.mean()), len(where)
    return columns


def run(gallery, options):
    """Writes stages.pt, rules.json and table.md to `options.out`."""
    out, seen = Path(options.out), Seen(gallery, options)
    truth = candidates.truths(gallery, options.cleaning)
    judges = {part: candidates.Judge(gallery, part, truth) for part in ("val", "test")}
    val = judges["val"].photos(seen.look("size0")[1])
    stages, penalties = [], []
    for number, tried in enumerate((FIRST, SECOND[seen.network])):
        stage, chosen = fit_stage(seen, number, truth, options.draws, tried, judged=val)
        stages.append(stage)
        penalties.append(chosen)
    # A third of the sharp photos of other cat breeds is doubtful, so these photos do not count for thresholds.
    silent = judges["val"].silent | (truth["other_cats"] & (gallery.origin == "sharp"))

    def rules_of(chosen, below=None):
        told = {head: values[chosen] for head, values in truth.items()}
        return Rules(gallery.heads).find(
            *answers(seen, stages, "size0", chosen), told, silent[chosen], options.share, below)

    rules = rules_of(val)
    # The shipped numbers are found on both parts in the same way, the reported ones on the validation part alone.
    unseen = np.union1d(val, judges["test"].photos(seen.look("size0")[1]))
    shipped = rules_of(unseen, rules.below).dictionary() | {"penalties": penalties}
    (out / "shipped.json").write_text(json.dumps(shipped, indent=1))
    torch.save(stages, out / "stages.pt")
    (out / "rules.json").write_text(json.dumps(rules.dictionary() | {"penalties": penalties}, indent=1))
    print(json.dumps(rules.dictionary(), indent=1))
    for below, share, found in rules.trials:
        print(f"asked {share:.1%}", below, {name: f"{value:.4f}" for name, value in found.items()})
    columns = {}
    for part, judge in judges.items():
        for size in law.SIZES:
            chosen = judge.photos(seen.look(f"size{size}")[1])
            if len(chosen):
                first, second = answers(seen, stages, f"size{size}", chosen)
                found = measured(judge, rules, first, second, chosen)
                for name, row in found.items():
                    if size == 0 or name == "cascade":
                        columns[f"{part} {size or ''} {name}"] = row
    text = table.markdown(columns)
    (out / "table.md").write_text(text + "\n")
    print(text)
