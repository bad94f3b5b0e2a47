"""Collects regions whose word is known, with the answers of detector and classifier. `regions` is fitted on them.

    python -m menagerie_training.detection.region_samples --data ../shared/data --out .cache/regions.npz

They come from photos of one animal, plain and pasted (small, blurred and noisy) on photos of places, from photos of
things, and from photos with boxes. `zoo_more` and the held-back part of the boxes are left out, since they are for
reports.
"""

import argparse
import csv
import hashlib
import io
import json
from pathlib import Path

import numpy as np
import openvino
from PIL import Image, ImageFilter

from ..gallery import kinds as kinds_of
from . import boxes, regions

SIDE, CROP, MARGIN = 416, 192, 0.1
#: Words with few photos. Each of their photos is pasted twice.
RARE = {"elephant", "zebra", "giraffe", "horse", "sheep", "cow", "bear", regions.WILD_CAT, regions.WILD_DOG}
MEAN = np.array([103.53, 116.28, 123.675], np.float32)
STD = np.array([57.375, 57.12, 58.395], np.float32)
#: Classes of photos that are one of COCO's things.
COCO_CLASS = {
    "people": "person", "faces": "person", "teddy": "teddy bear", "laptop": "laptop", "cup": "cup", "chair": "chair",
    "windsor_chair": "chair", "cellphone": "cell phone", "umbrella": "umbrella", "scissors": "scissors", "pizza": "pizza",
    "stop_sign": "stop sign", "soccer_ball": "sports ball", "rugby_ball": "sports ball", "car_side": "car",
    "motorbikes": "motorcycle", "motorcycle": "motorcycle", "airplanes": "airplane", "wine_bottle": "bottle",
    "refrigerator": "refrigerator", "sofa": "couch", "table": "dining table", "schooner": "boat", "ketch": "boat",
    "ferry": "boat", "hotdog": "hot dog", "hair_dryer": "hair drier", "bonsai": "potted plant",
}
#: Classes of photos that others are pasted on.
GROUNDS = {
    "no_animal", "sofa", "table", "refrigerator", "washer", "dishwasher", "windsor_chair", "lamp", "pagoda", "minaret",
    "joshua_tree", "pyramid", "chandelier", "bonsai", "barrel",
}
#: Toys and figures that are not COCO's teddy bears.
TOYS = {"snoopy", "garfield"}


def compiled(file):
    core = openvino.Core()
    return core.compile_model(core.read_model(file), "CPU", {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1})


class Networks:
    """The detector and both stages of the classifier, run as in the service."""

    def __init__(self, models, detector="menagerie_boxes"):
        models = Path(models)
        self.manifest = json.loads((models / "menagerie/manifest.json").read_text())
        self.detector = compiled(models / detector / f"{detector}.onnx")
        self.first = compiled(models / "menagerie/menagerie.onnx")
        self.second = compiled(models / "menagerie" / self.manifest["cascade"]["file"])

    def found(self, picture):
        """(N×4 boxes as fractions of the picture, N×81 probabilities) of the detector."""
        small = picture.resize((SIDE, SIDE), Image.BILINEAR)
        values = (np.asarray(small, np.float32)[:, :, ::-1] - MEAN) / STD
        rows = next(iter(self.detector([np.ascontiguousarray(values.transpose(2, 0, 1)[None])]).values()))[0]
        return np.clip(rows[:, :4] / SIDE, 0, 1), rows[:, 4:]

    def shares(self, picture, box):
        """({head: probabilities}, side in pixels) of the square around a box, which is given as fractions."""
        width, height = picture.size
        side = max((box[2] - box[0]) * width, (box[3] - box[1]) * height, 1) * (1 + 2 * MARGIN)
        across, down = min(1, side / width), min(1, side / height)
        left = min(max((box[0] + box[2]) / 2 - across / 2, 0), 1 - across) * width
        top = min(max((box[1] + box[3]) / 2 - down / 2, 0), 1 - down) * height
        w, h = across * width, down * height
        cut = min(w, h)  # the centre's square
        left, top = left + (w - cut) / 2, top + (h - cut) / 2
        crop = picture.resize((CROP, CROP), Image.BILINEAR, box=(max(left, 0), max(top, 0), min(left + cut, width), min(top + cut, height)))
        values = np.asarray(crop, np.float32).transpose(2, 0, 1)[None] / 127.5 - 1
        first = self.run(self.first, values)
        mine = self.probabilities(first)
        cascade = self.manifest["cascade"]
        answering = max(
            ("zoo", "objects"), key=lambda head: mine[head][: 59 if head == "zoo" else None].max() * (1 if head == "zoo" else 0.5))
        if mine["presence"][0] > 0.5:
            answering = "cats"
        elif mine["presence"][1] > 0.5:
            answering = "dogs"
        # Breeds are no inputs. So a specialist for them is not asked, nor the second stage after it.
        asked = mine["presence"].max() < cascade["asked_below"]["presence"] or (
            answering not in ("cats", "dogs") and mine[answering].max() < cascade["asked_below"][answering])
        if asked:
            second = self.run(self.second, values)
            for name, (one, other) in cascade["weights"].items():
                first[name] = one * first[name] + other * second[name]
            mine = self.probabilities(first)
        return mine, side

    def run(self, model, values):
        return {output.any_name: value[0].astype(np.float64) for output, value in model([values]).items()}

    def probabilities(self, answer):
        shares = {}
        for name in ("presence", "kinds", "cats", "dogs", "zoo", "objects"):
            z = answer[name] / self.manifest["calibration"][name]["temperature"]
            z = np.exp(z - z.max())
            shares[name] = z / z.sum()
        return shares


def kept(edges, shares, least, limit):
    """The indices of the surest boxes after non-maximum suppression across classes."""
    sure = shares.max(1)
    order = np.flatnonzero(sure >= least)
    order = order[np.argsort(-sure[order])][:200]
    result = []
    for index in order:
        if len(result) == limit:
            break
        if not result or boxes.overlaps(edges[index : index + 1], edges[result]).max() < 0.6:
            result.append(index)
    return result


def apart(box, place):
    """Whether less than a tenth of a box is inside a place."""
    both = np.clip(np.minimum(box[2:], place[2:]) - np.maximum(box[:2], place[:2]), 0, None).prod()
    return both < 0.1 * (box[2:] - box[:2]).prod()


class Samples:
    def __init__(self, networks):
        self.networks, self.rows = networks, []

    def add(self, picture, edges, shares, index, word, name, kind, weight=1.0):
        heads, side = self.networks.shares(picture, edges[index])
        truth = len(regions.WORDS) if word is None else regions.WORDS.index(word)
        self.rows.append((
            shares[index].copy(), heads["kinds"], heads["zoo"], heads["objects"], side, truth, boxes.is_held_back(name), kind, weight))

    def save(self, file):
        columns = list(zip(*self.rows))
        names = ("detector", "kinds", "zoo", "objects", "size", "truth", "held", "kind", "weight")
        np.savez_compressed(file, **{
            name: np.array(values, np.float32 if position < 5 else None)
            for position, (name, values) in enumerate(zip(names, columns))})


def word_of(row, names):
    """The word for a photo of one thing. None means `nothing`, and "" means unknown."""
    group, name = row["group"], row["class"]
    if group == "fruit":
        return name if name in boxes.COCO else None
    if group == "object":
        if name in COCO_CLASS:
            return COCO_CLASS[name]
        if name in TOYS:
            return regions.TOY
        return None if "person" not in kinds_of.thing(name) else ""
    found = kinds_of.kinds(row, names)
    if len(found) != 1:
        return "bird" if "bird" in found else ""
    kind = next(iter(found))
    for word in ("cat", "dog", "bird", "wild_cat", "wild_dog"):
        if kind == word:
            return word.replace("_", " ")
    for word, members in (
        ("elephant", "elephant"), ("zebra", "zebra"), ("giraffe", "giraffe"), ("horse", "horse sorrel"),
        ("sheep", "sheep domestic_sheep finnsheep ram bighorn"), ("cow", "cow cattle ox domestic_cow water_buffalo"),
        ("bear", "bear american_black_bear brown_bear polar_bear sloth_bear ice_bear"),
        ("bird", "chicken rooster cock hen domestic_chicken turkey"),
    ):
        if name in members.split():
            return word
    return "" if name in ("panda", "giant_panda", "bison", "okapi", "donkey") else regions.ANIMAL


def spoilt(picture, random):
    """The picture as from a cheap camera: blurred and compressed."""
    if random.random() < 0.6:
        picture = picture.filter(ImageFilter.GaussianBlur(random.uniform(0.3, 1.6)))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=int(random.uniform(25, 85)))
    return Image.open(buffer).convert("RGB")


def pasted(photo, ground, random):
    """Pastes a photo on another one. Returns the picture, and the photo's box as fractions."""
    width, height = 640, 480
    side = max(ground.size)
    ground = ground.resize((int(ground.width * 800 / side), int(ground.height * 800 / side))).resize((width, height))
    length = random.uniform(0.14, 0.75) * height
    scale = length / max(photo.size)
    small = photo.resize((max(8, int(photo.width * scale)), max(8, int(photo.height * scale))), Image.BILINEAR)
    x = int(random.uniform(-0.15 * small.width, width - 0.85 * small.width))
    y = int(random.uniform(-0.1 * small.height, height - 0.85 * small.height))
    mask = Image.new("L", small.size, 0)
    rim = max(1, min(small.size) // 14)
    mask.paste(255, (rim, rim, small.width - rim, small.height - rim))
    ground.paste(small, (x, y), mask.filter(ImageFilter.GaussianBlur(rim)))
    return spoilt(ground, random), np.array([x / width, y / height, (x + small.width) / width, (y + small.height) / height])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--models", default="../Models")
    parser.add_argument("--detector", default="menagerie_boxes", help="folder of the detector in the models")
    parser.add_argument("--out", default=".cache/regions.npz")
    parser.add_argument("--each", type=int, default=40, help="photos of a kind of animal at most")
    options = parser.parse_args()
    data, random = Path(options.data), np.random.default_rng(28)
    samples = Samples(Networks(options.models, options.detector))
    names = samples.networks.manifest["heads"]["objects"]
    by_class = {}
    for row in csv.DictReader((data / "sharp.csv").open()):
        by_class.setdefault((row["group"], row["class"]), []).append(row)
    chosen = []
    for key in sorted(by_class):
        rows = sorted(by_class[key], key=lambda row: hashlib.sha256(row["path"].encode()).hexdigest())
        limit = 200 if key[1] in ("people", "teddy", "no_animal") else options.each if key[0] == "animal" else options.each // 2
        chosen += rows[: {"cat": options.each * 3 // 2, "dog": options.each // 3}.get(key[0], limit)]
    # A ghost on a place that the fit knows would not be held back.
    grounds = {held: [row for row in chosen if row["class"] in GROUNDS and boxes.is_held_back(row["path"]) == held] for held in (False, True)}
    for number, row in enumerate(chosen):
        if number % 100 == 0:
            print(number, len(chosen), len(samples.rows), flush=True)
        word = word_of(row, names)
        if word == "":
            continue
        photo = Image.open(data / row["path"]).convert("RGB")
        is_animal = row["group"] in ("animal", "cat", "dog")
        edges, shares = samples.networks.found(photo)
        places = kept(edges, shares, 0.04, 8)
        extent = (edges[:, 2:] - edges[:, :2]).prod(1)
        main_box = None
        kind = row["group"] if row["group"] != "object" else ("thing" if word else "nothing")
        if places and word is not None:
            main_box = max(places, key=lambda index: shares[index].max() * np.sqrt(extent[index]))
            samples.add(photo, edges, shares, main_box, word, row["path"], kind)
        if word is None:
            for index in places[:4]:
                is_animals = np.argmax(shares[index]) in boxes.ANIMALS
                samples.add(photo, edges, shares, index, None, row["path"], "ghost" if is_animals else "nothing")
        if not is_animal and word not in ("person", "teddy bear"):
            continue
        for _ in range(2 if word in RARE else 1):
            ground = random.choice(grounds[boxes.is_held_back(row["path"])])
            picture, place = pasted(photo, Image.open(data / ground["path"]).convert("RGB"), random)
            target = place
            if main_box is not None:
                w, h = place[2] - place[0], place[3] - place[1]
                target = np.array([place[0], place[1]] * 2) + edges[main_box] * np.array([w, h, w, h])
            target = np.clip(target, 0, 1)
            edges, shares = samples.networks.found(picture)
            places = kept(edges, shares, 0.04, 8)
            taken = False
            for index in places:
                share = boxes.overlaps(edges[index : index + 1], np.stack([target, place]))[0].max()
                if share >= 0.5 and not taken:
                    samples.add(picture, edges, shares, index, word, row["path"], "small " + kind)
                    taken = True
                elif apart(edges[index], place) and np.argmax(shares[index]) in boxes.ANIMALS:
                    samples.add(picture, edges, shares, index, None, row["path"], "ghost")
    for photo in boxes.read(data / "boxes"):
        if photo.held_back:
            continue
        picture = Image.open(photo.path).convert("RGB")
        edges, shares = samples.networks.found(picture)
        truth = photo.boxes / np.array([*picture.size] * 2)
        for index in kept(edges, shares, 0.05, 12):
            share = boxes.overlaps(edges[index : index + 1], truth)[0] if len(truth) else np.zeros(1)
            best = int(share.argmax())
            if share[best] >= 0.5:
                samples.add(picture, edges, shares, index, boxes.LABELS[photo.labels[best]], photo.path.stem, "boxed")
            elif share[best] < 0.1 and np.argmax(shares[index]) in boxes.ANIMALS and len(photo.complete) > 5:
                samples.add(picture, edges, shares, index, None, photo.path.stem, "ghost")
    samples.save(options.out)
    print(len(samples.rows), "regions")


if __name__ == "__main__":
    main()
