"""Tunes a specialist. The state is in RUN/checkpoint.pt, from which a later run continues."""

import copy
import csv
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from .. import labels, measures
from ..backbones import edgetpu
from ..candidates import heads
from ..candidates.__main__ import EDGETPU
from ..gallery import law
from . import classes, specialist, teacher

#: Photos of a class are drawn in proportion to (its number of photos)^(1 − BALANCE).
BALANCE = 0.4
SMOOTHING, TAUGHT = 0.1, 0.5
#: The shares of batches that are mixed with another photo: CutMix (a rectangle) and mixup (the whole photo, blended).
CUT, BLEND = 0.25, 0.2
WARM = 100
#: A factor on how often further breeds are drawn, since they only have to be distinguished from the head's breeds.
FURTHER = 0.6


def chances(targets, chosen, breeds):
    """The probability of drawing each of the photos at `chosen`, N float64. targets: every photo's class or −1."""
    mine = targets[chosen]
    counts = np.bincount(mine[mine >= 0])
    weight = np.where(mine >= 0, counts[np.maximum(mine, 0)].astype(float) ** -BALANCE, 0.0)
    weight[mine >= breeds] *= FURTHER
    # Photos without a stated breed have only the teacher's answer to learn from.
    weight[mine < 0] = 0.5 * weight[mine >= 0].min()
    return weight / weight.sum()


def mixed(x, random):
    """(views, order, share): views mixed with those of the batch in this order, and the own view's share."""
    order, draw = torch.as_tensor(random.permutation(len(x))), random.random()
    if draw < BLEND:
        share = float(random.beta(0.4, 0.4))
        share = max(share, 1 - share)
        return x * share + x[order] * (1 - share), order, share
    if draw < BLEND + CUT:
        size = x.shape[2]
        side = int(size * math.sqrt(random.uniform(0.05, 0.5)))
        top, left = random.integers(size - side + 1, size=2)
        x = x.clone()
        x[:, :, top : top + side, left : left + side] = x[order, :, top : top + side, left : left + side]
        return x, order, 1 - side * side / size / size
    return x, order, 1.0


def lacks(logits, told, taught, breeds):
    """N losses, from the labels (N int64, −1 none) and the teacher's N×(breeds + 1) probabilities (nan: none)."""
    labelled = F.cross_entropy(logits, told.clamp_min(0), label_smoothing=SMOOTHING, reduction="none") * (told >= 0)
    there = ~taught.isnan().any(1)
    log = F.log_softmax(classes.folded(logits, breeds), 1)
    apart = F.kl_div(log, taught.nan_to_num(0), reduction="none").sum(1) * there
    return labelled + TAUGHT * apart


class Trainer:
    """One run. The sizes of views follow one another, each for its share of the time."""

    def __init__(self, gallery, options):
        self.gallery, self.options, self.head = gallery, options, options.head
        self.run = Path(options.run)
        self.run.mkdir(parents=True, exist_ok=True)
        truth = heads.truths(gallery, options.cleaning)
        self.truth, self.breeds = truth, len(gallery.heads[self.head])
        self.names = classes.others(gallery, truth, self.head)
        self.targets = classes.targets(gallery, truth, self.head, self.names)
        place = labels.PRESENCE.index(self.head[:-1])
        self.chosen = np.flatnonzero(np.isin(gallery.part, options.parts) & (truth["presence"] == place))
        self.chances = np.cumsum(chances(self.targets, self.chosen, self.breeds))
        self.judged = np.flatnonzero((gallery.part == "val") & (truth[self.head] >= 0))[:: options.every_judged]
        self.taught = torch.as_tensor(teacher.probabilities(options.teacher, len(gallery.rows), self.breeds + 1))
        torch.manual_seed(options.seed)
        self.step, self.seconds, self.photos = 0, 0.0, 0
        tower, weight, bias = edgetpu.load(Path(options.backbones) / EDGETPU)
        self.student = specialist.Specialist(tower, self.breeds + 1 + len(self.names))
        self.student.stages[: options.held].requires_grad_(False)
        self.student.to(memory_format=torch.channels_last)
        if (self.run / "checkpoint.pt").exists():
            self.restore()
        else:
            self.begin(weight, bias)
            self.average = copy.deepcopy(self.student).requires_grad_(False).eval()
            self.optimiser = torch.optim.AdamW(specialist.rates(self.student, options.rate), lr=options.rate)

    def begin(self, weight, bias):
        """Fits the first head on one view of each photo."""
        found = self.chosen[self.targets[self.chosen] >= 0]
        found = np.random.default_rng(self.options.seed).permutation(found)[:6000]
        views = [law.drawn(self.gallery.photo(p), self.options.sizes[0], np.random.default_rng((1, int(p)))) for p in found]
        features = specialist.answers(self.student.features, views)
        rows = labels.dogs(self.gallery.heads["objects"])[1]
        base = (weight[rows], bias[rows]) if self.head == "dogs" else None
        self.student.begin(features, torch.as_tensor(self.targets[found]), base)

    def restore(self):
        """Continues where the last checkpoint stopped."""
        state = torch.load(self.run / "checkpoint.pt", weights_only=True)
        self.student.load_state_dict(state["student"])
        self.average = copy.deepcopy(self.student).requires_grad_(False).eval()
        self.average.load_state_dict(state["average"])
        self.optimiser = torch.optim.AdamW(specialist.rates(self.student, self.options.rate), lr=self.options.rate)
        rates = [group["rate"] for group in self.optimiser.param_groups]
        self.optimiser.load_state_dict(state["optimiser"])
        for group, rate in zip(self.optimiser.param_groups, rates):
            group["rate"] = rate
        self.step, self.seconds, self.photos = state["step"], state["seconds"], state["photos"]
        print(f"goes on at step {self.step}, {self.seconds / 60:.1f} min", flush=True)

    def save(self):
        """Writes the checkpoint, atomically."""
        state = {"student": self.student.state_dict(), "average": self.average.state_dict(), "names": self.names}
        state |= {"optimiser": self.optimiser.state_dict(), "head": self.head}
        state |= {"step": self.step, "seconds": self.seconds, "photos": self.photos}
        torch.save(state, self.run / "checkpoint.partial")
        (self.run / "checkpoint.partial").rename(self.run / "checkpoint.pt")

    def minutes(self):
        """The CPU minutes of the whole run, from the options or from a file RUN/MINUTES, which may change."""
        file = self.run / "MINUTES"
        return float(file.read_text()) if file.exists() else self.options.minutes

    def progress(self):
        """The finished share of the run by CPU time, so that other work on the machine does not count."""
        return min(1.0, self.seconds / 60 / self.minutes())

    def size(self):
        """The present size of the views in pixels."""
        bounds = np.cumsum(self.options.shares) / sum(self.options.shares)
        return self.options.sizes[min(int(np.searchsorted(bounds, self.progress(), "right")), len(bounds) - 1)]

    def update(self):
        """Makes one step. Returns the loss."""
        random = np.random.default_rng((self.options.seed, self.step, 7))
        draws = np.minimum(np.searchsorted(self.chances, random.random(self.options.batch)), len(self.chosen) - 1)
        positions = self.chosen[draws]
        size = self.size()
        views = np.stack([law.drawn(self.gallery.photo(p), size, random) for p in positions])
        x, order, share = mixed(specialist.prepared(views), random)
        logits = self.student(x.contiguous(memory_format=torch.channels_last)).float()
        told, taught = torch.as_tensor(self.targets[positions]), self.taught[positions]
        loss = share * lacks(logits, told, taught, self.breeds).mean()
        if share < 1:
            loss = loss + (1 - share) * lacks(logits, told[order], taught[order], self.breeds).mean()
        factor = min(1.0, (self.step + 1) / WARM) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * self.progress())))
        for group in self.optimiser.param_groups:
            group["lr"] = group["rate"] * factor
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.student.parameters(), 5.0)
        self.optimiser.step()
        decay = min(self.options.decay, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            for mean, value in zip(self.average.parameters(), self.student.parameters()):
                mean.lerp_(value, 1 - decay)
        self.step += 1
        self.photos += len(positions)
        return float(loss.detach())

    def validate(self):
        """(top-1, top-3) of the averaged network on validation photos as served."""
        views = [law.resized(self.gallery.photo(p), 0, self.options.judged_size) for p in self.judged]
        logits = specialist.answers(self.average, views)[:, : self.breeds].numpy()
        truth = self.truth[self.head][self.judged]
        return measures.top(logits, truth), measures.top(logits, truth, 3)

    def report(self, loss):
        """Writes a line of the learning curve to the screen and to RUN/curve.csv."""
        first, third = self.validate()
        file, new = self.run / "curve.csv", not (self.run / "curve.csv").exists()
        with open(file, "a", newline="") as stream:
            writer = csv.writer(stream)
            if new:
                writer.writerow(["minutes", "photos", "size", "loss", "top1", "top3"])
            writer.writerow([f"{self.seconds / 60:.2f}", self.photos, self.size(), f"{loss:.4f}", f"{first:.4f}", f"{third:.4f}"])
        pace = self.photos / max(1, self.seconds)
        print(f"step {self.step} {self.seconds / 60:.1f} min {self.photos} photos {pace:.1f}/s {self.size()} px loss {loss:.3f} | "
              f"top-1 {first:.4f} top-3 {third:.4f}", flush=True)

    def fit(self):
        """Trains for `minutes` of CPU time, with a checkpoint every `every` minutes. A file RUN/STOP ends it early."""
        print(len(self.chosen), "photos,", len(self.names), "further breeds:", *self.names, flush=True)
        mean = 0.0
        if self.step == 0:
            self.report(0.0)
        saved = time.monotonic()
        while self.progress() < 1 and not (self.run / "STOP").exists():
            began = time.process_time()
            loss = self.update()
            self.seconds += time.process_time() - began
            mean = loss if mean == 0 else 0.98 * mean + 0.02 * loss
            if time.monotonic() - saved > self.options.every * 60:
                self.save()
                self.report(mean)
                saved = time.monotonic()
        self.save()
        self.report(mean)


def run(gallery, options):
    """Trains one specialist."""
    Trainer(gallery, options).fit()
