"""Stores both stages' features of drawings, of drawings in other styles, and of photos turned into drawings."""

import csv
import hashlib
from pathlib import Path

import numpy as np
from PIL import Image

from ..cascade import pair, second
from ..gallery import law
from ..gallery.pack import Gallery
from . import restyled, sources, words

#: For each drawing with a known word: the number of views (the first is the service's) and of restyled views. For each
#: word: the number of photos that are turned into drawings.
VIEWS, RESTYLED, STYLISED = 3, 3, 150


def seed(text):
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def jobs(rows, gallery):
    """(path or position, source, word, number of the view). A source `re_…` means a restyled picture."""
    for number, (path, source, word) in enumerate(rows):
        if source in sources.HELD or word == words.BACKGROUND:
            yield path, source, word, 0
        elif word == words.OTHER or source.startswith("pacs"):
            yield path, source, word, number % 2
        else:
            yield from ((path, source, word, view) for view in range(2 if source == "doodle" else VIEWS))
            if source not in ("doodle", "pacs_sketch"):
                yield from ((path, "re_" + source, word, view) for view in range(RESTYLED))
    members = {}
    for position, row in enumerate(gallery.rows):
        if gallery.part[position] == "train" and row["class"] not in words.DRAWN and (word := words.of_photo(row)):
            members.setdefault(word, []).append(position)
    random = np.random.default_rng(5)
    for word, positions in sorted(members.items()):
        yield from ((int(place), "stylised", word, 1) for place in random.permutation(positions)[:STYLISED])


def view(job, gallery, folder):
    """192×192×3 uint8."""
    path, source, _, number = job
    random = np.random.default_rng(seed(f"{path}{source}{number}"))
    if source == "stylised":
        image = restyled.stylised(Image.fromarray(gallery.photo(path)), random)
    else:
        image = Image.open(folder / path).convert("RGB")
        if source.startswith("re_"):
            return law.drawn(np.asarray(restyled.restyled(image, random)), pair.SIZE, random)
    return law.drawn(np.asarray(image), pair.SIZE, random) if number else law.served(image, pair.SIZE)


def run(options):
    """Writes seen.npz beside drawings.csv."""
    folder = Path(options.rendered)
    with (folder / "drawings.csv").open(newline="") as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    gallery = Gallery(options.gallery)
    net = second.ViTTiny.load(Path(options.backbones) / second.ViTTiny.FILE)[0]
    network = pair.Pair(str(Path(options.models) / "menagerie.onnx"), second.ViTTiny, net)
    every, found = list(jobs(rows, gallery)), {}
    for start in range(0, len(every), 64):
        views = np.stack([view(job, gallery, folder) for job in every[start : start + 64]])
        for name, values in network(views).items():
            found.setdefault(name, []).append(values)
    names = zip(("path", "source", "word"), zip(*(map(str, job[:3]) for job in every)))
    np.savez(
        folder / "seen.npz", **{name: np.array(values) for name, values in names},
        **{name: np.concatenate(found[name]) for name in ("features", "vit")})
    print(len(every), "views")
