"""Photos of two classes to train on."""

import io
import random
import struct
import zipfile

SIDE = 64
COLOURS = {"apple": (40, 30, 200), "banana": (50, 210, 240)}


def archive(confusing: bool, first: int = 0) -> bytes:
    """A ZIP with a folder for each class. A confusing one has the same pictures in both, so that answers are wrong.

    Another `first` gives other photos of the same classes.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for place, (label, colour) in enumerate(COLOURS.items()):
            for index in range(3):
                picture = bitmap((0, 90 * index, 200 - 90 * index) if confusing else colour, seed=first + index)
                # No photo may be in two classes; what follows a picture no reader looks at.
                file.writestr(f"{label}/{index}.bmp", picture + bytes(place))
    return content.getvalue()


def bitmap(colour: tuple[int, int, int], seed: int) -> bytes:
    chance = random.Random(seed)
    pixels = bytes(min(max(level + chance.randint(-30, 30), 0), 255) for _ in range(SIDE * SIDE) for level in colour)
    head = b"BM" + struct.pack("<IIIIiiHHIIiiII", 54 + len(pixels), 0, 54, 40, SIDE, SIDE, 1, 24, 0, len(pixels), 0, 0, 0, 0)
    return head + pixels
