"""Collects the photos that the detector is tuned on: with boxes from two public repositories, and without boxes.

The repositories are those of `../shared/data/sources`: Animal-Pose (mateusrafael4, `keypoints.json`), and Stanford Dogs
(ksara28, with the boxes of Koorye/stanford-dogs2coco). Photos that are held back are left out, and so is everything that
is nearly the same.
"""

import csv
import gzip
import io
import json
import pickle
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from ..gallery import pack
from . import boxes, region_samples, regions

POSES, DOGS, DOG_BOXES = (
    "mateusrafael4/Atividade_programacao_pose_estimation", "ksara28/dog-breed-classification", "Koorye/stanford-dogs2coco")
#: The longest side and the JPEG quality in which photos are kept.
SIDE, QUALITY = 640, 92
#: One of this many photos with boxes is kept aside for choosing.
ASIDE = {"poses": 6, "dogs": 8}
#: Near duplicates differ in at most so many of 64 bits (`pack.pairs` finds no others).
DISTANCE = 3


@dataclass
class Kept:
    """A photo as JPEG, its N×4 boxes in pixels, their classes, the class of all its animals (None: unknown, -1: it shows
    no animal), and whether it is kept aside."""

    data: bytes
    boxes: np.ndarray
    labels: np.ndarray
    species: int | None
    aside: bool = False

    def picture(self):
        """Rows × columns × RGB, uint8."""
        return np.asarray(Image.open(io.BytesIO(self.data)).convert("RGB"))


def is_aside(name, parts):
    """Whether the photo of that name is kept aside."""
    return boxes.number("aside " + name) % parts == 0


def kept(image, edges, labels, species, aside=False):
    """A photo no larger than `SIDE`. edges: N×4 in pixels of the image."""
    scale = min(1, SIDE / max(image.size))
    if scale < 1:
        image = image.resize([max(1, round(side * scale)) for side in image.size], Image.LANCZOS)
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=QUALITY)
    return Kept(stream.getvalue(), np.array(edges, np.float32).reshape(-1, 4) * scale, np.array(labels, int), species, aside)


def files(mirrors, repository, names):
    """(name, bytes) of files of a repository that was fetched as a bare git folder."""
    folder = next(path.parent for path in (Path(mirrors) / repository.replace("/", "+")).rglob("HEAD"))
    reader = subprocess.Popen(["git", "-C", folder, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for name in names:
        reader.stdin.write(f"HEAD:{name}\n".encode())
        reader.stdin.flush()
        head = reader.stdout.readline().split()
        if len(head) == 3:
            yield name, reader.stdout.read(int(head[2]) + 1)[:-1]
    reader.stdin.close()


def listed(data, repository):
    """The rows of a repository in the list of sources, by file."""
    with gzip.open(Path(data) / "sources/photos.csv.gz", "rt", newline="") as lines:
        return {row["file"]: row for row in csv.DictReader(lines) if row["repository"] == repository}


def poses(data, mirrors):
    """Photos of Animal-Pose."""
    ((_, text),) = files(mirrors, POSES, ["keypoints.json"])
    content = json.loads(text)
    names = {entry["id"]: boxes.LABELS.index(entry["name"]) for entry in content["categories"]}
    found = {}
    for entry in content["annotations"]:
        file = "images/" + content["images"][str(entry["image_id"])]
        found.setdefault(file, set()).add((*entry["bbox"], names[entry["category_id"]]))
    for name, content in files(mirrors, POSES, [name for name in listed(data, POSES) if name in found]):
        values = np.array(sorted(found[name]), np.float32)
        image = ImageOps.exif_transpose(Image.open(io.BytesIO(content))).convert("RGB")
        yield kept(image, values[:, :4], values[:, 4], None, is_aside(name, ASIDE["poses"]))


def dogs(data, mirrors):
    """Photos of Stanford Dogs. The repository stores them as squares; here they have their own shape again."""
    found, dog = {}, boxes.LABELS.index("dog")
    for _, text in files(mirrors, DOG_BOXES, ["instances_train.json", "instances_test.json"]):
        content = json.loads(text)
        images = {entry["id"]: entry for entry in content["images"]}
        for entry in content["annotations"]:
            image = images[entry["image_id"]]
            x, y, width, height = entry["bbox"]
            box = np.array([x, y, x + width, y + height]) / ([image["width"], image["height"]] * 2)
            found.setdefault(Path(image["file_name"]).name, []).append(box)
    rows = listed(data, DOGS)
    for name, content in files(mirrors, DOGS, [name for name in rows if Path(name).name in found]):
        size = int(rows[name]["width"]), int(rows[name]["height"])
        image = Image.open(io.BytesIO(content)).convert("RGB").resize(size, Image.LANCZOS)
        edges = np.array(found[Path(name).name]) * (size * 2)
        yield kept(image, edges, [dog] * len(edges), None, is_aside(Path(name).name, ASIDE["dogs"]))


def species(row, objects):
    """The class of all animals of a photo of `sharp` or `photos`. None: unknown; -1: it shows no animal."""
    word = region_samples.word_of(row, objects)
    if word in (regions.WILD_CAT, regions.WILD_DOG, regions.ANIMAL):
        return boxes.LABELS.index(boxes.OTHER_ANIMAL)
    if word in regions.NAMED:
        return boxes.LABELS.index(word)
    return -1 if word is None else None


def plain(data, objects, name, share=1.0):
    """The photos of `sharp.csv` or `photos.csv` that were not held back, without boxes."""
    with open(Path(data) / f"{name}.csv", newline="") as lines:
        for row in csv.DictReader(lines):
            if not boxes.is_held_back(row["path"]) and boxes.number("take " + row["path"]) % 1000 < 1000 * share:
                with Image.open(Path(data) / row["path"]) as image:
                    yield kept(ImageOps.exif_transpose(image).convert("RGB"), [], [], species(row, objects))


def reserved(data):
    """The fingerprints of all photos that are held back."""
    data, paths = Path(data), []
    for name in ("sharp", "zoo_more"):
        with open(data / f"{name}.csv", newline="") as lines:
            paths += [row["path"] for row in csv.DictReader(lines) if name == "zoo_more" or boxes.is_held_back(row["path"])]
    paths = [data / path for path in paths] + [photo.path for photo in boxes.read(data / "boxes") if photo.held_back]
    prints = []
    for path in paths:
        with Image.open(path) as image:
            prints.append(pack.fingerprint(np.asarray(image.convert("RGB"))))
    return np.array(prints, np.uint64)


def collect(data, mirrors, cache, objects, log=print):
    """{name: photos} of `poses`, `dogs`, `sharp` and `photos`. They are kept in a file."""
    file = Path(cache) / "collected.pickle"
    if file.exists():
        return pickle.loads(file.read_bytes())
    held, answer = reserved(data), {}
    log(f"{len(held)} photos are held back")
    sources = {"poses": poses(data, mirrors), "dogs": dogs(data, mirrors), "sharp": plain(data, objects, "sharp"),
               "photos": plain(data, objects, "photos", 0.5)}
    for name, photos in sources.items():
        photos = list(photos)
        prints = np.array([pack.fingerprint(photo.picture()) for photo in photos], np.uint64)
        near = {two - len(held) for one, two in pack.pairs(np.concatenate([held, prints]), DISTANCE) if one < len(held) <= two}
        answer[name] = [photo for number, photo in enumerate(photos) if number not in near]
        log(f"{name}: {len(answer[name])} photos, {len(near)} left out, {sum(photo.aside for photo in answer[name])} aside")
    Path(cache).mkdir(parents=True, exist_ok=True)
    file.write_bytes(pickle.dumps(answer))
    return answer
