"""The photos that the tests scan."""

import os
from pathlib import Path

import pytest

from server import PACKAGE

DRAWING = PACKAGE / "Tests/Photos/cat.jpg"
SHARED = Path(os.environ.get("SHARED_FOLDER", PACKAGE.parent / "shared"))

needs_photos = pytest.mark.skipif(
    not (SHARED / "data/photos.csv").exists(),
    reason="needs the shared photos: set SHARED_FOLDER or put them at ../shared")


def photo(group: str, label: str, index: int = 0) -> Path:
    return sorted((SHARED / "data/photos" / group / label).iterdir())[index]
