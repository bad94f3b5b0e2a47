"""Renders films of known content from photos: the camera pans over an animal, an animal passes, laps, and rooms."""

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

    main: allowed words for the largest box; species: allowed labels, empty if the species is not tested; allowed: other
    words that boxes may have; passings: the seconds at which an object is in the middle.
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
    """Whether the photo of that name was held back from fitting."""
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
    """Yields frames of a hand-held camera that sways and approaches a photo. The blurred photo is the background."""
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
    """A photo scaled to a height in pixels, and a mask with soft edges."""
    scale = height / photo.height
    small = photo.resize((max(8, int(photo.width * scale)), height), Image.BILINEAR)
    rim = max(2, min(small.size) // 14)
    mask = Image.new("L", small.size, 0)
    mask.paste(255, (rim, rim, small.width - rim, small.height - rim))
    return small, mask.filter(ImageFilter.GaussianBlur(rim / 2))


def passes(photo, ground, seconds, times, random, height=190, speed=260, rate=RATE):
    """Yields frames in which an object moves from left to right. It is in the middle at the given seconds."""
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

    def sharp(self, name, group=None, learnt=False):
        """The photos of a class that were held back from fitting. With `learnt`, those that were used for fitting."""
        rows = [row for row in self.rows if row["class"] == name and held(row["path"]) != learnt and group in (None, row["group"])]
        return sorted((row["path"] for row in rows), key=lambda path: hashlib.sha256(path.encode()).hexdigest())

    def more(self, name):
        return [row["path"] for row in self.zoo if row["class"] == name]

    def open(self, path):
        with Image.open(self.data / path) as image:
            return image.convert("RGB")


ANIMAL = {"animal", "other animal"}
#: The class of the photos, their folder, the words that a box may have, the species that it may have.
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


#: Other words that are right in a panned photo: its edges look like a screen's, and some photos show a person.
FRAMED = ("tv", "laptop", "person")
#: Things that may be in a room.
ROOM = "couch,chair,bed,dining table,potted plant,tv,refrigerator,vase,clock,book,bottle,cup,bowl,person,oven,sink,laptop".split(",")


#: What else a person sees in a film: (number of animals of the main kind, other words that are right).
SEEN = {
    "pan_brown_bear_0": (2, set()), "pan_horse_0": (3, ANIMAL), "pan_horse_1": (2, set()), "pan_wolf_1": (2, set()),
    "pass_pug": (1, {"boat"}), "pass_ragdoll": (1, {"chair", "dining table"}), "laps_siamese": (1, {"boat"}),
    "room_0": (0, {"boat"}), "room_3": (0, {"person"}), "room_4": (0, {"couch"}), "room_5": (0, {"boat"}),
    "learn_laps_beagle": (1, {"bicycle"}), "learn_pass_zebra": (1, {"bicycle"}), "learn_room_1": (0, {"person", "bicycle"}),
    "learn_laps_bengal": (1, {"orange", "apple"}), "learn_pass_elephant": (1, {"orange", "apple"}), "learn_room_0": (0, {"orange", "apple"}),
    "learn_laps_golden_retriever": (2, set()), "learn_pan_brown_bear_0": (2, set()), "learn_pan_elephant_1": (2, set()),
    "learn_pan_pug_1": (1, {"cat", "couch", "chair"}), "learn_pan_sheep_1": (2, set()), "learn_pan_wolf_1": (3, set()),
    "learn_pan_samoyed_1": (2, set()), "learn_pan_zebra_0": (2, set()), "learn_pan_zebra_1": (2, set()),
    "learn_room_10": (0, {"apple", "orange", "banana", "carrot", "broccoli"}),
    "learn_room_3": (0, {"sandwich"}), "learn_room_6": (0, {"car", "truck"}), "learn_room_7": (0, {"car", "truck"}),
    "learn_room_4": (0, set(ROOM)), "learn_room_11": (0, set(ROOM)),
    "check_laps_siamese": (1, {"boat"}), "check_pass_pug": (1, {"boat"}), "check_pan_giraffe_1": (2, set()), "check_pan_samoyed_0": (2, set()),
    "check_room_1": (0, {"person", "handbag", "backpack"}), "check_room_2": (0, {"person", "car", "truck"}),
    "check_room_3": (0, {"airplane"}), "check_room_5": (0, {"bowl", "apple", "orange", "banana", "carrot", "broccoli"}),
}


#: The films by purpose: whether they use photos of the fitting, the first photo of each class in `sharp` and in
#: `zoo_more`, and the seed. Rules are chosen on `learn`. `check` is measured only once, at the end.
PARTS = {"report": (False, 0, 0, 7), "learn": (True, 0, 2, 11), "check": (False, 2, 4, 13)}


def rendered(data, folder, seconds=4, part="report"):
    """All films of a part. Existing ones are not made again."""
    photos, folder = Photos(data), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    films = []
    learnt, skipped, skipped_more, seed = PARTS[part]
    prefix = "" if part == "report" else part + "_"
    random = np.random.default_rng(seed)

    def add(name, frames, rate=RATE, **details):
        film = Film(prefix + name, folder / f"{prefix}{name}.mp4", **details)
        animals, others = SEEN.get(film.name, (film.subjects, set()))
        # An object that leaves the picture and returns gets a new track.
        film.subjects = animals * max(1, len(film.passings))
        film.allowed = {*film.allowed, *others}
        if not film.path.exists():
            write(film.path, frames, rate)
        films.append(film)

    def sharp(name, count):
        return photos.sharp(name, learnt=learnt)[skipped:skipped + count]

    grounds = [path for name in GROUNDS for path in photos.sharp(name, learnt=learnt)[:2]]
    for name, source, main, species in PANS:
        paths = sharp(name, 2) if source == "sharp" else photos.more(name)[skipped_more:skipped_more + 2]
        for number, path in enumerate(paths):
            add(f"pan_{name}_{number}", pan(photos.open(path), seconds, random), main=main, species=species, allowed=set(FRAMED))
    for number, (name, word) in enumerate(PASSES):
        for path in sharp(name, 1):
            ground = grounds[number % len(grounds)]
            frames = passes(photos.open(path), photos.open(ground), 5, [2.5], random, speed=180)
            add(f"pass_{name}", frames, main={word}, allowed=set(ROOM))
    rooms = photos.sharp("no_animal", learnt=learnt)[3 * skipped:]
    for number, path in enumerate(rooms[:12 if learnt else 6]):
        add(f"room_{number}", pan(photos.open(path), seconds, random), main=set(), subjects=0)
    for number, (name, word) in enumerate(LAPS):
        for path in sharp(name, 1):
            times = [1.5 + (4 + 0.7 * (number % 3)) * turn for turn in range(5)]
            ground = photos.open(grounds[(number + 3) % len(grounds)])
            frames = passes(photos.open(path), ground, times[-1] + 2, times, random, speed=380, rate=12)
            add(f"laps_{name}", frames, 12, main={word}, passings=times, laps=word, allowed=set(ROOM))
    return films


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
