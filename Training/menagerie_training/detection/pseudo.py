"""Boxes that two detectors agree on in photos whose label says what animal they show.

NanoDet-Plus sees a photo and its mirror image, YOLOX-Nano sees the photo. If boxes of both agree, they show the photo's
animal, whichever animal the networks name. A box of only one network stays open: its place counts neither as an animal
nor as background.
"""

import csv
import zlib
from pathlib import Path

import numpy as np
from PIL import Image

from . import boxes

#: The species of `sharp` and `photos` for which COCO has a class.
SPECIES = {
    "bird": "bird chicken domestic_chicken rooster turkey pigeon duck eagle emu flamingo ibis barnacle_goose "
    "blue_and_yellow_macaw eurasian_eagle_owl great_grey_owl indian_peafowl red_crowned_crane snowy_owl white_tailed_eagle "
    "brambling bulbul cock hen goldfinch house_finch indigo_bunting jay junco ostrich robin",
    "horse": "horse", "sheep": "sheep", "cow": "cow cattle", "elephant": "elephant", "zebra": "zebra", "giraffe": "giraffe",
    "bear": "bear brown_bear american_black_bear polar_bear",
}
CLASS_OF = {species: name for name, names in SPECIES.items() for species in names.split()}
#: Classes whose photos may or may not show an animal.
OPEN = {"garfield", "snoopy", "brontosaurus", "stegosaurus", "triceratops", "trilobite", "background_google", "dog", "domestic_cat"}
SURE, AGREED, SEEN = 0.25, 0.6, 0.15
#: The number of photos that are used from each group.
LIMITS = {"cat": 120, "dog": 140, "animal": 140, "object": 100}
SHADOWS = [*boxes.ANIMALS[:-1], boxes.LABELS.index("teddy bear")]


def label_of(row):
    """The class of a photo's animal. None: it shows no animal. -1: unknown."""
    group, name = row["group"], row["class"]
    if group in ("cat", "dog"):
        return boxes.LABELS.index(group)
    if group == "animal":
        return boxes.LABELS.index(CLASS_OF.get(name, boxes.OTHER_ANIMAL))
    return -1 if name in OPEN else None


def chosen(data, limits, seed=0):
    """Rows of `sharp.csv` and of the cats, dogs and animals of `photos.csv` that pseudo-labels are made for."""
    data, rows = Path(data), []
    limits = dict(limits)
    for file, share in (("sharp.csv", 1.0), ("photos.csv", 0.12)):
        with open(data / file, newline="") as lines:
            for row in csv.DictReader(lines):
                # Each photo has its own fixed random number, so that a larger choice contains the smaller one.
                draw = zlib.crc32(f"{seed}{row['path']}".encode()) / 2**32
                if row["group"] in limits and draw < share and not (file == "photos.csv" and row["group"] == "object"):
                    rows.append((draw / share, row))
    rows.sort(key=lambda pair: pair[0])
    picked = []
    for _, row in rows:
        if limits[row["group"]] > 0:
            limits[row["group"]] -= 1
            picked.append(row)
    return picked


def mirrored(edges, width):
    """Boxes of a mirrored picture as boxes of the picture."""
    return np.stack([width - edges[:, 2], edges[:, 1], width - edges[:, 0], edges[:, 3]], 1)


def agreed(picture, nano, yolox):
    """(M×4 boxes of animals that both networks see, K×4 boxes that at least one network takes for an animal)."""
    width = picture.shape[1]
    views = [nano(picture, SEEN), nano(picture[:, ::-1], SEEN), yolox(picture, SEEN)]
    views[1] = (mirrored(views[1][0], width), *views[1][1:])
    found = []
    for edges, labels, shares in views:
        mine = np.isin(labels, SHADOWS)
        # Suppression across classes, since one animal may get boxes of two classes.
        edges, _, shares = suppress_all(edges[mine], shares[mine])
        found.append((edges, shares))
    (first, sure), (second, _), (third, _) = found
    both, left = [], list(np.concatenate([edges for edges, _ in found]))
    for edge, share in zip(first, sure):
        near = [best(edge, others) for others in (second, third)]
        if share >= SURE and all(other is not None for other in near):
            both.append(np.mean([edge, *near], 0))
    both = np.array(both, np.float32).reshape(-1, 4)
    left = np.array(left, np.float32).reshape(-1, 4)
    if len(both) and len(left):
        left = left[boxes.overlaps(left, both).max(1) < AGREED]
    return both, left


def suppress_all(edges, shares):
    """Suppression across all classes."""
    from .finding import suppress

    return suppress(edges, np.zeros(len(edges), int), shares, 0.6)


def best(edge, others):
    """The box among the others that agrees with `edge`, or None."""
    if not len(others):
        return None
    share = boxes.overlaps(edge[None], others)[0]
    return others[share.argmax()] if share.max() >= AGREED else None


def make(data, cache, nano, yolox, limits=LIMITS, log=print):
    """Writes `cache/pseudo.npz`: the photos' bytes in a row, their shapes, boxes, open places and classes."""
    file = Path(cache) / "pseudo.npz"
    if file.exists():
        return file
    photos, shapes, edges, opened, labels, paths = [], [], [], [], [], []
    for number, row in enumerate(chosen(data, limits)):
        label = label_of(row)
        if label == -1:
            continue
        with Image.open(Path(data) / row["path"]) as image:
            picture = np.asarray(image.convert("RGB"))
        both, left = agreed(picture, nano, yolox) if label is not None else (np.zeros((0, 4)), np.zeros((0, 4)))
        if label is not None and not len(both):
            continue
        photos.append(picture.ravel())
        shapes.append(picture.shape[:2])
        edges.append(both)
        opened.append(left)
        labels.append(-1 if label is None else label)
        paths.append(row["path"])
        if len(paths) % 250 == 0:
            log(f"{number} photos seen, {len(paths)} kept")
    Path(cache).mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(".partial.npz")
    np.savez(
        temporary, bytes=np.concatenate(photos), shapes=np.array(shapes), labels=np.array(labels), paths=np.array(paths),
        edges=np.concatenate(edges).astype(np.float32), counts=np.array([len(e) for e in edges]),
        opened=np.concatenate(opened).astype(np.float32), openings=np.array([len(e) for e in opened]),
    )
    temporary.rename(file)
    return file
