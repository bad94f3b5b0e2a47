"""Gives training photos a random size and quality, by one law for every kind of photo, and sizes for measuring.

Photos of pets are larger than those of other things. A network that is trained on them as they are learns that a
blurred photo shows no pet.
"""

import io
import math

import numpy as np
from PIL import Image, ImageFilter

#: The short sides in pixels at which models are measured. 0 is the photo's own size.
SIZES = (0, 96, 160, 224, 400)
FILTERS = (Image.BILINEAR, Image.BICUBIC, Image.LANCZOS, Image.BOX)


def jpeg(image, quality, subsampling=2):
    """The image after a JPEG of that quality."""
    file = io.BytesIO()
    image.save(file, "JPEG", quality=int(quality), subsampling=subsampling)
    return Image.open(file).convert("RGB")


def served(image, size):
    """The service's view of a photo: short side `size`, antialiased triangle filter, centre crop."""
    factor = size / min(image.size)
    width, height = (max(size, int(side * factor + 0.5)) for side in image.size)
    left, top = (width - size) // 2, (height - size) // 2
    return np.asarray(image.resize((width, height), Image.BILINEAR).crop((left, top, left + size, top + size)))


def resized(photo, short, size):
    """The service's view of a photo that is first scaled to the short side `short` and saved as JPEG 90 (0: not)."""
    image = Image.fromarray(photo)
    if short:
        factor = short / min(image.size)
        image = jpeg(image.resize([max(1, round(side * factor)) for side in image.size], Image.LANCZOS), 90)
    return served(image, size)


def window(random, width, height, smallest=0.35, jitter=1.33):
    """The box of a random crop. Its area is a share `smallest`…1 of the photo, its aspect ratio within `jitter` of 1 or
    of the photo's.

    A quarter of the crops is the service's, the centre square.
    """
    if random.random() < 0.25:
        side = min(width, height)
        left, top = (width - side) / 2, (height - side) / 2
        return left, top, left + side, top + side
    area = random.uniform(smallest, 1) * width * height
    ratio = math.exp(random.uniform(-1, 1) * math.log(jitter))
    wide, high = min(width, math.sqrt(area * ratio)), min(height, math.sqrt(area / ratio))
    left, top = random.uniform(0, width - wide), random.uniform(0, height - high)
    return left, top, left + wide, top + high


def drawn(photo, size, random):
    """A training view, size×size×3 uint8, with random crop, resolution, blur, JPEG quality, mirroring and colours.

    random: a numpy Generator. The same generator and photo always give the same view.
    """
    image = Image.fromarray(photo)
    box = window(random, *image.size)
    inside = min(box[2] - box[0], box[3] - box[1])
    # Half of the photos keep their resolution. The others get a lower one, log-uniform from 48 pixels.
    low = min(48.0, inside)
    short = inside if random.random() < 0.5 else math.exp(random.uniform(math.log(low), math.log(max(inside, low))))
    scale = min(1.0, short / inside, 1.4 * size / inside)
    shape = [max(8, round(side * scale)) for side in (box[2] - box[0], box[3] - box[1])]
    image = image.resize(shape, FILTERS[random.integers(len(FILTERS))], box=box)
    if random.random() < 0.15:
        image = image.filter(ImageFilter.GaussianBlur(random.uniform(0.3, 1.2)))
    if random.random() < 0.6:
        image = jpeg(image, random.uniform(35, 95), int(random.integers(3)))
    if random.random() < 0.5:
        image = image.transpose(Image.FLIP_LEFT_RIGHT)
    view = np.asarray(image.resize((size, size), Image.BILINEAR))
    return recoloured(view, random)


def recoloured(view, random, strength=0.25):
    """The view with random brightness, contrast and saturation, within `strength` of 1. One photo in twenty is grey."""
    brightness, contrast, saturation = random.uniform(1 - strength, 1 + strength, 3)
    saturation = 0.0 if random.random() < 0.05 else saturation
    colours = saturation * np.eye(3) + (1 - saturation) * np.array([0.299, 0.587, 0.114])
    flat = view.reshape(-1, 3).astype(np.float32)
    mean = float(flat.mean())
    matrix = (colours * brightness * contrast).astype(np.float32)
    return np.clip(flat @ matrix.T + mean * brightness * (1 - contrast), 0, 255).astype(np.uint8).reshape(view.shape)
