"""Films whose content is known, rendered from photos: an animal that the camera pans over, one that passes a place, laps, rooms."""

import csv
import hashlib
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

WIDTH, HEIGHT, RATE = 640, 480, 10


@dataclass
class Film:
    """A film and its content.

    main: allowed words for the largest box; species: allowed labels, or none if not tested; allowed: other words that
    boxes may have; passings: the seconds at which an object is in the middle.
    """

    name: str
    path: Path
    main: set
    species: set = field(default_factory=set)
    allowed: set = field(default_factory=set)
    subjects: int = 1
    passings: list = field(default_factory=list)
    laps: str = ""


def held(name):
    """Whether no photo of that name was used for fitting."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3 == 0


def write(path, frames, rate=RATE):
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(rate),
               "-i", "-", "-c:v", "libx264", "-preset", "veryfast", "-crf", "24", "-pix_fmt", "yuv420p", str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    for frame in frames:
        process.stdin.write(frame.tobytes())
    process.stdin.close()
    if process.wait():
        raise SystemExit(f"ffmpeg failed on {path}")


def grown(photo, side=900):
    scale = side / max(photo.size)
    return photo.resize((int(photo.width * scale), int(photo.height * scale)), Image.BICUBIC)


def pan(photo, seconds, random):
    """A hand-held camera that approaches and sways over a photo, on a floor of the photo's own blurred colours."""
    large = grown(photo)
    canvas = photo.resize((1400, 1100)).filter(ImageFilter.GaussianBlur(40))
    canvas.paste(large, ((1400 - large.width) // 2, (1100 - large.height) // 2))
    phase = random.uniform(0, 6, 4)
    for index in range(int(seconds * RATE)):
        time = index / RATE
        width = 1280 - 330 * (0.5 - 0.5 * np.cos(time * 0.9 + phase[0]))
        height = width * HEIGHT / WIDTH
        x = 700 + 60 * np.sin(time * 0.8 + phase[1]) + random.normal(0, 2)
        y = 550 + 35 * np.sin(time * 1.1 + phase[2]) + random.normal(0, 2)
        box = (max(0, x - width / 2), max(0, y - height / 2), min(1400, x + width / 2), min(1100, y + height / 2))
        frame = canvas.resize((WIDTH, HEIGHT), Image.BILINEAR, box=box)
        yield noisy(frame, random)


def noisy(frame, random):
    values = np.asarray(frame, np.int16) + random.normal(0, 4, (HEIGHT, WIDTH, 1)).astype(np.int16)
    return np.clip(values, 0, 255).astype(np.uint8)


def cut(photo, height):
    """A photo with soft edges and a given height."""
    scale = height / photo.height
    small = photo.resize((max(8, int(photo.width * scale)), height), Image.BILINEAR)
    rim = max(2, min(small.size) // 14)
    mask = Image.new("L", small.size, 0)
    mask.paste(255, (rim, rim, small.width - rim, small.height - rim))
    return small, mask.filter(ImageFilter.GaussianBlur(rim / 2))


def passes(photo, ground, seconds, times, random, height=190, speed=260, rate=RATE):
    """An object that moves through the picture from left to right and is in the middle at the given seconds."""
    small, mask = cut(photo, height)
    place = ground.resize((WIDTH, HEIGHT), Image.BILINEAR)
    for index in range(int(seconds * rate)):
        frame, now = place.copy(), index / rate
        for moment in times:
            x = WIDTH / 2 + (now - moment) * speed - small.width / 2
            if -small.width < x < WIDTH:
                bob = int(6 * np.sin(now * 6))
                frame.paste(small, (int(x), HEIGHT - small.height - 40 + bob), mask)
        yield noisy(frame, random)


class Photos:
    def __init__(self, data):
        self.data = Path(data)
        self.rows = list(csv.DictReader((self.data / "sharp.csv").open()))
        self.zoo = list(csv.DictReader((self.data / "zoo_more.csv").open()))

    def sharp(self, name, group=None):
        """Photos of a class that were not used for fitting."""
        rows = [row for row in self.rows if row["class"] == name and held(row["path"]) and group in (None, row["group"])]
        return sorted((row["path"] for row in rows), key=lambda path: hashlib.sha256(path.encode()).hexdigest())

    def more(self, name):
        return [row["path"] for row in self.zoo if row["class"] == name]

    def open(self, path):
        with Image.open(self.data / path) as image:
            return image.convert("RGB")


ANIMAL = {"animal", "other animal"}
#: Class of photo, its folder, words that a box may have, species that it may have.
PANS = [
    ("siamese", "sharp", {"cat"}, {"siamese"}), ("maine_coon", "sharp", {"cat"}, {"maine_coon"}),
    ("bengal", "sharp", {"cat"}, set()), ("beagle", "sharp", {"dog"}, {"beagle"}), ("pug", "sharp", {"dog"}, {"pug"}),
    ("samoyed", "sharp", {"dog"}, {"samoyed"}), ("elephant", "sharp", {"elephant"}, {"indian_elephant", "african_elephant", "tusker"}),
    ("zebra", "sharp", {"zebra"}, set()), ("brown_bear", "sharp", {"bear"}, {"brown_bear"}),
    ("horse", "sharp", {"horse"}, set()), ("eurasian_lynx", "more", {"wild cat", *ANIMAL}, {"eurasian_lynx"}),
    ("domestic_rabbit", "more", ANIMAL, {"domestic_rabbit", "wood_rabbit", "hare", "angora"}),
    ("green_iguana", "more", ANIMAL, {"green_iguana"}), ("indian_peafowl", "more", {"bird"}, {"indian_peafowl"}),
    ("snowy_owl", "more", {"bird"}, {"snowy_owl"}), ("wolf", "sharp", {"wild dog", *ANIMAL}, set()),
    ("tiger", "sharp", {"wild cat", *ANIMAL}, {"amur_tiger"}), ("moose", "more", ANIMAL, {"moose"}),
    ("giraffe", "sharp", {"giraffe"}, set()), ("sheep", "sharp", {"sheep"}, set()),
]
PASSES = [("siamese", "cat"), ("ragdoll", "cat"), ("beagle", "dog"), ("pug", "dog"), ("elephant", "elephant"), ("zebra", "zebra")]
LAPS = [("siamese", "cat"), ("bengal", "cat"), ("beagle", "dog"), ("golden_retriever", "dog"), ("car_side", "car"),
        ("wine_bottle", "bottle"), ("teddy", "teddy bear")]
GROUNDS = ["sofa", "table", "no_animal", "lamp", "windsor_chair", "refrigerator"]


#: What further a film shows, by eye: (animals of the main kind, other words that are right there).
SEEN = {
    "pan_brown_bear_0": (2, set()), "pan_horse_0": (3, ANIMAL), "pan_horse_1": (2, set()), "pan_wolf_1": (2, set()),
    "pass_pug": (1, {"boat"}), "pass_ragdoll": (1, {"chair", "dining table"}), "laps_siamese": (1, {"boat"}),
    "room_0": (0, {"boat"}), "room_3": (0, {"person"}), "room_4": (0, {"couch"}), "room_5": (0, {"boat"}),
}


def rendered(data, folder, seconds=4):
    """All films. Existing ones are not made again."""
    photos, folder = Photos(data), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    films = []
    random = np.random.default_rng(7)

    def add(film, frames, rate=RATE):
        animals, others = SEEN.get(film.name, (film.subjects, set()))
        # What has left the picture and comes again is followed anew.
        film.subjects = animals * max(1, len(film.passings))
        film.allowed = {*film.allowed, *others}
        if not film.path.exists():
            write(film.path, frames, rate)
        films.append(film)

    grounds = [path for name in GROUNDS for path in photos.sharp(name)[:2]]
    for name, source, main, species in PANS:
        paths = photos.sharp(name) if source == "sharp" else photos.more(name)
        for number, path in enumerate(paths[:2]):
            film = Film(f"pan_{name}_{number}", folder / f"pan_{name}_{number}.mp4", main, species, allowed=set(FRAMED))
            add(film, pan(photos.open(path), seconds, random))
    for number, (name, word) in enumerate(PASSES):
        path, ground = photos.sharp(name)[0], grounds[number % len(grounds)]
        film = Film(f"pass_{name}", folder / f"pass_{name}.mp4", {word}, allowed=set(ROOM))
        add(film, passes(photos.open(path), photos.open(ground), 5, [2.5], random, speed=180))
    for number, path in enumerate(photos.sharp("no_animal")[:6]):
        film = Film(f"room_{number}", folder / f"room_{number}.mp4", set(), subjects=0)
        add(film, pan(photos.open(path), seconds, random))
    for number, (name, word) in enumerate(LAPS):
        paths = photos.sharp(name)
        if not paths:
            continue
        times = [1.5 + (4 + 0.7 * (number % 3)) * turn for turn in range(5)]
        film = Film(f"laps_{name}", folder / f"laps_{name}.mp4", {word}, passings=times, laps=word, allowed=set(ROOM))
        ground = photos.open(grounds[(number + 3) % len(grounds)])
        add(film, passes(photos.open(paths[0]), ground, times[-1] + 2, times, random, speed=380, rate=12), 12)
    return films


#: A photo that is panned over has edges like a screen's, and some show who holds the animal.
FRAMED = ("tv", "laptop", "person")
#: What may stand in a room.
ROOM = "couch,chair,bed,dining table,potted plant,tv,refrigerator,vase,clock,book,bottle,cup,bowl,person,oven,sink,laptop".split(",")


def clips(data):
    """The shared clips with their content."""
    video = Path(data) / "video"
    street = {"car", "truck", "bus", "person", "bicycle", "motorcycle", "traffic light", "stop sign", "backpack", "handbag", "umbrella"}
    return [
        Film("dog_running", video / "dog_running.mp4", {"dog"}, allowed={"person"}),
        Film("black_swan", video / "black_swan.mp4", {"bird"}, {"black_swan"}),
        Film("bus_passing", video / "bus_passing.mp4", {"bus"}, allowed=street),
        Film("two_dogs", video / "two_dogs_play_audio.mp4", {"dog"}, allowed={"person", "dog"}, subjects=4),
        Film("rabbit_toy", video / "rabbit_toy_vp8.webm", {"toy", "teddy bear"}, allowed={"dining table", "person"}),
        Film("bikes", video / "bikes.mp4", street, allowed=street, subjects=99),
        Film("cars", video / "cars_passing.mp4", {"car", "truck", "bus"}, allowed=street, subjects=99),
        Film("bottles", video / "bottles_conveyor.mp4", {"bottle", "cup", "vase", "wine glass"}, allowed={"bottle", "cup", "wine glass", "person"}, subjects=99),
        Film("dashcam", video / "odd_hevc_dashcam.mp4", street, allowed=street | {"train", "boat"}, subjects=99),
    ]
