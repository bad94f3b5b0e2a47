"""Turns photos into drawings, and changes the style of drawings, since there are few drawings of animals."""

import numpy as np
from PIL import Image, ImageFilter, ImageOps


def grey(values):
    return Image.fromarray(np.repeat(np.clip(values, 0, 255).astype(np.uint8)[..., None], 3, 2))


def stylised(photo, random):
    """A photo as lines, as flat colours with or without lines, or as a pencil drawing."""
    photo.thumbnail((280, 280), Image.LANCZOS)
    plain = ImageOps.grayscale(photo)
    how = random.integers(4)
    if how == 3:
        dark = ImageOps.invert(plain).filter(ImageFilter.GaussianBlur(random.uniform(2, 8)))
        return grey(np.asarray(plain, float) * 255 / (256 - np.asarray(dark, float)))
    fine, coarse = (
        np.asarray(plain.filter(ImageFilter.GaussianBlur(width)), float) for width in (1.0, random.uniform(1.8, 3.2)))
    lines = np.clip(1 + np.minimum(0, fine - coarse + 0.8) * random.uniform(0.2, 0.6), 0, 1)
    if how == 0:
        return grey(lines * 255)
    for _ in range(3):
        photo = photo.filter(ImageFilter.MedianFilter(5))
    flat = photo.quantize(int(random.integers(5, 12)), dither=Image.Dither.NONE).convert("RGB")
    if how == 1:
        return Image.fromarray((np.asarray(flat, float) * lines[..., None]).astype(np.uint8))
    return flat.filter(ImageFilter.ModeFilter(5))


def restyled(drawing, random):
    """A drawing as a silhouette, as outlines, in grey, inverted, or with fewer or different colours."""
    values = np.asarray(drawing, float)
    plain = np.asarray(ImageOps.grayscale(drawing), float)
    corners = np.median(np.stack([values[0, 0], values[0, -1], values[-1, 0], values[-1, -1]]), 0)
    mask = np.abs(values - corners).sum(2) > 60
    how = random.integers(5)
    if how == 0 and 0.03 < mask.mean() < 0.8:
        ink, paper = random.integers(0, 90, 3), random.integers(200, 256, 3)
        if random.random() < 0.3:
            ink, paper = paper, ink
        return Image.fromarray(np.where(mask[..., None], ink, paper).astype(np.uint8))
    if how < 2:
        smooth = np.asarray(grey(plain).convert("L").filter(ImageFilter.GaussianBlur(1)), float)
        return grey(255 - np.hypot(*np.gradient(smooth)) * random.uniform(5, 12))
    if how == 2:
        return grey(plain)
    if how == 3:
        return grey(255 - plain) if random.random() < 0.5 else drawing.quantize(int(random.integers(3, 6))).convert("RGB")
    return Image.fromarray(values[..., random.permutation(3)].astype(np.uint8))
