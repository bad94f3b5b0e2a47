"""Fine-tunes one tower separately, on the photos' labels and on the answers of both towers together at the start.

Towers that are tuned separately keep making different errors, so that together they are better.
"""

import copy
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from . import answers, augment, network, views
from .frozen import Frozen
from .pool import Pool

#: The weight of each head's labels. Larger weights would harm dogs and objects, since the public networks were trained
#: on forty times as many dogs and a thousand times as many objects.
LOSS_SHARES = {"presence": 0.6, "cats": 1.0, "dogs": 0.25, "zoo": 0.3, "fruit": 0.3}
SMOOTHING = 0.1
#: The weight of the divergence of each head's answers from those at the start.
ANCHOR_SHARES = {"presence": 0.6, "cats": 1.0, "dogs": 3.0, "zoo": 0.3, "fruit": 0.3, "objects": 2.0}


def head_loss(answers, targets, order, share):
    """The sum over heads of the smoothed cross-entropy of photos with a label, mixed with that of the shuffle's labels.

    answers: {head: N×C}; targets: {head: N, −1 for none}.
    """
    total = 0
    for head, weight in LOSS_SHARES.items():
        for own, part in ((targets[head], share), (targets[head][order], 1 - share)):
            known = int((own >= 0).sum())
            if part == 0 or known == 0:
                continue
            loss = F.cross_entropy(answers[head], own, ignore_index=-1, label_smoothing=SMOOTHING, reduction="sum")
            # The divisor is at least a share of the batch, so that a few labelled photos do not weigh too much.
            total = total + weight * part * loss / max(known, len(own) / 4)
    return total


def anchor_loss(answers, anchors, order, share):
    """The sum over heads of the divergence from the network's answers at the start, mixed like the photos.

    answers: {head: N×C}; anchors: {head: N×C probabilities}. All photos count, whether they have a label or not.
    """
    total = 0
    for head, weight in ANCHOR_SHARES.items():
        target = anchors[head] * share + anchors[head][order] * (1 - share)
        total = total + weight * F.kl_div(F.log_softmax(answers[head], 1), target, reduction="batchmean")
    return total


def learning_rate(progress, step, warm=200):
    """The share of the peak rate at `progress` 0…1: a linear warm-up of `warm` steps, then half a cosine to zero."""
    return min(1, (step + 1) / warm) * 0.5 * (1 + math.cos(math.pi * progress))


class Trainee(nn.Module):
    """One tower of a network, and heads on it alone. Its first `held` stages are not part of it."""

    def __init__(self, net, name, held):
        super().__init__()
        self.tower = copy.deepcopy(net.towers[name][held:])
        self.heads = nn.ModuleDict()
        for head, layer in net.heads.items():
            weight = net.halves(head)[name] * 2
            self.heads[head] = nn.Linear(weight.shape[1], weight.shape[0])
            self.heads[head].load_state_dict({"weight": weight, "bias": layer.bias.detach()})
        self.requires_grad_(True)

    def forward(self, middle):
        """Activations after the held stages → {head: N×C}."""
        features = F.dropout(network.pool(self.tower(middle)), 0.2, self.training)
        return {name: layer(features) for name, layer in self.heads.items()}


class Trainer:
    """One run. Its state (trainee, average, optimiser, step, seconds) is in `run`/checkpoint.pt."""

    def __init__(self, pack, options):
        self.pack, self.options = pack, options
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.run = Path(options.run)
        self.run.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(options.seed)
        self.start = answers.load_checkpoint(options.start).requires_grad_(False).to(self.device)
        self.trainee = Trainee(self.start, options.tower, options.held).train()
        self.trainee.to(self.device, memory_format=torch.channels_last)
        self.average = copy.deepcopy(self.trainee).requires_grad_(False).eval()
        matrices = [p for p in self.trainee.tower.parameters() if p.ndim > 1]
        vectors = [p for p in self.trainee.tower.parameters() if p.ndim == 1]
        self.optimiser = torch.optim.AdamW(
            [
                {"params": matrices, "rate": options.rate, "weight_decay": 0.02},
                {"params": vectors, "rate": options.rate, "weight_decay": 0.0},
                {"params": self.trainee.heads.parameters(), "rate": options.rate * 2, "weight_decay": 0.05},
            ],
            lr=options.rate,
        )
        self.step, self.seconds = 0, 0.0
        if (self.run / "checkpoint.pt").exists():
            self.restore()

    def restore(self):
        """Continues where the last checkpoint stopped."""
        state = torch.load(self.run / "checkpoint.pt", map_location=self.device, weights_only=True)
        self.trainee.load_state_dict(state["trainee"])
        self.average.load_state_dict(state["mean"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.seconds = state["step"], state["seconds"]
        print(f"resumed at step {self.step}", flush=True)

    def save(self):
        """Writes the checkpoint atomically. `answers.load_checkpoint` reads the average from it."""
        state = {
            "trainee": self.trainee.state_dict(),
            "mean": self.average.state_dict(),
            "average": self.joined().state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
            "seconds": self.seconds,
            "heads": {head: len(names) for head, names in self.pack.heads.items()},
        }
        torch.save(state, self.run / "checkpoint.partial")
        (self.run / "checkpoint.partial").rename(self.run / "checkpoint.pt")

    @torch.no_grad()
    def joined(self):
        """The start network with its tower and that tower's half of the heads replaced by the averaged ones."""
        net, name = copy.deepcopy(self.start), self.options.tower
        net.towers[name][self.options.held :].load_state_dict(self.average.tower.state_dict())
        for head, layer in net.heads.items():
            own = self.average.heads[head]
            net.halves(head)[name].copy_(own.weight / 2)
            layer.bias.copy_((layer.bias + own.bias) / 2)
        return net

    def progress(self):
        """The finished share of the run, 0…1: by working time if `minutes` limits the run, otherwise by steps."""
        if self.options.minutes:
            return min(1.0, self.seconds / 60 / self.options.minutes)
        return min(1.0, self.step / self.options.steps)

    def update(self):
        """Makes one step. Returns the loss."""
        random = np.random.default_rng((self.options.seed, self.step, 7))
        middle, features, chosen = self.pool.draw(random, self.options.batch)
        with torch.no_grad():
            anchors = {head: self.start.heads[head](features).softmax(1) for head in ANCHOR_SHARES}
        middle, order, share = augment.mix(middle, random)
        targets = {h: torch.as_tensor(self.pack.labels[h][chosen], device=self.device) for h in LOSS_SHARES}
        found = self.trainee(middle)
        loss = head_loss(found, targets, order, share)
        loss = loss + self.options.anchor * anchor_loss(found, anchors, order, share)
        factor = learning_rate(self.progress(), self.step)
        for group in self.optimiser.param_groups:
            group["lr"] = group["rate"] * factor
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trainee.parameters(), 5.0)
        self.optimiser.step()
        decay = min(self.options.decay, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            for mean, value in zip(self.average.parameters(), self.trainee.parameters()):
                mean.lerp_(value, 1 - decay)
        return float(loss.detach())

    def validate(self, size=192):
        """Top-1 per head of the averaged network on the validation photos."""
        positions, photos = views.centre_views(self.pack, self.options.cache, "val", size)
        net = self.joined()
        if self.device == "cuda":
            found = views.infer(net, photos, device=self.device, dtype=torch.bfloat16)
        else:
            found = answers.of_network(net, self.pack, photos)
        scores = {}
        for head in self.pack.heads:
            truth = self.pack.labels[head][positions]
            known = truth >= 0
            scores[head] = float((found[head][known].argmax(1) == truth[known]).mean())
        return scores

    def fit(self):
        """Trains to the end, with a checkpoint every `every` minutes of work."""
        options = self.options
        frozen = Frozen(self.start, options.tower, options.held, options.size, self.device)
        self.pool = Pool(
            self.pack, self.pack.where("train"), frozen, options.size, options.seed, self.run, self.device
        )
        mean, saved, checkpoints, last = 0.0, self.seconds, 0, time.monotonic()
        while self.progress() < 1:
            if self.pool.fill(self.step, options.batch):
                print(f"{len(self.pool.sets)} sets of crops at step {self.step}", flush=True)
            loss = self.update()
            now = time.monotonic()
            self.seconds += now - last
            last = now
            self.step += 1
            mean = loss if mean == 0 else 0.98 * mean + 0.02 * loss
            if self.seconds - saved > options.every * 60:
                self.save()
                saved, checkpoints = self.seconds, checkpoints + 1
                self.report(mean, checkpoints % options.validate == 0)
        self.save()
        self.report(mean, True)

    def report(self, loss, validate):
        """Prints a line of progress. A validation takes as long as about 50 steps."""
        scores = " ".join(f"{head} {score:.4f}" for head, score in self.validate().items()) if validate else "-"
        photos = self.step * self.options.batch
        print(
            f"step {self.step} ({self.progress():.0%}, {self.seconds / 60:.1f} min, {photos / max(1, self.seconds):.0f}"
            f" photos/s) loss {loss:.3f} | val {scores}",
            flush=True,
        )
