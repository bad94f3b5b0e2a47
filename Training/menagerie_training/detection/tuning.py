"""Tunes a detector on boxes, on the names of photos, and on what a teacher says of everything else.

    python -m menagerie_training.detection.tuning --cache .cache/detector --mirrors MIRRORS teacher
    python -m menagerie_training.detection.tuning --cache .cache/detector --mirrors MIRRORS student
    python -m menagerie_training.detection.tuning --cache .cache/detector --mirrors MIRRORS candidate
"""

import argparse
import dataclasses
import json
import pickle
import time
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from . import assigning, boxes, collected, finding, graph, network, samples, trainable, unshuffled

#: The number of steps in which the rate grows, and the share of the new weights in the running mean at each step.
WARM_UP, MEAN_RATE = 40, 0.01
#: The name of the larger public network, which becomes the teacher.
LARGER = "nanodet-plus-m-1.5x_416_int8"
#: The teacher's box at a point is kept if its probability is at least this.
HELD_FROM = 0.3
#: The teacher's box fits an animal from this intersection over union on. It lies upon animals if they share this part of it.
FITS, UPON = 0.6, 0.5
#: From here on, the teacher's surest box in a photo of a species is the animal's.
SUBJECT_FROM = 0.25
#: The candidate is this share of the way from the start to the student, with higher biases of these classes.
SHARE = 0.7
RAISED = dict.fromkeys((boxes.LABELS[label] for label in boxes.ANIMALS), 0.2) | {"person": 0.5}
RAISED |= dict.fromkeys(("bicycle", "car", "motorcycle", "bus", "train", "truck"), 0.35)


class Teacher:
    """The mean of several detectors' answers, cell by cell. A detector without *other animal* says nothing of it."""

    def __init__(self, files, weights):
        self.finders, self.weights = [finding.Finder(file, stretched=True) for file in files], np.array(weights)

    def __call__(self, square):
        """P×4 boxes and P×81 probabilities."""
        answers = [finder.raw(square) for finder in self.finders]
        edges = sum(weight * edges for weight, (edges, _) in zip(self.weights, answers)) / self.weights.sum()
        shares, sums = np.zeros((len(edges), len(boxes.LABELS)), np.float32), np.zeros(len(boxes.LABELS), np.float32)
        for weight, (_, values) in zip(self.weights, answers):
            shares[:, : values.shape[1]] += weight * values
            sums[: values.shape[1]] += weight
        return edges.astype(np.float32), shares / sums


class Trainer:
    """One run. It continues from `folder/checkpoint.pt`."""

    def __init__(self, net, teacher, maker, folder, steps, batch=8, rate=2e-4):
        self.net, self.teacher, self.maker, self.steps, self.batch, self.rate = net, teacher, maker, steps, batch, rate
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.parameters = [parameter for parameter in net.parameters() if parameter.requires_grad]
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
        """Class targets P×classes; the points that find a box, their boxes and overlaps; the teacher's P boxes, and how
        sure it is of each (0: the box is not kept)."""
        edges, shares = self.teacher(sample.clean)
        points = self.points.numpy()
        truth, labels = sample.truth()
        shares[sample.known(points)] = 0
        named = np.flatnonzero(sample.species(points) >= 0)
        surest = shares[np.ix_(named, boxes.ANIMALS)].max(1)
        shares[np.ix_(named, boxes.ANIMALS)] = 0
        shares[named, sample.species(points)[named]] = surest
        shares[np.ix_(misplaced(edges, truth), boxes.ANIMALS)] = 0
        target, truth, labels = (torch.from_numpy(values) for values in (shares, truth, labels))
        held = target.max(1).values
        with torch.no_grad():
            now = network.corners(network.distances(logits[:, len(boxes.LABELS) :]), self.points, self.strides)
            found, overlap = assigning.assign(
                logits[:, : len(boxes.LABELS)].sigmoid(), now, truth, labels, self.points)
        mine = torch.nonzero(found >= 0).flatten()
        # At an animal the teacher's other animals are wrong, even if these classes are not known there.
        target[mine[:, None], torch.tensor(boxes.ANIMALS)] = 0
        target[mine, labels[found[mine]]] = overlap[mine]
        held[mine] = 0
        return target, mine, truth[found[mine]], overlap[mine], torch.from_numpy(edges), held

    def loss(self, samples):
        """The losses of a batch: classes, boxes and bins of points that find a box, and the kept boxes."""
        x = network.normalised(np.stack([sample.picture for sample in samples]))
        # With the channels last in memory a step takes half as long.
        answers = self.net(x.contiguous(memory_format=torch.channels_last))
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
                 "bins": assigning.BINS_WEIGHT * sum(bins, torch.zeros(())), "kept": sum(kept, torch.zeros(()))}
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


def misplaced(edges, truth):
    """The points whose boxes lie upon animals and fit none of them. edges: P×4, truth: N×4."""
    if not len(truth):
        return np.zeros(0, int)
    shared = np.clip(np.minimum(edges[:, None, 2:], truth[None, :, 2:]) - np.maximum(edges[:, None, :2], truth[None, :, :2]), 0, None)
    shared, extent = shared.prod(-1), np.clip(edges[:, 2:] - edges[:, :2], 0, None).prod(-1)
    upon = (shared.sum(1) > UPON * extent) | (shared > UPON * np.clip(truth[:, 2:] - truth[:, :2], 0, None).prod(-1)).any(1)
    return np.flatnonzero(upon & (boxes.overlaps(edges, truth).max(1) < FITS))


def boxed(photos, teacher):
    """The photos, each with the box of its surest animal, if there is one."""
    for photo in photos:
        picture = photo.picture()
        square = np.asarray(Image.fromarray(picture).resize((network.SIZE, network.SIZE), Image.BILINEAR))
        edges, shares = teacher(square)
        shares = shares[:, boxes.ANIMALS].max(1)
        if shares.max() < SUBJECT_FROM:
            yield photo
            continue
        by = np.array([*picture.shape[1::-1]] * 2, np.float32) / network.SIZE
        edges = np.clip(edges[[shares.argmax()]], 0, network.SIZE) * by
        yield dataclasses.replace(photo, boxes=edges, labels=np.array([photo.species]))


def with_subjects(collection, teacher, folder):
    """The photos without boxes, boxed once by the teacher of this run. A photo's label says that its animal is there, so
    the box is true however unsure the teacher is: to other animals it mostly gives 0.35, and the box is right."""
    if (file := Path(folder) / "subjects.pickle").exists():
        return pickle.loads(file.read_bytes())
    answer = {}
    for name in ("sharp", "photos"):
        groups = {}
        for photo in collection[name]:
            groups.setdefault(photo.species, []).append(photo)
        answer[name] = {
            species: list(boxed(photos, teacher)) if species in boxes.ANIMALS else photos
            for species, photos in groups.items()
        }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(pickle.dumps(answer))
    return answer


def maker(data, collection, subjects, seed):
    """Draws pictures of everything that may be learnt from. Of photos without boxes rare species are drawn more often."""
    known = [photo for photo in boxes.read(Path(data) / "boxes") if not photo.held_back]
    poses, dogs = ([photo for photo in collection[name] if not photo.aside] for name in ("poses", "dogs"))
    sources = [(samples.of_boxes(known), 0.07), (samples.of_collected(poses), 0.2), (samples.of_collected(dogs), 0.2)]
    near, things = [(samples.of_collected(poses), 0.25), (samples.of_collected(dogs), 0.1)], []
    for name, share in (("sharp", 0.38), ("photos", 0.15)):
        roots = {species: len(photos) ** 0.5 for species, photos in subjects[name].items()}
        for species, photos in subjects[name].items():
            part = share * roots[species] / sum(roots.values())
            sources.append((samples.of_collected(photos), part))
            near.append((samples.of_collected([photo for photo in photos if len(photo.boxes)]), part))
        things += subjects[name].get(-1, [])
    return samples.Maker(sources, [(photos, part) for photos, part in near if photos], samples.of_collected(things), seed=seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", choices=("teacher", "student", "candidate"))
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--models", default="../Models")
    parser.add_argument("--mirrors", required=True, help="folder of the repositories that were fetched")
    parser.add_argument("--larger", help="folder with nanodet-plus-m-1.5x_416_int8 in ncnn's format")
    parser.add_argument("--cache", default=".cache/detector")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cache, now = Path(options.cache), Path(options.models) / "menagerie_boxes/menagerie_boxes.onnx"
    if options.network == "candidate":
        net = trainable.mixed(trainable.Trainable(now), trainable.Trainable(cache / "student.onnx"), SHARE)
        for label, by in RAISED.items():
            trainable.raised(net, [boxes.LABELS.index(label)], [by] * len(net.ends))
        (cache / "candidate.onnx").write_bytes(net.written().SerializeToString(deterministic=True))
        return
    objects = json.loads((Path(options.models) / "menagerie/manifest.json").read_text())["heads"]["objects"]
    collection = collected.collect(options.data, options.mirrors, cache, objects)
    if options.network == "teacher":
        public, start = cache / "public.onnx", cache / "larger.onnx"
        if not start.exists():
            for file, net in ((public, network.start(options.larger, name=LARGER)),
                              (start, network.start(options.larger, boxes.ANIMALS[:-1], LARGER))):
                file.write_bytes(unshuffled.unshuffled(graph.build(net)).SerializeToString(deterministic=True))
        net, teacher = trainable.Trainable(start).hold_backbone(), Teacher([now, public], [0.5, 0.5])
    else:
        net, teacher = trainable.Trainable(now), Teacher([now, cache / "teacher.onnx"], [0.3, 0.7])
    draw = maker(options.data, collection, with_subjects(collection, teacher, cache / options.network), options.seed)
    tuned = Trainer(net, teacher, draw, cache / options.network, options.steps).run(lambda text: print(text, flush=True))
    (cache / f"{options.network}.onnx").write_bytes(tuned.written().SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
