"""Photos with boxes in COCO's format. A fixed split gives a part for training and a part for measuring."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

#: COCO's 80 classes in the order of the network's rows.
COCO = (
    "person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,stop sign,parking meter,bench,"
    "bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,backpack,umbrella,handbag,tie,suitcase,frisbee,skis,snowboard,"
    "sports ball,kite,baseball bat,baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,fork,knife,spoon,"
    "bowl,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,couch,potted plant,bed,dining table,"
    "toilet,tv,laptop,mouse,remote,keyboard,cell phone,microwave,oven,toaster,sink,refrigerator,book,clock,vase,scissors,"
    "teddy bear,hair drier,toothbrush"
).split(",")
OTHER_ANIMAL = "other animal"
LABELS = [*COCO, OTHER_ANIMAL]
ANIMALS = [LABELS.index(name) for name in LABELS[14:24]] + [LABELS.index(OTHER_ANIMAL)]
#: The classes whose boxes are complete in every photo, even if those of other classes are not.
ALWAYS_BOXED = [LABELS.index(name) for name in ("cat", "dog", "horse", "sheep", "cow")]
#: One of this many photos, chosen by the hash of its name, is used only for measuring.
PARTS = 3


@dataclass
class Boxed:
    """A photo: its file, N×4 boxes (left, top, right, bottom in pixels), N classes, the complete classes."""

    path: Path
    boxes: np.ndarray
    labels: np.ndarray
    complete: list
    held_back: bool

    def picture(self):
        """Rows × columns × RGB, uint8."""
        with Image.open(self.path) as image:
            return np.asarray(image.convert("RGB"))


def number(text):
    """A large number that depends only on the text."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def is_held_back(name):
    """Whether the photo of that name is used only for measuring."""
    return number(name) % PARTS == 0


def read(folder):
    """All photos of a folder with `boxes.json`, by name."""
    folder = Path(folder)
    index = json.loads((folder / "boxes.json").read_text())
    names = {entry["id"]: LABELS.index(entry["name"]) for entry in index["categories"]}
    boxes = {}
    for entry in index["annotations"]:
        x, y, width, height = entry["bbox"]
        boxes.setdefault(entry["image_id"], []).append((x, y, x + width, y + height, names[entry["category_id"]]))
    photos = []
    for entry in sorted(index["images"], key=lambda entry: entry["file_name"]):
        values = np.array(boxes.get(entry["id"], []), np.float32).reshape(-1, 5)
        complete = list(names.values()) if entry["complete"] else ALWAYS_BOXED
        photos.append(
            Boxed(folder / entry["file_name"], values[:, :4], values[:, 4].astype(int), complete,
                  is_held_back(entry["file_name"]))
        )
    return photos


def overlaps(first, second):
    """N×4 and M×4 boxes → N×M intersections over unions."""
    edge = np.maximum(first[:, None, :2], second[None, :, :2])
    end = np.minimum(first[:, None, 2:], second[None, :, 2:])
    both = np.clip(end - edge, 0, None).prod(-1)
    areas = [np.clip(boxes[:, 2:] - boxes[:, :2], 0, None).prod(-1) for boxes in (first, second)]
    return both / np.maximum(areas[0][:, None] + areas[1][None] - both, 1e-9)
