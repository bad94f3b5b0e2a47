"""Decodes all photos once into one block of bytes. Each photo keeps its shape, with a short side of at most `SIDE`."""

import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from . import index

SIDE = 256


def decode(path):
    """One photo as H×W×3 uint8, upright and never enlarged, or None if it cannot be read."""
    try:
        with Image.open(path) as image:
            image = ImageOps.exif_transpose(image).convert("RGB")
            factor = SIDE / min(image.size)
            if factor < 1:
                image = image.resize([max(1, round(side * factor)) for side in image.size], Image.LANCZOS)
            # Only the centre of a panorama is kept, since the network never sees its ends.
            width, height = image.size
            wide, high = min(width, 3 * height), min(height, 3 * width)
            left, top = (width - wide) // 2, (height - high) // 2
            return np.asarray(image.crop((left, top, left + wide, top + high)))
    except (OSError, ValueError):
        return None


def fingerprint(photo):
    """The 64-bit dHash of a photo. Each bit says whether one of 8×8 cells is darker than its right neighbour."""
    grey = np.asarray(Image.fromarray(photo).convert("L").resize((9, 8), Image.BOX), np.int16)
    return np.packbits(grey[:, 1:] > grey[:, :-1]).view(np.uint64)[0]


def read(path):
    """`decode` and `fingerprint`, for a worker process."""
    photo = decode(path)
    return (photo, fingerprint(photo)) if photo is not None else (None, np.uint64(0))


def pairs(prints, distance=3):
    """Pairs of positions whose fingerprints differ in at most `distance` bits. prints: N uint64."""
    found = []
    # If at most three bits differ, at least one of the four 16-bit quarters is equal.
    for quarter in range(4):
        key = (prints >> np.uint64(16 * quarter)) & np.uint64(0xFFFF)
        order = np.argsort(key, kind="stable")
        bounds = np.flatnonzero(np.diff(key[order], prepend=key[order][:1] ^ np.uint64(1)))
        for start, end in zip(bounds, [*bounds[1:], len(order)]):
            members = order[start:end]
            if len(members) < 2:
                continue
            apart = np.bitwise_count(prints[members][:, None] ^ prints[members][None, :])
            for one, other in np.argwhere(np.triu(apart <= distance, 1)):
                found.append((int(members[one]), int(members[other])))
    return sorted(set(found))


def build(folder, cache, ingested=None, workers=1):
    """Writes pixels.bin, shapes.npy, index.json and labels.npz to `cache`."""
    cache = Path(cache)
    cache.mkdir(parents=True, exist_ok=True)
    rows = index.read(folder, ingested)
    shapes, prints, unreadable = np.zeros((len(rows), 3), np.int64), np.zeros(len(rows), np.uint64), []
    offset = 0
    with open(cache / "pixels.partial", "wb") as file, ProcessPoolExecutor(workers) as pool:
        for position, (photo, mark) in enumerate(pool.map(read, [row["path"] for row in rows], chunksize=32)):
            if photo is None:
                unreadable.append(position)
                photo = np.full((SIDE, SIDE, 3), 128, np.uint8)
            shapes[position] = offset, *photo.shape[:2]
            prints[position] = mark
            file.write(photo.tobytes())
            offset += photo.size
            if position % 2000 == 0:
                print(position, "of", len(rows), flush=True)
    (cache / "pixels.partial").rename(cache / "pixels.bin")
    np.savez(cache / "shapes.npz", shapes=shapes, prints=prints, unreadable=np.array(unreadable, np.int64))
    label(folder, cache, ingested)


def label(folder, cache, ingested=None):
    """Writes labels and split of packed photos again. A change in `kinds` or `index` needs no new decoding."""
    cache = Path(cache)
    rows = index.read(folder, ingested)
    stored = np.load(cache / "shapes.npz")
    # Photos of fruit on white have similar fingerprints, so only the near-duplicates of their list count.
    out = set(stored["unreadable"].tolist()) | {p for p, row in enumerate(rows) if row["group"] == "fruit"}
    near = [pair for pair in pairs(stored["prints"]) if not out & set(pair)]
    group = index.groups(rows, near)
    part = index.split(rows, group)
    numbers, heads = index.targets(rows, folder)
    for position in stored["unreadable"]:
        part[position] = "none"
    np.savez(cache / "labels.npz", part=part, near=group, **numbers)
    (cache / "index.json").write_text(json.dumps({"rows": rows, "heads": heads}))
    counts = {f"{origin} {name}": sum(1 for row, p in zip(rows, part) if row["origin"] == origin and p == name)
              for origin in index.ORIGINS for name in ("train", "val", "test", "none")}
    print(len(rows), "photos", len(near), "further near pairs", counts)


class Gallery:
    """Packed photos. `labels[head]` is N int64 (−1 none), `labels["kinds"]` N×13 bool, `part` and `rows` as in `index`."""

    def __init__(self, cache):
        cache = Path(cache)
        stored = json.loads((cache / "index.json").read_text())
        self.rows, self.heads, self.cache = stored["rows"], stored["heads"], cache
        self.shapes = np.load(cache / "shapes.npz")["shapes"]
        self.pixels = np.memmap(cache / "pixels.bin", np.uint8, "r")
        arrays = np.load(cache / "labels.npz")
        self.part, self.near = arrays["part"], arrays["near"]
        self.labels = {head: arrays[head] if head == "kinds" else arrays[head].astype(np.int64) for head in self.heads}
        self.origin = np.array([row["origin"] for row in self.rows])

    def photo(self, position):
        """H×W×3 uint8, a view."""
        offset, height, width = self.shapes[position]
        return self.pixels[offset : offset + height * width * 3].reshape(height, width, 3)

    def where(self, *parts):
        """Positions of the photos of these parts."""
        return np.flatnonzero(np.isin(self.part, parts))
