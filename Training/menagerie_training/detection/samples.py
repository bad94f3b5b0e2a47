"""Makes pictures for training, and says which classes are known at each of their points.

A picture is made of parts: one photo, four photos in a mosaic, a scene with pasted animals, or one animal that fills the
picture. Each part says which classes are known in it, and which class all its animals have. If a class is not known at a point, the point learns from
the teacher's answer.
"""

from dataclasses import dataclass, field
from io import BytesIO

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter

from . import boxes, network

#: A box that a crop cuts counts if at least this share of it remains. Otherwise its place stays open.
LEAST = 0.4
#: The kinds of pictures, each with its share.
KINDS = {"single": 0.36, "mosaic": 0.24, "scene": 0.2, "close": 0.2}
#: The share of pictures that are spoilt.
SPOILT = 0.25
#: The widths of pasted animals, as shares of the picture.
PASTED = 1 / 22, 1 / 3
#: The sides of what a close picture shows, as shares of the animal's box.
CLOSE = 0.55, 1.15


@dataclass
class Photo:
    """A photo with its boxes (N×4 pixels), their classes, the classes that are known everywhere in it, and the class of
    all its animals, if it is known."""

    picture: np.ndarray
    edges: np.ndarray
    labels: np.ndarray
    known: list
    species: int | None = None


@dataclass
class Sample:
    """A square picture with boxes, classes, and for parts of it (left, top, right, bottom) the known classes and the class
    of all animals. `clean` is the picture for the teacher."""

    picture: np.ndarray
    edges: list = field(default_factory=list)
    labels: list = field(default_factory=list)
    opened: list = field(default_factory=list)
    parts: list = field(default_factory=list)
    clean: np.ndarray = None

    def truth(self):
        """N×4 boxes and N classes."""
        return np.array(self.edges, np.float32).reshape(-1, 4), np.array(self.labels, int)

    def known(self, points):
        """P×classes: whether a class is known at a point. A known class without a box is absent."""
        answer = np.zeros((len(points), len(boxes.LABELS)), bool)
        for place, classes, _ in self.parts:
            answer[np.ix_(inside(points, place), classes)] = True
        for place in self.opened:
            answer[inside(points, place)] = False
        return answer

    def species(self, points):
        """P classes: the class of all animals at a point, −1 where it is unknown."""
        answer = np.full(len(points), -1)
        for place, _, species in self.parts:
            answer[inside(points, place)] = -1 if species is None else species
        return answer


def inside(points, place):
    """The numbers of the points inside a rectangle."""
    left, top, right, bottom = place
    x, y = points.T
    return np.flatnonzero((x >= left) & (x < right) & (y >= top) & (y < bottom))


class Maker:
    """Draws pictures. `sources`: lists of photos, each with its share; `subjects`: the same, of photos with a box of an
    animal; `scenes`: photos without animals."""

    def __init__(self, sources, subjects, scenes, size=network.SIZE, seed=0):
        self.sources, self.subjects, self.scenes, self.size = sources, subjects, scenes, size
        self.random = np.random.default_rng(seed)

    def photo(self, sources=None):
        """A photo of a source drawn by its share."""
        lists, shares = zip(*(sources or self.sources))
        photos = lists[self.random.choice(len(lists), p=np.array(shares) / sum(shares))]
        return photos[self.random.integers(len(photos))]()

    def __call__(self):
        kind = self.random.choice(list(KINDS), p=list(KINDS.values()))
        sample = Sample(np.full((self.size, self.size, 3), 0, np.uint8))
        getattr(self, kind)(sample)
        if self.random.random() < 0.5:
            mirror(sample)
        sample.clean = sample.picture = self.coloured(sample.picture)
        if self.random.random() < SPOILT:
            sample.picture = spoilt(sample.picture, self.random)
        return sample

    def single(self, sample):
        """One photo. Half of the photos are stretched over the square, as in the service, the others scaled or cut."""
        photo = self.photo()
        if self.random.random() < 0.5:
            return self.put(sample, photo, (0, 0, self.size, self.size), None)
        self.put(sample, photo, (0, 0, self.size, self.size), 0.95 * float(np.exp(self.random.normal(0, 0.28))))

    def mosaic(self, sample):
        """Four photos around a point."""
        x, y = (int(self.size * self.random.uniform(0.3, 0.7)) for _ in range(2))
        for place in ((0, 0, x, y), (x, 0, self.size, y), (0, y, x, self.size), (x, y, self.size, self.size)):
            self.put(sample, self.photo(), place, float(self.random.uniform(0.8, 1.5)))

    def scene(self, sample):
        """Animals pasted into a photo without animals."""
        scene = self.scenes[self.random.integers(len(self.scenes))]()
        self.put(sample, scene, (0, 0, self.size, self.size), 1.7)
        for _ in range(self.random.integers(1, 6)):
            self.paste(sample, self.photo())

    def close(self, sample):
        """One animal that fills the picture. Whatever is cut, what is left is the animal."""
        photo = self.photo(self.subjects)
        areas = np.array([size_of(edges) for edges in photo.edges]) * np.isin(photo.labels, boxes.ANIMALS)
        chosen = self.random.choice(len(areas), p=areas / areas.sum())
        start, extent = photo.edges[chosen][:2], photo.edges[chosen][2:] - photo.edges[chosen][:2]
        sides = extent * np.clip(self.random.uniform(*CLOSE) * np.exp(self.random.normal(0, 0.12, 2)), *CLOSE)
        start = np.maximum(0, start + (extent - sides) * self.random.random(2)).astype(int)
        rows, columns = photo.picture.shape[:2]
        end = np.minimum([columns, rows], np.ceil(start + sides)).astype(int)
        shift = np.array([*start, *start], np.float32)
        whole = [np.clip(edges, shift, [*end, *end]) - shift if number == chosen else edges - shift
                 for number, edges in enumerate(photo.edges)]
        cut = photo.picture[start[1] : end[1], start[0] : end[0]]
        near = Photo(cut, np.array(whole, np.float32), photo.labels, photo.known, photo.species)
        self.put(sample, near, (0, 0, self.size, self.size), None)

    def put(self, sample, photo, place, scale):
        """Puts a photo into a rectangle. At `scale` 1 its longer side fits, above it is cut. None: it is stretched."""
        left, top, right, bottom = place
        rows, columns = photo.picture.shape[:2]
        wide, high = right - left, bottom - top
        if scale is not None:
            stretch = float(np.exp(self.random.normal(0, 0.15)))
            factor = scale * min(wide / columns, high / rows)
            wide, high = (max(8, round(side * factor * by)) for side, by in ((columns, stretch), (rows, 1 / stretch)))
        shift = [
            left + round((right - left - wide) * self.random.random()),
            top + round((bottom - top - high) * self.random.random()),
        ]
        small = Image.fromarray(photo.picture).resize((wide, high), Image.BILINEAR)
        area = [max(left, shift[0]), max(top, shift[1]), min(right, shift[0] + wide), min(bottom, shift[1] + high)]
        cut = np.asarray(small)[area[1] - shift[1] : area[3] - shift[1], area[0] - shift[0] : area[2] - shift[0]]
        sample.picture[area[1] : area[3], area[0] : area[2]] = cut
        sample.parts.append((area, photo.known, photo.species))
        by = np.array([wide / columns, high / rows] * 2, np.float32)
        for edges, label in zip(photo.edges, photo.labels):
            whole = edges * by + np.array(shift * 2, np.float32)
            seen = np.concatenate([np.maximum(whole[:2], area[:2]), np.minimum(whole[2:], area[2:])])
            share = size_of(seen) / max(size_of(whole), 1e-6)
            if size_of(seen) < 16:
                continue
            if share < LEAST:
                sample.opened.append(seen)
            else:
                sample.edges.append(seen)
                sample.labels.append(int(label))

    def paste(self, sample, photo):
        """Cuts one animal out by its box, and pastes it with soft edges at a free place."""
        if not len(photo.edges):
            return
        index = self.random.integers(len(photo.edges))
        left, top, right, bottom = photo.edges[index]
        margin = self.random.uniform(0, 0.12) * max(right - left, bottom - top)
        rows, columns = photo.picture.shape[:2]
        area = [max(0, int(left - margin)), max(0, int(top - margin)), min(columns, int(right + margin) + 1),
                min(rows, int(bottom + margin) + 1)]
        cut = photo.picture[area[1] : area[3], area[0] : area[2]]
        side = float(np.exp(self.random.uniform(*np.log(PASTED)))) * self.size
        factor = side / max(right - left, bottom - top)
        wide, high = (max(6, round(length * factor)) for length in (cut.shape[1], cut.shape[0]))
        if wide >= self.size or high >= self.size:
            return
        x, y = self.random.integers(self.size - wide), self.random.integers(self.size - high)
        box = np.array([left - area[0], top - area[1], right - area[0], bottom - area[1]], np.float32) * factor
        box += np.array([x, y, x, y], np.float32)
        others = [*sample.edges, *sample.opened]
        if others and boxes.overlaps(box[None], np.array(others, np.float32)).max() > 0.05:
            return
        small = np.asarray(Image.fromarray(cut).resize((wide, high), Image.BILINEAR), np.float32)
        edge = self.random.uniform(0, 0.15)
        ramps = [np.clip(np.minimum(np.arange(n) + 1, n - np.arange(n)) / max(1, n * edge), 0, 1) for n in (high, wide)]
        alpha = (ramps[0][:, None] * ramps[1][None])[..., None]
        under = sample.picture[y : y + high, x : x + wide]
        sample.picture[y : y + high, x : x + wide] = (small * alpha + under * (1 - alpha)).astype(np.uint8)
        sample.edges.append(box)
        sample.labels.append(int(photo.labels[index]))
        sample.parts.append(((x, y, x + wide, y + high), boxes.ANIMALS, None))

    def coloured(self, picture):
        """Changes brightness, contrast, colour, grey, blur and JPEG quality at random."""
        random, image = self.random, Image.fromarray(picture)
        for kind, spread in ((ImageEnhance.Brightness, 0.25), (ImageEnhance.Contrast, 0.25), (ImageEnhance.Color, 0.3)):
            image = kind(image).enhance(float(np.exp(random.normal(0, spread))))
        if random.random() < 0.08:
            image = image.convert("L").convert("RGB")
        if random.random() < 0.15:
            image = image.filter(ImageFilter.GaussianBlur(float(random.uniform(0.4, 1.4))))
        if random.random() < 0.3:
            file = BytesIO()
            image.save(file, "JPEG", quality=int(random.integers(35, 90)))
            image = Image.open(file)
        return np.asarray(image.convert("RGB"))


def mirror(sample):
    """Mirrors a picture together with its boxes, classes and parts."""
    side = sample.picture.shape[1]

    def turned(place):
        left, top, right, bottom = place
        return np.array([side - right, top, side - left, bottom], np.float32)

    sample.picture = sample.picture[:, ::-1]
    sample.edges, sample.opened = [[turned(edge) for edge in edges] for edges in (sample.edges, sample.opened)]
    sample.parts = [(turned(place), *rest) for place, *rest in sample.parts]


def size_of(edge):
    """Area of one box."""
    return float(max(0, edge[2] - edge[0]) * max(0, edge[3] - edge[1]))


def spoilt(picture, random):
    """A square picture behind bars, at night, blurred by motion, or with few pixels."""
    side, image = len(picture), Image.fromarray(picture)
    match random.integers(4):
        case 0:
            period, width, turn = random.uniform(0.06, 0.16) * side, random.uniform(0.15, 0.4), random.uniform(-0.3, 0.3)
            rows, columns = np.mgrid[:side, :side]
            if random.random() < 0.3:
                rows, columns = columns, rows
            bars = ((columns + turn * rows) / period + random.random()) % 1 < width
            return np.where(bars[..., None], random.integers(0, 140, 3), picture).astype(np.uint8)
        case 1:
            grey = np.asarray(image.convert("L"), np.float32)[..., None]
            colour = random.uniform(0, 0.5) * picture + 0.7 * grey
            dark = colour * random.uniform(0.12, 0.5) + random.normal(0, random.uniform(2, 10), picture.shape)
            return np.clip(dark, 0, 255).astype(np.uint8)
        case 2:
            length, kernel = int(random.integers(5, 16)), np.zeros(side)
            kernel[:length] = 1 / length
            axis = int(random.integers(2))
            shape = (-1, 1, 1) if axis == 0 else (1, -1, 1)
            wave = np.fft.rfft(picture.astype(np.float32), axis=axis) * np.fft.rfft(kernel).reshape(shape)
            return np.clip(np.roll(np.fft.irfft(wave, side, axis), -(length // 2), axis), 0, 255).astype(np.uint8)
    few = int(side * random.uniform(0.15, 0.5))
    return np.asarray(image.resize((few, few), Image.BILINEAR).resize((side, side), Image.BILINEAR))


def of_boxes(photos):
    """Functions that read the photos of `boxes.read`."""
    def reader(photo):
        picture = photo.picture()
        return lambda: Photo(picture, photo.boxes, photo.labels, photo.complete)

    return [reader(photo) for photo in photos]


def of_collected(photos):
    """Functions that read photos of `collected.collect`. Other animals than those with boxes may be in them."""
    def reader(photo):
        known, species = (boxes.ANIMALS, None) if photo.species == -1 else ([], photo.species)
        return lambda: Photo(photo.picture(), photo.boxes, photo.labels, known, species)

    return [reader(photo) for photo in photos]
