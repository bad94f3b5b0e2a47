"""Tunes ViT-Tiny's last blocks for views of 192 px. The teacher is EdgeTPU with ViT-Tiny on views of 224 px."""

import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from .. import augment
from ..backbones import vit
from ..candidates import features, fitting, heads as candidates
from ..tuning import crops, trainer
from . import fit, second, tune

#: Photos about which the first stage is unsure are drawn this many times as often, since the second one gets them.
UNSURE = 2.0


class Crops(crops.Crops):
    """Like `crops.Crops`, but photos for which `unsure` (N bool) is true are drawn more often."""

    def __init__(self, unsure, *rest):
        self.unsure = unsure
        super().__init__(*rest)

    def refresh(self):
        """As `crops.Crops.refresh`."""
        count = super().refresh()
        if count:
            each = np.diff(self.chances, prepend=0) * np.where(self.unsure[self.places[:, 2]], UNSURE, 1)
            self.chances = np.cumsum(each / each.sum())
        return count


class Trainer(tune.Trainer):
    """One run. It learns from heads on the features of EdgeTPU and of ViT-Tiny at 224 px, and from these features."""

    labels = {"kinds": 0.8, "cats": 1.0, "dogs": 0.6, "zoo": 0.3, "fruit": 0.1}
    taught = {"kinds": 0.4, "cats": 0.5, "dogs": 1.2, "zoo": 0.4, "fruit": 0.1, "objects": 1.5}
    keys = ("edgetpu", "big")
    mixed, warm = 0.3, 60
    #: Weight of the mean squared distance of the features from those at 224 px, in deviations.
    SEEN = 2.0

    def begun(self, tower, start):
        """The student at the beginning. start: the start of the training that `run` stored."""
        *first, self.teacher, self.deviation, self.unsure = start
        return tune.Student(tower, self.options.held, *first)

    def drawn(self, gallery, truth, allowed):
        """As `trainer.Trainer.drawn`."""
        return Crops(self.unsure, self.options.features, self.options.draws, gallery.rows, truth, allowed, self.keys)

    #: The base class's method, since the teacher of `tune.Trainer` has only one network.
    lesson = trainer.Trainer.lesson

    def loss(self, random):
        """The loss of `trainer.Trainer`, and for unmixed crops the distance of the features from those at 224 px."""
        middle, edge, big, chosen = self.crops.draw(random, self.options.batch)
        lesson = self.lesson(edge, big)
        middle, order, share = augment.mix(self.prepared(middle, random), random, self.mixed)
        targets = {head: torch.as_tensor(self.truth[head][chosen]) for head in self.labels}
        seen = self.student.features(middle)
        found = self.student.answers(F.dropout(seen, 0.1))
        lack = trainer.label_loss(found, targets, order, share, self.labels)
        lack = lack + trainer.taught_loss(found, lesson, order, share, self.taught)
        if share == 1:
            lack = lack + self.SEEN * ((seen - big) / self.deviation).square().mean()
        return lack


def taught(gallery, options, truth, look):
    """(`fitting.Heads` on EdgeTPU's and ViT-Tiny's features of the training views, the deviation of ViT-Tiny's)."""
    folder = Path(options.features)

    def both(name, part):
        found, there = features.load(folder.name, name, folder.parent, len(gallery.rows))
        chosen = np.flatnonzero(np.isin(gallery.part, part) & there)
        return candidates.gather(found, ("edgetpu", "big"), chosen), {head: values[chosen] for head, values in truth.items()}

    views, told = both(look, options.parts)
    judged, labels = both("size0", ["val"])
    public = candidates.classifiers(options.backbones)
    heads = fitting.Heads(gallery.heads, [public["edgetpu"], public["vit"]])

    def score(head):
        known = (labels[head] >= 0) & (labels[head] < len(gallery.heads[head]) - (head in ("zoo", "fruit")))
        return fit.score(heads.logits(head, heads.scaled(judged[known]), heads.objects(judged[known])).numpy(), labels[head][known])

    heads.fit(views, {head: torch.as_tensor(values) for head, values in told.items()}, score)
    return heads, views[:, -vit.FEATURES :].std(0)


def unsure(gallery, options, look):
    """N bool: whether the first stage would ask the second about a view, by the rules of `fit` in `options.out`."""
    out, seen = Path(options.out), fit.Seen(gallery, options)
    rules = fit.loaded(json.loads((out / "rules.json").read_text()), gallery.heads)
    chosen = np.flatnonzero(np.isin(gallery.part, options.parts) & seen.look(look)[1])
    first, _ = fit.answers(seen, torch.load(out / "stages.pt", weights_only=False), look, chosen)
    found = np.zeros(len(gallery.rows), bool)
    found[chosen] = rules.asked(first)
    return found


def run(gallery, options):
    """Like `tune.run`, but starts from ViT-Tiny at 224 px and its heads."""
    options.validation = options.features
    folder, look = Path(options.run), options.draws[0]
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "start.pt").exists():
        truth, tower, first = tune.begin(gallery, options, [look])
        start = *first, *taught(gallery, options, truth, look), unsure(gallery, options, look)
        torch.save((truth, vit.placed(tower, second.ViTTiny192.SIDE), start), folder / "start.pt")
    truth, tower, start = torch.load(folder / "start.pt", weights_only=False)
    Trainer(gallery, truth, tower, None, start, options).fit()
