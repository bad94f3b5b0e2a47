"""The photos for the tests."""

import os
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

from server import PACKAGE

DRAWING = PACKAGE / "Tests/Photos/cat.jpg"
SHARED = Path(os.environ.get("SHARED_FOLDER", PACKAGE.parent / "shared"))

needs_photos = pytest.mark.skipif(
    not (SHARED / "data/photos.csv").exists(),
    reason="needs the shared photos: set SHARED_FOLDER or put them at ../shared")


def photo(group: str, label: str, index: int = 0, folder: str = "photos") -> Path:
    return sorted((SHARED / "data" / folder / group / label).iterdir())[index]


def _converted(source: Path, target: Path, *options: str) -> Path:
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", source, *options, "-frames:v", "1", "-q:v", "3", target], check=True)
    return target


def _turned(source: Path, target: Path) -> Path:
    """A JPEG whose pixels are turned by 90° and whose EXIF orientation (6) turns them back, as from a phone."""
    data = _converted(source, target, "-vf", "transpose=2").read_bytes()
    exif = b"Exif\0\0MM\0*\0\0\0\x08" + struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, 6, 0, 0)
    target.write_bytes(data[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + data[2:])
    return target


def kinds_of_photos(folder: Path) -> dict[str, Path]:
    """Fourteen photos of different kinds, by kind. Generated ones go into `folder`."""
    def sharp(group: str, label: str, index: int) -> Path:
        return photo(group, label, index, "sharp")

    def boxes(number: str) -> Path:
        return SHARED / f"data/boxes/{number}.avif"
    return {
        "cat": sharp("cat", "siamese", 3), "black cat": sharp("cat", "bombay", 1), "dog": sharp("dog", "beagle", 2),
        "red panda": sharp("animal", "red_panda", 1), "snow leopard": sharp("animal", "snow_leopard", 1),
        "three dogs": boxes("0266"), "cat with dog": boxes("0039"), "cup": sharp("object", "cup_or_mug", 2), "man": sharp("object", "person", 3),
        "blurred": _converted(sharp("cat", "maine_coon", 2), folder / "blurred.jpg", "-vf", "gblur=sigma=9"),
        "night": _converted(sharp("cat", "maine_coon", 4), folder / "night.jpg", "-vf", "eq=brightness=-0.4"),
        "drawing": DRAWING,
        "12 megapixels": _converted(sharp("dog", "samoyed", 1), folder / "large.jpg", "-vf", "scale=4000:3000"),
        "rotated": _turned(sharp("dog", "pug", 1), folder / "rotated.jpg"),
    }


def grey_area(folder):
    """A picture that shows nothing: a PNG of 200 × 150 equal pixels."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = (b"\0" + b"\x80" * 200) * 150
    path = folder / "grey.png"
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 200, 150, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b""))
    return path
