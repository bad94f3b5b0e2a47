"""Tunes NanoDet-Plus on boxes, pseudo-labels and scenes. For everything else it keeps the start network's answers."""

import time
from pathlib import Path

import numpy as np
import torch

from . import assigning, boxes, network

#: The number of steps in which the rate grows, and the share of the new weights in the running mean at each step.
WARM_UP, MEAN_RATE = 40, 0.01
#: The start network's box at a point is kept if its probability is at least this.
HELD_FROM = 0.3


class Trainer:
    """One run. It continues from `folder/checkpoint.pt`."""

    def __init__(self, net, teacher, maker, folder, steps, batch=8, rate=2e-4, hold=1.0):
        self.net, self.teacher, self.maker, self.steps, self.batch, self.rate = net, teacher, maker, steps, batch, rate
        self.hold = hold
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.held = [layer.name for layer in net.layers].index("splitncnn_1")
        held = {layer.name for layer in net.layers[: self.held]}
        self.parameters = [p for name, p in net.named_parameters() if name.split(".")[1] not in held]
        self.optimiser = torch.optim.AdamW(self.parameters, rate, weight_decay=0.01)
        self.mean = {name: value.detach().clone() for name, value in net.state_dict().items()}
        points, strides = network.centres(maker.size)
        self.points, self.strides = torch.from_numpy(points), torch.from_numpy(strides)
        self.step = 0
        if (file := self.folder / "checkpoint.pt").exists():
            stored = torch.load(file, weights_only=False)
            net.load_state_dict(stored["net"])
            self.optimiser.load_state_dict(stored["optimiser"])
            self.mean, self.step = stored["mean"], stored["step"]
            maker.random = np.random.default_rng(self.step)

    def save(self):
        """Writes the checkpoint in one step."""
        temporary = self.folder / "checkpoint.partial"
        stored = {"net": self.net.state_dict(), "optimiser": self.optimiser.state_dict()}
        torch.save(stored | {"mean": self.mean, "step": self.step}, temporary)
        temporary.rename(self.folder / "checkpoint.pt")

    def targets(self, sample, logits):
        """Class targets P×classes; the points that find a box, their boxes and overlaps; the start network's P boxes,
        and how sure it is of each (0: the box is not kept)."""
        edges, shares = self.teacher(sample.picture)
        target = torch.zeros(len(self.points), len(boxes.LABELS))
        target[:, : shares.shape[1]] = torch.from_numpy(shares)
        known = torch.from_numpy(sample.known(self.points.numpy()))
        held = torch.where(known, 0.0, target).max(1).values
        target[known] = 0
        truth, labels = (torch.from_numpy(values) for values in sample.truth())
        with torch.no_grad():
            now = network.corners(network.distances(logits[:, len(boxes.LABELS) :]), self.points, self.strides)
            found, overlap = assigning.assign(
                logits[:, : len(boxes.LABELS)].sigmoid(), now, truth, labels, self.points)
        mine = torch.nonzero(found >= 0).flatten()
        # At an animal the start network's other animals are wrong, even if these classes are not known there.
        target[mine[:, None], torch.tensor(boxes.ANIMALS)] = 0
        target[mine, labels[found[mine]]] = overlap[mine]
        held[mine] = 0
        return target, mine, truth[found[mine]], overlap[mine], torch.from_numpy(edges), held

    def loss(self, samples):
        """The losses of a batch: classes, boxes and bins of points that find a box, and the kept boxes."""
        x = network.normalised(np.stack([sample.picture for sample in samples]))
        # With the channels last in memory a step takes half as long.
        answers = network.flat(self.net(x.contiguous(memory_format=torch.channels_last), self.held))
        classes, places, bins, quality, kept = [], [], [], [], []
        for sample, logits in zip(samples, answers):
            target, mine, truth, overlap, theirs, held = self.targets(sample, logits.detach())
            classes.append(assigning.quality_focal(logits[:, : len(boxes.LABELS)], target))
            quality.append(overlap.sum())
            reach = logits[:, len(boxes.LABELS) :]
            if len(mine):
                points, strides = self.points[mine], self.strides[mine]
                ours = network.corners(network.distances(reach[mine]), points, strides)
                weight = overlap.clamp(min=0.05)
                places.append(((1 - assigning.paired(ours, truth, general=True)) * weight).sum())
                wanted = torch.cat([points - truth[:, :2], truth[:, 2:] - points], 1) / strides[:, None]
                found = assigning.bin_loss(reach[mine].unflatten(-1, (4, network.BINS)), wanted)
                bins.append((found.mean(1) * weight).sum())
            sure = torch.nonzero(held > HELD_FROM).flatten()
            if len(sure):
                ours = network.corners(network.distances(reach[sure]), self.points[sure], self.strides[sure])
                kept.append(((1 - assigning.paired(ours, theirs[sure], general=True)) * held[sure]).sum())
        total = max(float(sum(quality)), 1.0)
        parts = {"classes": sum(classes), "boxes": assigning.BOX_WEIGHT * sum(places, torch.zeros(())),
                 "bins": assigning.BINS_WEIGHT * sum(bins, torch.zeros(())), "kept": self.hold * sum(kept, torch.zeros(()))}
        return {name: value / total for name, value in parts.items()}

    def run(self, log=print, every=50):
        """Trains to the end."""
        start, sums = time.process_time(), {}
        while self.step < self.steps:
            rise = min(1, (self.step + 1) / WARM_UP)
            fall = 0.5 * (1 + np.cos(np.pi * self.step / self.steps)) * 0.97 + 0.03
            for group in self.optimiser.param_groups:
                group["lr"] = float(self.rate * rise * fall)
            parts = self.loss([self.maker() for _ in range(self.batch)])
            self.optimiser.zero_grad()
            sum(parts.values()).backward()
            torch.nn.utils.clip_grad_norm_(self.parameters, 10.0)
            self.optimiser.step()
            self.step += 1
            with torch.no_grad():
                for name, value in self.net.state_dict().items():
                    self.mean[name].lerp_(value, max(MEAN_RATE, 1 / (self.step + 1)))
            for name, value in parts.items():
                sums[name] = sums.get(name, 0.0) + float(value.detach())
            if self.step % every == 0 or self.step == self.steps:
                log(f"step {self.step} of {self.steps}, {time.process_time() - start:.0f} s: "
                    + ", ".join(f"{name} {value / every:.3f}" for name, value in sums.items()))
                sums = {}
                self.save()
        return self.averaged()

    def averaged(self):
        """The network with the running mean of its weights."""
        self.net.load_state_dict(self.mean)
        return self.net.eval()
