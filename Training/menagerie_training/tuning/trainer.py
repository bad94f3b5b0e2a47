"""Tunes EdgeTPU's last stages and their heads. The state is in RUN/checkpoint.pt, from which a later run continues."""

import copy
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .. import augment, network
from ..backbones import edgetpu
from ..candidates import fitting
from . import crops

#: The weights of each head's labels, and of the divergence from the teacher's answers. Cats learn most from labels.
#: Objects have almost no labels and learn only from the teacher.
LABELS = {"kinds": 0.8, "cats": 1.0, "dogs": 0.6, "zoo": 0.3, "fruit": 0.2}
TAUGHT = {"kinds": 0.4, "cats": 0.4, "dogs": 1.5, "zoo": 0.3, "fruit": 0.1, "objects": 1.5}
SMOOTHING = 0.1
#: Each stage learns at this share of the next stage's rate.
LAYER_DECAY = 0.85


class Student(nn.Module):
    """EdgeTPU's stages from number `held`, with linear heads on the 1,280 pooled features."""

    def __init__(self, tower, held, sizes):
        super().__init__()
        self.stages = copy.deepcopy(tower[held:])
        self.heads = nn.ModuleDict({head: nn.Linear(edgetpu.FEATURES, size) for head, size in sizes.items()})
        self.requires_grad_(True)

    def begin(self, heads):
        """Takes the heads that were fitted on the frozen features (`fitting.Heads` of edgetpu alone)."""
        with torch.no_grad():
            for head, layer in self.heads.items():
                if head == "objects":
                    weight, bias = heads.object_weight, heads.object_bias
                else:
                    weight, bias = heads.layers[head]
                    # The head was fitted on standardised features. This makes the same function of plain features.
                    bias = bias - weight @ (heads.mean / heads.deviation)
                    weight = weight / heads.deviation
                    if head == "dogs":
                        weight, bias = weight + heads.object_weight[heads.rows], bias + heads.object_bias[heads.rows]
                layer.weight.copy_(weight)
                layer.bias.copy_(bias)

    def features(self, middle):
        """Activations → N×1280."""
        return network.pool(self.stages(middle))

    def forward(self, middle):
        """Activations → {head: N×C}."""
        features = F.dropout(self.features(middle), 0.1, self.training)
        return {name: layer(features) for name, layer in self.heads.items()}


def label_loss(answers, targets, order, share, weights=LABELS):
    """The sum over heads of the labels' smoothed cross-entropy, mixed with the shuffle's. Kinds are sets of classes.

    targets: {head: N int64, −1 none}; kinds N×13 bool.
    """
    total = 0
    for head, weight in weights.items():
        for own, part in ((targets[head], share), (targets[head][order], 1 - share)):
            if part == 0:
                continue
            if head == "kinds":
                log = F.log_softmax(answers[head], 1)
                told = -torch.logsumexp(log + torch.where(own, 0.0, -1e4), 1)
                loss = ((1 - SMOOTHING) * told - SMOOTHING * log.mean(1)).mean()
                total = total + weight * part * loss
                continue
            known = int((own >= 0).sum())
            if known:
                loss = F.cross_entropy(answers[head], own, ignore_index=-1, label_smoothing=SMOOTHING, reduction="sum")
                total = total + weight * part * loss / max(known, len(own) / 4)
    return total


def taught_loss(answers, targets, order, share, weights=TAUGHT):
    """The sum over heads of the divergence from the teacher, mixed like the crops. targets: {head: N×C}, its
    answers."""
    total = 0
    for head, weight in weights.items():
        target = targets[head] * share + targets[head][order] * (1 - share)
        total = total + weight * F.kl_div(F.log_softmax(answers[head], 1), target, reduction="batchmean")
    return total


def rates(student, rate):
    """Parameter groups. The heads have twice `rate`, and the stages' rates fall from the last to the first."""
    groups = [{"params": student.heads.parameters(), "rate": 2 * rate, "weight_decay": 0.02}]
    for depth, stage in enumerate(reversed(student.stages)):
        own = rate * LAYER_DECAY**depth
        groups.append({"params": [p for p in stage.parameters() if p.ndim > 1], "rate": own, "weight_decay": 0.02})
        groups.append({"params": [p for p in stage.parameters() if p.ndim == 1], "rate": own, "weight_decay": 0.0})
    return groups


class Trainer:
    """One run of EdgeTPU, on the CPU, in bf16 if it has that. Subclasses for other networks override these members."""

    labels, taught = LABELS, TAUGHT
    #: The features of the crops from which the teacher answers.
    keys = ("edgetpu", "vit")
    #: Share of the batches that are mixed.
    mixed = 0.4
    #: Steps of warm-up.
    warm = 200

    def __init__(self, gallery, truth, tower, teacher, start, options):
        """teacher: `fitting.Heads` on both backbones; start: `fitting.Heads` on EdgeTPU; truth: from `heads.truths`."""
        self.gallery, self.truth, self.teacher, self.options = gallery, truth, teacher, options
        self.run = Path(options.run)
        self.run.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(options.seed)
        self.student = self.begun(tower, start).train()
        self.average = copy.deepcopy(self.student).requires_grad_(False).eval()
        self.optimiser = torch.optim.AdamW(rates(self.student, options.rate), lr=options.rate)
        self.step, self.seconds, self.views = 0, 0.0, None
        allowed = np.isin(gallery.part, options.parts)
        self.crops = self.drawn(gallery, truth, allowed)
        if (self.run / "checkpoint.pt").exists():
            self.restore()

    def begun(self, tower, start):
        """The student at the beginning of the training."""
        sizes = {head: len(names) for head, names in self.gallery.heads.items() if head != "presence"}
        student = Student(tower, self.options.held, sizes)
        student.begin(start)
        return student.to(memory_format=torch.channels_last)

    def drawn(self, gallery, truth, allowed):
        """The crops for training."""
        return crops.Crops(self.options.features, self.options.draws, gallery.rows, truth, allowed, self.keys)

    def prepared(self, middle, random=None):
        """The activations in the form that the student expects. random: the generator of a training step."""
        return middle.to(network.precision("cpu")).contiguous(memory_format=torch.channels_last)

    def restore(self):
        """Continues where the last checkpoint stopped."""
        state = torch.load(self.run / "checkpoint.pt", weights_only=True)
        self.student.load_state_dict(state["student"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.seconds = state["step"], state["seconds"]
        print(f"goes on at step {self.step}", flush=True)

    def save(self):
        """Writes the checkpoint atomically."""
        state = {"student": self.student.state_dict(), "average": self.average.state_dict(), "held": self.options.held}
        state |= {"optimiser": self.optimiser.state_dict(), "step": self.step, "seconds": self.seconds}
        torch.save(state, self.run / "checkpoint.partial")
        (self.run / "checkpoint.partial").rename(self.run / "checkpoint.pt")

    def factor(self):
        """The share of the peak rate: half a cosine over the whole run, with a warm-up at its beginning."""
        progress = min(1.0, self.step / self.options.steps)
        return min(1.0, (self.step + 1) / self.warm) * 0.5 * (1 + math.cos(math.pi * progress))

    @torch.no_grad()
    def lesson(self, edge, transformer):
        """The teacher's answers to crops, {head: N×C probabilities}."""
        both = torch.cat([edge, transformer], 1)
        scaled, objects = self.teacher.scaled(both), self.teacher.objects(both)
        found = {head: self.teacher.logits(head, scaled, objects).softmax(1) for head in fitting.PENALTIES}
        return found | {"objects": objects.softmax(1)}

    def loss(self, random):
        """The loss of a batch, against labels and the teacher's answers."""
        middle, *seen, chosen = self.crops.draw(random, self.options.batch)
        lesson = self.lesson(*seen)
        middle, order, share = augment.mix(self.prepared(middle, random), random, self.mixed)
        targets = {head: torch.as_tensor(self.truth[head][chosen]) for head in self.labels}
        found = self.student(middle)
        return label_loss(found, targets, order, share, self.labels) + taught_loss(found, lesson, order, share, self.taught)

    def update(self):
        """Makes one step. Returns the loss."""
        loss = self.loss(np.random.default_rng((self.options.seed, self.step, 11)))
        factor = self.factor()
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
        return float(loss.detach())

    @torch.no_grad()
    def validate(self, most=1200):
        """{head: top-1} of the averaged student on a fixed part of the validation photos, in the service's view."""
        if self.views is None:
            every = np.flatnonzero(self.gallery.part == "val")
            every = every[:: max(1, len(every) // most)]
            self.views = crops.of_part(self.options.validation, "size0", every)
        positions, views = self.views
        answers = {}
        for start in range(0, len(positions), 64):
            middle = torch.as_tensor(np.asarray(views[start : start + 64]))
            for head, value in self.average(self.prepared(middle)).items():
                answers.setdefault(head, []).append(value)
        answers = {head: torch.cat(values) for head, values in answers.items()}
        answers["presence"] = fitting.presence(answers["kinds"])
        scores = {}
        for head in ("presence", "cats", "dogs", "zoo", "objects"):
            truth = torch.as_tensor(self.truth[head][positions])
            known = (truth >= 0) & (truth < len(self.gallery.heads[head]) - (head == "zoo"))
            scores[head] = float((answers[head][known].argmax(1) == truth[known]).float().mean())
        return scores

    def rests(self, seconds=2):
        """Waits a little if the run's folder has a file PAUSE, which pauses the run. Returns whether it waited."""
        if not (self.run / "PAUSE").exists():
            return False
        time.sleep(seconds)
        return True

    def fit(self):
        """Trains for `minutes` of work in this call, or until `steps` in all, with a checkpoint every `every`
        minutes."""
        mean, saved, began, last = 0.0, time.monotonic(), time.monotonic(), time.monotonic()
        print(len(self.crops.places), "crops;", "before:" if self.step == 0 else "now:", self.validate(), flush=True)
        while self.step < self.options.steps and last - began < self.options.minutes * 60:
            if self.rests():
                last = time.monotonic()
                continue
            loss = self.update()
            now = time.monotonic()
            self.seconds += now - last
            last = now
            mean = loss if mean == 0 else 0.98 * mean + 0.02 * loss
            if now - saved > self.options.every * 60:
                self.save()
                self.crops.refresh()
                self.report(mean)
                saved = last = time.monotonic()
        self.save()
        self.report(mean)

    def report(self, loss):
        """Prints a line of progress."""
        scores = " ".join(f"{head} {score:.4f}" for head, score in self.validate().items())
        pace = self.step * self.options.batch / max(1, self.seconds)
        print(f"step {self.step} {self.seconds / 60:.1f} min {pace:.1f} crops/s loss {loss:.3f} | {scores}", flush=True)
