"""The real photos for every server, in two sizes: that of a web page and that of a camera."""

import csv
import io
import pathlib

import numpy as np
from PIL import Image

#: Name, width and height in pixels, number of photos.
SIZES = [("500x375", 500, 375, 32), ("12MP", 4000, 3000, 4)]


def sources(photos: pathlib.Path) -> list[pathlib.Path]:
    """The list's photos of cats, dogs and other animals in turn, always in the same order."""
    with open(photos, newline="") as file:
        rows = list(csv.DictReader(file))
    groups = [sorted(row["path"] for row in rows if row["group"] == group) for group in ("cat", "dog", "animal")]
    picked = [group[(place * 37) % len(group)] for place in range(64) for group in groups]
    return [photos.parent / path for path in picked]


def enlarged(file: pathlib.Path, width: int, height: int, seed: int) -> bytes:
    """A JPEG of quality 90, 4:2:0, with added grain. Without grain an enlarged photo would be too easy to decode."""
    picture = Image.open(file).convert("RGB").resize((width, height), Image.Resampling.BICUBIC)
    grain = np.random.default_rng(seed).normal(0, 3, (height, width, 1)).astype(np.float32)
    pixels = (np.asarray(picture, np.float32) + grain).clip(0, 255).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


def prepare(photos: pathlib.Path, folder: pathlib.Path) -> dict[str, list[pathlib.Path]]:
    """Writes the photos of each size to the folder."""
    result: dict[str, list[pathlib.Path]] = {}
    readable = sources(photos)
    for name, width, height, count in SIZES:
        result[name] = []
        for number in range(count):
            path = folder / f"{name}-{number}.jpg"
            path.write_bytes(enlarged(readable[number], width, height, number))
            result[name].append(path)
    return result
