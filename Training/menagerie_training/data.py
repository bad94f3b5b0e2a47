"""Index and pack: photos.csv → labels and split per photo, and one uint8 array of all photos.

The array holds every photo squashed to SIDE×SIDE with its width/height stored beside it, so that crops of any shape can
be cut from one block of memory, on a GPU as well (SIDE 192: 2.4 GB for 21,394 photos; the photos' own short sides are
100–200 px).
"""

import csv
import hashlib
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image

from . import labels

SIDE = 192
SHARES = {"test": 0.12, "val": 0.08}


def read_rows(data):
    """The rows of photos.csv as dictionaries."""
    with open(Path(data) / "photos.csv", newline="") as file:
        return list(csv.DictReader(file))


def split(rows, seed):
    """`train`, `val` or `test` for each row: by near-duplicate group, in the same shares within each class.

    Groups are ordered by a hash of the seed and the group's first path, so the same rows always give the same split.
    """
    groups = {}
    for position, row in enumerate(rows):
        groups.setdefault(row["dup"] or row["path"], []).append(position)
    by_class = {}
    for members in groups.values():
        first = min(members, key=lambda p: rows[p]["path"])
        key = hashlib.sha256(f"{seed} {rows[first]['path']}".encode()).hexdigest()
        by_class.setdefault((rows[first]["group"], rows[first]["class"]), []).append((key, members))
    answer = ["train"] * len(rows)
    for stratum in by_class.values():
        if len(stratum) >= 8:
            assign(stratum, answer)
    # Classes with few groups are split together. Separately, all of their photos would go to the training part.
    assign([entry for stratum in by_class.values() if len(stratum) < 8 for entry in stratum], answer)
    return answer


def assign(stratum, answer):
    """Assigns the first groups in the order of their keys to test, the next to val, and the others to train."""
    total = sum(len(members) for _, members in stratum)
    filled = 0
    for _, members in sorted(stratum):
        part = "test" if filled < SHARES["test"] * total else "val" if filled < sum(SHARES.values()) * total else "train"
        for position in members:
            answer[position] = part
        filled += len(members)


def head_classes(data):
    """{head: class names} in the order of the outputs."""
    objects = labels.imagenet_labels(data)
    zoo = [species["id"] for species in labels.zoo_table()] + ["none"]
    return {
        "presence": labels.PRESENCE,
        "cats": labels.CATS,
        "dogs": labels.dogs(objects)[0],
        "zoo": zoo,
        "fruit": labels.FRUIT,
        "objects": objects,
    }


def squash(path):
    """(SIDE×SIDE×3 uint8, width/height) of one photo, or None if it cannot be read."""
    try:
        with Image.open(path) as image:
            image = image.convert("RGB")
            aspect = image.width / image.height
            return np.asarray(image.resize((SIDE, SIDE), Image.BICUBIC)), aspect
    except OSError:
        return None


def build(data, cache, seed=1, workers=2):
    """Writes index.json, labels.npz (int16, −1 none) and photos.npy to the folder `cache`."""
    data, cache = Path(data), Path(cache)
    cache.mkdir(parents=True, exist_ok=True)
    rows = read_rows(data)
    parts = split(rows, seed)
    heads = head_classes(data)
    zoo = labels.zoo_names()
    numbers = {head: np.full(len(rows), -1, np.int16) for head in heads}
    for position, row in enumerate(rows):
        for head, name in labels.targets(row, set(heads["dogs"]), heads["objects"], zoo).items():
            numbers[head][position] = heads[head].index(name)
    array = np.lib.format.open_memmap(cache / "photos.npy", "w+", np.uint8, (len(rows), SIDE, SIDE, 3))
    aspects = np.ones(len(rows), np.float32)
    unreadable = []
    with ProcessPoolExecutor(workers) as pool:
        paths = [str(data / row["path"]) for row in rows]
        for position, answer in enumerate(pool.map(squash, paths, chunksize=64)):
            if answer is None:
                unreadable.append(position)
                for head in numbers:
                    numbers[head][position] = -1
                continue
            array[position], aspects[position] = answer
    array.flush()
    np.savez(cache / "labels.npz", aspect=aspects, part=np.array(parts), **numbers)
    index = {"seed": seed, "side": SIDE, "heads": heads, "unreadable": [rows[p]["path"] for p in unreadable]}
    (cache / "index.json").write_text(json.dumps(index))
    counts = {part: parts.count(part) for part in ("train", "val", "test")}
    print(f"{len(rows)} photos packed, {len(unreadable)} unreadable, {counts}")


class Pack:
    """The packed photos and their labels. `photos` is N×SIDE×SIDE×3 uint8, `labels[head]` N int16 (−1: none)."""

    def __init__(self, data, cache):
        cache = Path(cache)
        self.rows = read_rows(data)
        self.data = Path(data)
        self.heads = json.loads((cache / "index.json").read_text())["heads"]
        self.photos = np.load(cache / "photos.npy", mmap_mode="r")
        stored = np.load(cache / "labels.npz")
        self.aspect, self.part = stored["aspect"], stored["part"]
        self.labels = {head: stored[head].astype(np.int64) for head in self.heads}

    def where(self, part):
        """Positions of the photos of `train`, `val` or `test`."""
        return np.flatnonzero(self.part == part)
