"""Writes Models/menagerie_boxes/REPORT.md: what the service's detector finds together with the classifier.

    python -m menagerie_training.detection.report http://127.0.0.1:8080 --data ../shared/data --out ../Models/menagerie_boxes

Sends `POST /detect` of a running service the photos with boxes, and pictures of distant animals: small photos pasted
into a landscape.
"""

import argparse
import io
import json
import urllib.request
from pathlib import Path

import numpy as np
from PIL import Image

from . import boxes, measure

#: Classes with at least this many boxes have a row of their own.
ENOUGH = 8
#: The widths in pixels of the small photos in a landscape.
SIDES = (180, 100, 60)
LANDSCAPE = (1800, 1200)
#: A photo is used as a distant animal only if the detector is this sure of it at full size.
KNOWN = 0.6


class Service:
    """`POST /detect` of a running service."""

    def __init__(self, address):
        self.address = address

    def __call__(self, file, query=""):
        """(M×4 boxes as fractions, M classes, M certainties) of a photo's bytes, the surest first."""
        request = urllib.request.Request(
            f"{self.address}/detect?{query}", data=file, headers={"Content-Type": "application/octet-stream"}, method="POST")
        with urllib.request.urlopen(request, timeout=60) as answer:
            found = json.load(answer)["boxes"]
        edges = [(box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]) for box in found]
        labels = [boxes.LABELS.index(box["label"]) for box in found]
        return (
            np.array(edges, np.float32).reshape(-1, 4), np.array(labels, int),
            np.array([box["confidence"] for box in found], np.float32),
        )


def matched(edges, labels, photo):
    """Compares the shown boxes of a photo with its true boxes.

    Returns for each true box whether a shown box of its class matches it, and for each shown box of a completely boxed
    class whether it matches none.
    """
    found = np.zeros(len(photo.boxes), bool)
    wrong = []
    for edge, label in zip(edges, labels):
        if label not in photo.complete:
            continue
        mine = np.flatnonzero((photo.labels == label) & ~found)
        share = boxes.overlaps(edge[None], photo.boxes[mine])[0] if len(mine) else np.zeros(0)
        if len(share) and share.max() >= 0.5:
            found[mine[share.argmax()]] = True
        else:
            wrong.append(label)
    return found, wrong


def precisions(answers, photos):
    """{class: (average precision, boxes)} of the classes with enough boxes."""
    counts = np.bincount(np.concatenate([photo.labels for photo in photos]), minlength=len(boxes.LABELS))
    names = [name for name, count in zip(boxes.LABELS, counts) if count >= ENOUGH]
    return {name: measure.average_precision(answers, photos, boxes.LABELS.index(name)) for name in names}


def near(service, photos):
    """(all boxes, including doubtful ones; boxes that are shown by default) of each photo, in pixels."""
    every, shown = [], []
    for photo in photos:
        rows, columns = photo.picture().shape[:2]
        scale = np.array([columns, rows] * 2, np.float32)
        for found, query in ((every, "threshold=0.01&limit=100"), (shown, "limit=100")):
            edges, labels, shares = service(photo.path.read_bytes(), query)
            found.append((edges * scale, labels, shares))
    return every, shown


def scene(landscape, photo, side, left, top):
    """(JPEG of the landscape with the photo in it, `side` pixels wide; the photo's box as fractions)."""
    rows = max(1, round(side * photo.height / photo.width))
    picture = landscape.copy()
    picture.paste(photo.resize((side, rows), Image.BILINEAR), (left, top))
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=92)
    width, height = picture.size
    return file.getvalue(), np.array([left / width, top / height, (left + side) / width, (top + rows) / height])


def far(service, landscape, photos):
    """{side: (animals, found animals, other boxes)} for distant animals. photos: (bytes, class) of cats and dogs."""
    known = []
    for file, label in photos:
        _, labels, shares = service(file)
        if ((labels == label) & (shares >= KNOWN)).any():
            known.append((Image.open(io.BytesIO(file)).convert("RGB"), label))
    rows = {}
    for side in SIDES:
        found, others = 0, 0
        for number, (photo, label) in enumerate(known):
            left, top = 100 + number * 377 % 1500, 100 + number * 211 % 900
            file, place = scene(landscape, photo, side, left, top)
            edges, labels, _ = service(file)
            share = boxes.overlaps(edges, place[None])[:, 0] if len(edges) else np.zeros(0)
            found += bool(((labels == label) & (share > 0.3)).any())
            others += int((share < 0.1).sum())
        rows[side] = len(known), found, others
    return rows


def lines(parts, distant):
    """Yields the lines of REPORT.md. parts: {title: (photos, every, shown)}; distant: the result of `far`."""
    yield "# What the detector finds"
    yield ""
    yield "Made by `menagerie_training.detection.report` from what `POST /detect` answers, tiles and the classifier's say included."
    for title, (photos, every, shown) in parts.items():
        found, wrong = zip(*(matched(edges, labels, photo) for photo, (edges, labels, _) in zip(photos, shown)))
        yield from ["", f"## {title}", "", "| class | boxes | AP50, % | shown by default, % |", "|---|---|---|---|"]
        truth = np.concatenate([photo.labels for photo in photos])
        hits = np.concatenate(found)
        for name, (value, count) in precisions(every, photos).items():
            if not count:
                continue
            mine = truth == boxes.LABELS.index(name)
            yield f"| {name} | {count} | {100 * value:.1f} | {100 * hits[mine].mean():.1f} |"
        false = [label for part in wrong for label in part]
        animals = sum(label in boxes.ANIMALS for label in false)
        yield ""
        yield (f"Shown boxes of classes that are boxed completely but are on none of that class: {len(false) / len(photos):.2f} a "
               f"photo, {animals / len(photos):.2f} of them animals.")
    yield from ["", "## Far away", "", "Photos of one cat or dog that it knows from near, so wide in a landscape of 1,800 × 1,200; the "
                "animal takes about two thirds of the photo.", "", "| pixels wide | animals | found, % | other boxes a picture |",
                "|---|---|---|---|"]
    for side, (count, found, others) in distant.items():
        yield f"| {side} | {count} | {100 * found / max(1, count):.0f} | {others / max(1, count):.2f} |"


def pets(data, count=24):
    """(bytes, class) of one small photo of each of the first breeds of cats and dogs."""
    found = []
    for group in ("cat", "dog"):
        for folder in sorted((Path(data) / "photos" / group).iterdir())[:count]:
            file = sorted(folder.iterdir())[0]
            found.append((file.read_bytes(), boxes.LABELS.index(group)))
    return found


def main():
    """Writes REPORT.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("service")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--landscape", default="../shared/conformance/images/exif/Landscape_1.jpg")
    parser.add_argument("--out", default="../Models/menagerie_boxes")
    options = parser.parse_args()
    service = Service(options.service)
    photos = [photo for photo in boxes.read(Path(options.data) / "boxes") if photo.held_back]
    parts = {f"{len(photos)} photos held back": (photos, *near(service, photos))}
    landscape = Image.open(options.landscape).convert("RGB").resize(LANDSCAPE, Image.BILINEAR)
    text = "\n".join(lines(parts, far(service, landscape, pets(options.data)))) + "\n"
    (Path(options.out) / "REPORT.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
