"""Fits the head of each stage: the probability that a picture is drawn, and which animal a drawing shows.

A stage's logit is 0 for a photo. For a drawing of an animal it is d + log a, with d the log-odds of a drawing and a the
animal's probability among drawings.
"""

from pathlib import Path

import numpy as np
import torch

from ..candidates import features
from ..cascade import fuse
from ..gallery.pack import Gallery
from . import sources, words

#: The features of each stage, with the L2 penalties of `drawn` and `words`.
STAGES = (("features", 5e-4, 2e-3), ("vit", 1e-4, 4e-4))
#: The sources that choose the weights of both stages. The shipped head is also fitted on them.
CHOOSING = ("fxemoji", "art4apps")
#: The source that calibrates the certainty of animals. Nothing else is fitted on it.
SURE = "noto"
#: The share of validation photos that may be wrongly called drawings.
CALLED = 0.003
#: The animal of a drawing is named if its probability is at least this. Set by hand: our own drawing of a cat has 46 %.
TOLD = 0.44
EVERY = [*words.WORDS, words.OTHER]


def linear(inputs, told, weights, penalty, classes, steps=80):
    """Weight F×C and bias C with the least weighted cross-entropy and L2 penalty."""
    inputs, told = torch.as_tensor(inputs), torch.as_tensor(told.astype(np.int64))
    weights = torch.as_tensor((weights / weights.sum()).astype(np.float32))
    weight, bias = torch.zeros(inputs.shape[1], classes, requires_grad=True), torch.zeros(classes, requires_grad=True)
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=steps, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(inputs @ weight + bias, told, reduction="none")
        loss = (loss * weights).sum() + penalty * weight.square().sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    return weight.detach().numpy(), bias.detach().numpy()


def logits(stage, inputs):
    """N×(words + 2) logits: the words, other, photo."""
    weight, bias = stage
    values = inputs @ weight + bias
    shares = values[:, 1:] - values[:, 1:].max(1, keepdims=True)
    shares -= np.log(np.exp(shares).sum(1, keepdims=True))
    return np.concatenate([values[:, :1] + shares, np.zeros((len(values), 1))], 1)


class Data:
    """Features of photos and of drawings, with their labels."""

    def __init__(self, options):
        gallery = Gallery(options.gallery)
        self.photos, there = features.load("pair", "size0", options.cache, len(gallery.rows))
        stored = [np.load(file) for file in options.seen]
        self.drawings = {name: np.concatenate([each[name] for each in stored]) for name in ("features", "vit")}
        self.source, self.word = (np.concatenate([each[name] for each in stored]) for name in ("source", "word"))
        classes = np.array([row["class"] for row in gallery.rows])
        self.drawn = np.isin(classes, list(words.DRAWN)) & there
        self.photo = there & ~self.drawn & ~np.isin(classes, list(words.DOUBTFUL))
        self.part = np.array(gallery.part)
        self.of_photo = np.array([words.of_photo(row) for row in gallery.rows])

    def stage(self, name, of_drawn, of_words, without):
        """(weight F×(1 + words + 1), bias) for plain features, fitted without some sources."""
        photos, drawings = (values[name].astype(np.float32) for values in (self.photos, self.drawings))
        learnt = self.photo & (self.part == "train")
        chosen = ~np.isin([source.removeprefix("re_") for source in self.source], [*sources.HELD, *without])
        flat = chosen & (self.word == words.BACKGROUND)
        chosen &= ~flat
        art = np.flatnonzero(self.drawn & (self.part == "train"))
        both = np.concatenate([photos[learnt][::4], drawings[chosen]])
        mean, deviation = both.mean(0), both.std(0) + 1e-3
        photos, drawings = (photos - mean) / deviation, (drawings - mean) / deviation
        made = np.char.startswith(self.source, "stylised") | np.char.startswith(self.source, "re_")
        some = np.flatnonzero(learnt)[:: 2 if len(mean) > 1000 else 1]
        count = [len(some), chosen.sum() + len(art), flat.sum()]
        drawn = linear(
            np.concatenate([photos[some], drawings[chosen], photos[art], drawings[flat]]),
            np.repeat([0, 1, 0], count),
            np.concatenate([
                np.full(count[0], learnt.sum() / count[0]), np.where(made[chosen], 0.4, 1.5), np.full(len(art), 1.5),
                np.full(count[2], 3.0)]),
            of_drawn, 2, 40)
        random, learnt = np.random.default_rng(0), np.flatnonzero(learnt)
        few = np.concatenate([random.permutation(learnt[self.of_photo[learnt] == word])[:200] for word in words.WORDS])
        told = np.array([EVERY.index(word) for word in (*self.word[chosen], *self.of_photo[few], *self.of_photo[art])])
        pacs = np.char.startswith(self.source[chosen], "pacs")
        weights = np.concatenate([
            np.where(made[chosen], 0.6, np.where(pacs, 0.5, 1.0)), np.full(len(few), 0.2), np.ones(len(art))])
        balance = np.bincount(told, weights, len(EVERY)).clip(1e-3) ** -0.7
        # Drawings of other things get less weight. They are many, and drawn animals are usually easy to recognise.
        balance[-1] *= 0.3
        shares = linear(
            np.concatenate([drawings[chosen], photos[few], photos[art]]), told, weights * balance[told], of_words, len(EVERY))
        weight = np.concatenate([(drawn[0][:, 1:] - drawn[0][:, :1]), shares[0]], 1) / deviation[:, None]
        bias = np.concatenate([drawn[1][1:] - drawn[1][:1], shares[1]]) - mean @ weight
        return weight.astype(np.float16).astype(np.float32), bias.astype(np.float32)

    def stages(self, without=()):
        return [self.stage(*stage, without) for stage in STAGES]

    def joined(self, stages, weights, drawings, chosen):
        """The probabilities of both stages together, with the second stage asked for every picture."""
        found = self.drawings if drawings else self.photos
        both = [logits(stage, found[name][chosen].astype(np.float32)) for stage, (name, *_) in zip(stages, STAGES)]
        values = sum(weight * each for weight, each in zip(weights, both))
        values = np.exp(values - values.max(1, keepdims=True))
        return values / values.sum(1, keepdims=True)


def choose(data):
    """Chooses the weights of both stages."""
    stages = data.stages(CHOOSING)
    drawings, photos = np.isin(data.source, CHOOSING), data.photo & (data.part == "val")
    each = [
        np.concatenate([
            logits(stage, data.drawings[name][drawings].astype(np.float32)), logits(stage, data.photos[name][photos].astype(np.float32))])
        for stage, (name, *_) in zip(stages, STAGES)]
    told = np.concatenate([[EVERY.index(word) for word in data.word[drawings]], np.full(photos.sum(), len(EVERY))])
    return np.array(fuse.weigh(*each, told))


def sharpened(data, stages, weights):
    """The weights of both stages, multiplied by the factor that gives the animals of `SURE` the greatest likelihood."""
    mine = (data.source == SURE) & (data.word != words.OTHER)
    told = np.array([EVERY.index(word) for word in data.word[mine]])

    def likelihood(factor):
        shares = data.joined(stages, factor * weights, True, mine)
        return np.log(shares[np.arange(len(told)), told]).mean()

    return tuple(round(float(value), 4) for value in max(np.arange(0.5, 3, 0.05), key=likelihood) * weights)


def limit_of(data, stages, weights):
    """The probability from which a picture is called a drawing."""
    sure = 1 - data.joined(stages, weights, False, data.photo & (data.part == "val"))[:, -1]
    return round(float(np.quantile(sure, 1 - CALLED)), 4)


def report(data, stages, weights, limit, threshold):
    """Prints the results for photos and drawings on which nothing was fitted."""
    for part in ("val", "test"):
        chosen = data.photo & (data.part == part)
        sure = 1 - data.joined(stages, weights, False, chosen)[:, -1]
        print(f"{part}: {np.mean(sure >= limit):.2%} of {chosen.sum()} photos are called drawings")
    for source in sources.HELD:
        mine = (data.source == source) & (data.word != words.OTHER)
        shares = data.joined(stages, weights, True, mine)[:, :-1]
        drawn, best = shares.sum(1) >= limit, shares.argmax(1)
        right = best == [EVERY.index(word) for word in data.word[mine]]
        told = drawn & (shares.max(1) >= threshold) & (best < len(words.WORDS))
        things = (data.source == source) & (data.word == words.OTHER)
        others = data.joined(stages, weights, True, things)[:, :-1]
        as_animal = (others.sum(1) >= limit) & (others.max(1) >= threshold) & (others.argmax(1) < len(words.WORDS))
        print(f"{source}: {mine.sum()} animals, drawn {drawn.mean():.1%}, first word right {right.mean():.1%}, told {told.mean():.1%}, "
              f"of these right {right[told].mean():.1%}; {things.sum()} others, drawn {np.mean(others.sum(1) >= limit):.1%}, "
              f"told as an animal {as_animal.mean():.1%}")
        for word in words.WORDS:
            one = data.word[mine] == word
            if one.sum() > 5:
                print(f"  {word}: {(right & told)[one].sum()} right and {(~right & told)[one].sum()} wrong of {one.sum()}")


def run(options):
    """Prints figures and writes fitted.npz."""
    data = Data(options)
    weights, stages = choose(data), data.stages()
    weights = sharpened(data, stages, weights)
    limit = limit_of(data, stages, weights)
    print("weights", weights, "drawn from", limit)
    report(data, stages, weights, limit, TOLD)
    named = {f"{name}_{kind}": value for (name, *_), stage in zip(STAGES, stages) for kind, value in zip(("weight", "bias"), stage)}
    np.savez(Path(options.rendered) / "fitted.npz", **named, weights=weights, limit=limit, threshold=TOLD)
