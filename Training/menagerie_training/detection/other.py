"""Adds a class to the detector: an animal of a species that COCO has no name for. Everything else stays, bit for bit.

    python -m menagerie_training.detection.other --gallery .cache/gallery --out ../Models/menagerie_boxes

The last convolution of each stride computes the logits of the classes from 96 features of a cell. The new class is
another row of it, which is fitted separately (logistic regression, L-BFGS), so that no other class changes. There are
no boxes of such animals. In photos of one species the detector's boxes of any animal are used instead. The photos are
used alone and, for the finer strides, in mosaics. Photos of cats, dogs, birds, COCO's other animals, things and places
are the negatives.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
import openvino
import torch
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

from ..gallery import kinds
from ..gallery.pack import Gallery
from . import boxes, eight_bits, export, network

#: The tensors that the last convolutions write and read, finest stride first.
LAST, READ = ("t237", "t232", "t227", "t222"), ("t236", "t231", "t226", "t221")
#: The rows of COCO's animals.
ANIMALS = slice(14, 24)
#: The largest number of photos of a kind.
LIMITS = {"cat": 1000, "dog": 1000, "thing": 1500, "bird": 700}
#: Classes of photos that show birds, and classes for which COCO has a class.
POULTRY = {"chicken", "rooster", "cock", "hen", "domestic_chicken"}
KNOWN = {
    "bear", "american_black_bear", "brown_bear", "polar_bear", "ice_bear", "sloth_bear", "elephant", "indian_elephant",
    "african_elephant", "zebra", "giraffe", "horse", "sorrel", "sheep", "ram", "finnsheep", "bighorn", "cow", "cattle", "ox",
    "domestic_cow", "domestic_sheep",
}
MOSAICS, SCENE_WEIGHT, PENALTY = 900, 8.0, 2e-4
#: Subtracted from the biases, finest stride first. On held-back photos of 120 things and 120 cats and dogs, these
#: values give about one false box of another animal.
CAUTION = (0.5, 0.7, 0.3, 0.3)


class Features:
    """Runs the detector on squares. Gives its boxes, the classes' probabilities, and the features of each cell."""

    def __init__(self, file):
        model = onnx.shape_inference.infer_shapes(onnx.load(file))
        model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in READ)
        loaded = openvino.Core().read_model(model.SerializeToString())
        options = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1}
        self.request = openvino.Core().compile_model(loaded, "CPU", options).create_infer_request()

    def __call__(self, square):
        """(P×4 corners in pixels, P×classes, P×96) of a square."""
        found, *maps = self.request.infer([network.normalised(square[None]).numpy()]).to_tuple()
        cells = [values[0].reshape(values.shape[1], -1).T for values in maps]
        return found[0, :, :4].copy(), found[0, :, 4:].copy(), np.concatenate(cells)


def subject(row, names):
    """A row's photo shows `other`, `cat`, `dog`, `bird`, `known`, `scene` or `thing`. None: it is not used."""
    if row["group"] in ("cat", "dog"):
        return row["group"]
    found = kinds.kinds(row, names)
    if row["group"] != "animal":
        return "scene" if "scene" in found else "thing"
    if row["class"] in POULTRY or "bird" in found:
        return "bird"
    if row["class"] in KNOWN:
        return "known"
    return None if found & {"cat", "dog"} else "other"


def places(edges, shares):
    """The boxes of the animals in a photo of one species, N×4, whichever animal the detector takes them for."""
    sure = shares[:, ANIMALS].max(1)
    order, kept = np.argsort(-sure)[:300], []
    for index in order:
        if sure[index] < 0.25 or len(kept) == 6:
            break
        if not kept or boxes.overlaps(edges[index : index + 1], edges[kept]).max() < 0.5:
            kept.append(index)
    if not kept:
        # If the detector hardly sees the animal, its likeliest large box is used.
        extent = np.clip(edges[:, 2:] - edges[:, :2], 0, None).prod(1) / network.SIZE**2
        kept = [index for index in order[:20] if extent[index] > 0.12 and sure[index] > 0.06][:1]
    return np.clip(edges[kept], 0, network.SIZE)


class Cells:
    """Chosen cells of pictures, with the probability that the class must have there."""

    def __init__(self, seed=1):
        self.random, self.points = np.random.default_rng(seed), network.centres()[0]
        counts = [(-(-network.SIZE // stride)) ** 2 for stride in network.STRIDES]
        self.level, self.rows = np.repeat(np.arange(len(counts)), counts), []

    def add(self, answer, animals, weight=1.0):
        """answer: of `Features`; animals: N×4 boxes. Cells inside a box whose own box differs from it are left out."""
        edges, shares, features = answer
        target, used, inside = np.zeros(len(edges)), np.zeros(len(edges), bool), np.zeros(len(edges), bool)
        for box in animals:
            here = ((self.points > box[:2]) & (self.points < box[2:])).all(1)
            match = boxes.overlaps(edges, box[None])[:, 0]
            best = np.flatnonzero(here & (match > 0.6))
            best = best[np.argsort(-match[best])[:10]]
            target[best], inside = np.maximum(target[best], 0.92 * match[best]), inside | here
            used[best] = True
        rest = np.flatnonzero(~used & ~inside)
        doubtful = rest[shares[rest].max(1) > 0.05]
        used[doubtful[np.argsort(-shares[doubtful].max(1))[:30]]] = True
        if len(rest):
            used[self.random.choice(rest, min(len(rest), 25), replace=False)] = True
        self.rows.append((self.level[used], features[used].astype(np.float16), target[used], np.full(used.sum(), weight)))


def gather(gallery, detector, data, share=1.0):
    """Collects the cells for training. share: the used part of the photos of each kind."""
    cells, taught, stored = Cells(), {}, {}
    for position in gallery.where("train"):
        taught.setdefault(subject(gallery.rows[position], gallery.heads["objects"]), []).append(position)
    taught.pop(None, None)

    def square(position, box=None):
        size = (network.SIZE, network.SIZE)
        return np.asarray(Image.fromarray(gallery.photo(position)).resize(size, Image.BILINEAR, box=box))

    for name, positions in taught.items():
        count = int(share * min(LIMITS.get(name, len(positions)), len(positions)))
        for position in cells.random.choice(positions, count, replace=False):
            answer = detector(square(position))
            animals = places(*answer[:2]) if name == "other" else np.zeros((0, 4))
            if name == "other" and not len(animals):
                continue
            stored[int(position)] = name, animals
            cells.add(answer, animals, SCENE_WEIGHT if name == "scene" else 1.0)
            if name == "scene":
                width, height = Image.fromarray(gallery.photo(position)).size
                for top in (0, height / 2):
                    cells.add(detector(square(position, (0, top, width / 2, top + height / 2))), animals, SCENE_WEIGHT)
    others = [position for position, (name, _) in stored.items() if name == "other"]
    rest = [position for position, (name, _) in stored.items() if name not in ("other", "scene")]
    for number in range(int(share * MOSAICS)):
        side = (2, 3, 3, 4, 5, 6)[number % 6]
        lines = np.linspace(0, network.SIZE, side + 1).astype(int)
        picture, animals = np.zeros((network.SIZE, network.SIZE, 3), np.uint8), [np.zeros((0, 4))]
        for row in range(side):
            for column in range(side):
                position = int(cells.random.choice(others if cells.random.random() < 0.55 else rest))
                left, top, right, bottom = lines[column], lines[row], lines[column + 1], lines[row + 1]
                small = Image.fromarray(gallery.photo(position)).resize((right - left, bottom - top), Image.BILINEAR)
                picture[top:bottom, left:right] = small
                scale = np.array([right - left, bottom - top] * 2) / network.SIZE
                animals.append(stored[position][1] * scale + np.array([left, top] * 2))
        cells.add(detector(picture), np.concatenate(animals))
    for photo in boxes.read(Path(data) / "boxes"):
        if not photo.held_back:
            small = Image.fromarray(photo.picture()).resize((network.SIZE, network.SIZE), Image.BILINEAR)
            cells.add(detector(np.asarray(small)), np.zeros((0, 4)))
    return [np.concatenate(values) for values in zip(*cells.rows)]


def fit(features, target, weight, start):
    """(row 96, bias) of one stride by logistic regression. It begins at `start`, and a penalty keeps it near."""
    features, target, weight = (torch.as_tensor(values.astype(np.float32)) for values in (features, target, weight))
    first = torch.as_tensor(start[0])
    row, bias = first.clone().requires_grad_(), torch.tensor(float(start[1])).requires_grad_()
    spread = features.std(0) + 1e-3
    optimiser = torch.optim.LBFGS([row, bias], max_iter=60, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        each = torch.nn.functional.binary_cross_entropy_with_logits(features @ row + bias, target, reduction="none")
        loss = (each * weight).sum() / weight.sum() + PENALTY * ((row - first) * spread).square().sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    return row.detach().numpy(), float(bias.detach())


def widened(model, rows):
    """The detector's file with another class. rows: (row 96, bias) of each stride, finest first."""
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    for name, (row, bias) in zip(LAST, rows):
        for part, value in (("_weight_half", row.reshape(1, -1, 1, 1)), ("_bias", np.array([bias]))):
            tensor = stored[name + part]
            old = numpy_helper.to_array(tensor)
            count = network.CLASSES
            joined = np.concatenate([old[:count], value.astype(old.dtype), old[count:]])
            tensor.CopyFrom(numpy_helper.from_array(joined, tensor.name))
    more = {network.CLASSES: network.CLASSES + 1, network.CLASSES + 4 * network.BINS: network.CLASSES + 1 + 4 * network.BINS}
    for name in ("flat_0_shape", "flat_1_shape", "flat_2_shape", "flat_3_shape", "parts"):
        values = [more.get(value, value) for value in numpy_helper.to_array(stored[name]).tolist()]
        stored[name].CopyFrom(numpy_helper.from_array(np.array(values, np.int64), name))
    model.graph.output[0].type.tensor_type.shape.dim[2].dim_value += 1
    del model.graph.value_info[:]
    onnx.checker.check_model(model, full_check=True)
    return model


def main():
    """Reads the detector with 80 classes. Writes the one with 81 classes and its manifest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gallery", default=".cache/gallery")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--detector", default=".cache/menagerie_boxes2.onnx", help="version 2 of the detector")
    parser.add_argument("--out", default="../Models/menagerie_boxes")
    parser.add_argument("--version", default="3")
    parser.add_argument("--share", type=float, default=1.0, help="part of the photos to learn from")
    options = parser.parse_args()
    torch.set_num_threads(1)
    level, features, target, weight = gather(Gallery(options.gallery), Features(options.detector), options.data, options.share)
    model = onnx.load(options.detector)
    stored = {tensor.name: numpy_helper.to_array(tensor).astype(np.float32) for tensor in model.graph.initializer}
    rows = []
    for number, (name, caution) in enumerate(zip(LAST, CAUTION)):
        start = stored[name + "_weight_half"][ANIMALS, :, 0, 0].mean(0), stored[name + "_bias"][ANIMALS].mean() - 1
        mine = level == number
        row, bias = fit(features[mine], target[mine], weight[mine], start)
        rows.append((row, bias - caution))
    content = eight_bits.packed(widened(model, rows)).SerializeToString(deterministic=True)
    file = Path(options.out) / f"{export.NAME}.onnx"
    file.write_bytes(content)
    told = export.manifest(hashlib.sha256(content).hexdigest(), network.CLASSES + 1, options.version, 0.4)
    (file.parent / "manifest.json").write_text(json.dumps(told, indent=1) + "\n")
    print(f"{file}: {len(content) / 1e6:.2f} MB, {len(target)} cells")


if __name__ == "__main__":
    main()
