"""Fine-tunes the second tower and its heads; the preserved tower stays as it was."""

import copy
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from . import answers, augment, views
from .frozen import Frozen
from .pool import Pool

LOSS_SHARES = {"presence": 0.6, "cats": 1.0, "dogs": 1.0, "zoo": 0.3, "fruit": 0.3}
SMOOTHING = 0.1
#: How much closer than the other heads dogs are held to what they answered at the start: the public networks have seen
#: forty times the dogs that there are here.
HELD_CLOSER = {"dogs": 3.0}


def head_loss(answers, targets, order, share):
    """Sum over heads of smoothed cross-entropy on the photos that have a label; mixed with the shuffle's labels.

    answers: {head: N×C}; targets: {head: N, −1 for none}.
    """
    total = 0
    for head, weight in LOSS_SHARES.items():
        for own, part in ((targets[head], share), (targets[head][order], 1 - share)):
            known = int((own >= 0).sum())
            if part == 0 or known == 0:
                continue
            loss = F.cross_entropy(answers[head], own, ignore_index=-1, label_smoothing=SMOOTHING, reduction="sum")
            # Divided by a fixed share of the batch, so that a photo weighs the same however many share its head.
            total = total + weight * part * loss / max(known, len(own) / 4)
    return total


def anchor_loss(answers, anchors, order, share):
    """Sum over heads of the divergence from what the network answered at the start, mixed as the photos were.

    answers: {head: N×C}; anchors: {head: N×C probabilities}. All photos count, whether they have a label or not.
    """
    total = 0
    for head, weight in LOSS_SHARES.items():
        target = anchors[head] * share + anchors[head][order] * (1 - share)
        apart = F.kl_div(F.log_softmax(answers[head], 1), target, reduction="batchmean")
        total = total + weight * HELD_CLOSER.get(head, 1.0) * apart
    return total


def learning_rate(progress, step, warm=200):
    """Share of the peak rate at `progress` 0…1: half a cosine to zero, after a linear warm-up of `warm` steps."""
    return min(1, (step + 1) / warm) * 0.5 * (1 + math.cos(math.pi * progress))


class Trainer:
    """One run. State (network, average, optimiser, step, seconds) lives in `run`/checkpoint.pt."""

    def __init__(self, pack, options):
        self.pack, self.options = pack, options
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.run = Path(options.run)
        self.run.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(options.seed)
        self.start = answers.load_checkpoint(options.start)
        self.start.held = options.held
        self.start.to(self.device).requires_grad_(False)
        self.net = copy.deepcopy(self.start).train().requires_grad_(True)
        self.net.to(memory_format=torch.channels_last)
        for module in (self.net.preserved, self.net.objects, self.net.tuned[: options.held]):
            module.requires_grad_(False)
        self.average = copy.deepcopy(self.net).requires_grad_(False)
        tower = list(self.net.tuned[options.held :].parameters())
        matrices = [p for p in tower if p.ndim > 1]
        vectors = [p for p in tower if p.ndim == 1]
        self.optimiser = torch.optim.AdamW(
            [
                {"params": matrices, "rate": options.rate, "weight_decay": 0.02},
                {"params": vectors, "rate": options.rate, "weight_decay": 0.0},
                {"params": self.net.heads.parameters(), "rate": options.rate * 2, "weight_decay": 0.05},
            ],
            lr=options.rate,
        )
        self.step, self.seconds = 0, 0.0
        if (self.run / "checkpoint.pt").exists():
            self.restore()

    def restore(self):
        """Continues where the last checkpoint stopped."""
        state = torch.load(self.run / "checkpoint.pt", map_location=self.device, weights_only=True)
        self.net.load_state_dict(state["net"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.seconds = state["step"], state["seconds"]
        print(f"resumed at step {self.step}", flush=True)

    def save(self):
        """Writes the checkpoint, atomically."""
        state = {
            "net": self.net.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
            "seconds": self.seconds,
            "heads": {head: len(names) for head, names in self.pack.heads.items() if head != "objects"},
        }
        torch.save(state, self.run / "checkpoint.partial")
        (self.run / "checkpoint.partial").rename(self.run / "checkpoint.pt")

    def progress(self):
        """0…1: by steps, or by working time where `minutes` bounds the run."""
        if self.options.minutes:
            return min(1.0, self.seconds / 60 / self.options.minutes)
        return min(1.0, self.step / self.options.steps)

    def update(self):
        """One step; returns the loss."""
        random = np.random.default_rng((self.options.seed, self.step, 7))
        middle, features, chosen = self.pool.draw(random, self.options.batch)
        with torch.no_grad():
            anchors = {head: self.start.heads[head](features).softmax(1) for head in LOSS_SHARES}
        middle, preserved, order, share = augment.mix(middle, features[:, 1280:], random)
        targets = {h: torch.as_tensor(self.pack.labels[h][chosen], device=self.device) for h in LOSS_SHARES}
        both = F.dropout(torch.cat([self.net.tuned_features(middle), preserved], 1), 0.2)
        found = {head: layer(both) for head, layer in self.net.heads.items()}
        loss = head_loss(found, targets, order, share)
        loss = loss + self.options.anchor * anchor_loss(found, anchors, order, share)
        factor = learning_rate(self.progress(), self.step)
        for group in self.optimiser.param_groups:
            group["lr"] = group["rate"] * factor
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimiser.step()
        decay = min(self.options.decay, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            for mean, value in zip(self.average.parameters(), self.net.parameters()):
                if value.requires_grad:
                    mean.lerp_(value, 1 - decay)
        return float(loss.detach())

    def validate(self, size=192):
        """Top-1 per head of the averaged network on the validation photos."""
        positions, photos = views.centre_views(self.pack, self.options.cache, "val", size)
        found = views.infer(self.average.eval(), photos, device=self.device, dtype=torch.bfloat16)
        scores = {}
        for head in self.pack.heads:
            truth = self.pack.labels[head][positions]
            known = truth >= 0
            scores[head] = float((found[head][known].argmax(1) == truth[known]).mean())
        return scores

    def fit(self):
        """Trains to the end, with a checkpoint every `every` minutes of work."""
        options = self.options
        frozen = Frozen(self.start, options.size, self.device)
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
        """One line of progress; validation costs as much as some 50 steps."""
        scores = " ".join(f"{head} {score:.4f}" for head, score in self.validate().items()) if validate else "-"
        photos = self.step * self.options.batch
        print(
            f"step {self.step} ({self.progress():.0%}, {self.seconds / 60:.1f} min, {photos / max(1, self.seconds):.0f}"
            f" photos/s) loss {loss:.3f} | val {scores}",
            flush=True,
        )
