"""Measures how right a running service names boxes, tracks, taps and laps.

    python measure.py --service http://127.0.0.1:8080 --data ../../../shared/data --films films [--only films,taps]

The photos and films were not used for fitting (`films.held`), or come from `zoo_more` and the held-out boxes.
"""

import argparse
import asyncio
import concurrent.futures
import io
import json
import subprocess
import time
import urllib.parse
import urllib.request
from collections import Counter
from pathlib import Path

import numpy as np
import websockets
from PIL import Image

import films as rendering

COCO_ANIMALS = "bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe".split(",")
ANIMAL_WORDS = {*COCO_ANIMALS, "animal", "other animal", "wild cat", "wild dog"}


class Service:
    def __init__(self, address):
        self.address = address.rstrip("/")

    def ask(self, method, path, body=None, kind="application/octet-stream"):
        request = urllib.request.Request(self.address + path, data=body, method=method, headers={"Content-Type": kind})
        for _ in range(60):
            try:
                with urllib.request.urlopen(request, timeout=600) as answer:
                    text = answer.read()
                    return json.loads(text) if text else {}
            except urllib.error.HTTPError as error:
                if error.code != 503:
                    raise SystemExit(f"{method} {path}: {error.code} {error.read()[:300]}") from error
                time.sleep(0.5)
        raise SystemExit(f"{path}: always busy")

    def detect(self, picture, query=""):
        return self.ask("POST", f"/detect?{query}", jpeg(picture), "image/jpeg")["boxes"]

    def classify(self, picture, query="save=false"):
        return self.ask("POST", f"/classify?{query}", jpeg(picture), "image/jpeg")

    def video(self, film, query=""):
        """Uploads a film and waits. Returns the finished job and its tracks."""
        kind = "video/webm" if film.path.suffix == ".webm" else "video/mp4"
        job = self.ask("POST", f"/videos?save=false&{query}", film.path.read_bytes(), kind)
        while job["state"] in ("waiting", "working"):
            time.sleep(0.2)
            job = self.ask("GET", job["url"])
        tracks = self.ask("GET", job["tracks_url"]) if job["state"] == "done" else {"items": [], "scenes": []}
        return job, tracks


def jpeg(picture):
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=92)
    return buffer.getvalue()


def overlap(a, b):
    w = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
    h = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
    both = max(0, w) * max(0, h)
    return both, a["width"] * a["height"], b["width"] * b["height"]


def is_twin(track, others):
    """Whether a track overlaps a longer one for most of its life."""
    for other in others:
        if other is track or len(other["boxes"]) < len(track["boxes"]) or (
            len(other["boxes"]) == len(track["boxes"]) and other["track"] > track["track"]):
            continue
        places = {box["at_ms"]: box for box in other["boxes"]}
        shared = [overlap(box, places[box["at_ms"]]) for box in track["boxes"] if box["at_ms"] in places]
        inside = sum(both > 0.7 * min(first, second) for both, first, second in shared)
        if inside > 0.5 * len(track["boxes"]):
            return True
    return False


def judge(film, tracks, duration):
    """(share of frames whose largest box is right, false tracks, species right or None, words)."""
    frames = {}
    for track in tracks:
        for box in track["boxes"]:
            frames.setdefault(box["at_ms"], []).append((box["width"] * box["height"], track))
    def rank(entry):
        return entry[0] * (0 if film.subjects < 9 and entry[1]["label"] in film.allowed - film.main else 1), entry[1]["track"]
    largest = [(max(found, key=rank)[1], at) for at, found in frames.items()]
    # In a live view each box has its own name. In a finished film the track's name is that of all its boxes.
    right = sum(next(box for box in track["boxes"] if box["at_ms"] == at).get("label", track["label"]) in film.main
                for track, at in largest)
    false, counted = 0, 0
    # A box of an allowed thing, such as a table, is not a second box of the animal in front of it.
    rivals = [track for track in tracks if track["label"] not in film.allowed - film.main]
    for track in sorted(tracks, key=lambda track: -len(track["boxes"])):
        if track["last_ms"] - track["first_ms"] < 500:
            continue
        if track["label"] in film.main and not is_twin(track, rivals) and counted < film.subjects:
            counted += 1
        elif track["label"] in film.allowed and not is_twin(track, [t for t in tracks if t["label"] == track["label"]]):
            pass
        else:
            false += 1
    species = None
    if film.species:
        mains = [track for track in tracks if track["label"] in film.main]
        if mains:
            track = max(mains, key=lambda track: len(track["boxes"]))
            named = (track.get("species") or track.get("breed") or {}).get("label")
            species = named in film.species
        else:
            species = False
    words = Counter()
    for track in tracks:
        words[track["label"] + (":" + (track.get("species") or track.get("breed") or {}).get("label", "") if track.get("species") or track.get("breed") else "")] += len(track["boxes"])
    return right / max(1, len(frames)), false, species, words


async def shown(service, film):
    """Sends a film to `/live` with ten frames per second of the film's time, and returns its duration and tracks.

    A track has the name that was shown for the longest time. Each box keeps the name that it had.
    """
    width, height = (int(value) for value in subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "csv=p=0", film.path],
        check=True, capture_output=True, text=True).stdout.strip().strip(",").split(","))
    data = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", film.path, "-vf", "fps=10", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        check=True, capture_output=True).stdout
    frames = np.frombuffer(data, np.uint8).reshape(-1, height, width, 3)
    tracks = {}
    async with websockets.connect(service.address.replace("http", "ws") + "/live", max_size=None, open_timeout=60) as socket:
        for number, frame in enumerate(frames):
            message = {"type": "problem"}
            # A busy machine may refuse a frame.
            while message["type"] != "answer":
                if message["type"] == "problem":
                    await socket.send(json.dumps({"type": "frame", "at_ms": 100 * number}))
                    await socket.send(jpeg(Image.fromarray(frame)))
                message = json.loads(await asyncio.wait_for(socket.recv(), 120))
            for box in message["boxes"]:
                track = tracks.setdefault(box["track"], dict(track=box["track"], first_ms=100 * number, boxes=[]))
                track["last_ms"] = 100 * number
                kind = box.get("species") or box.get("breed")
                track["boxes"].append({**{key: box[key] for key in ("x", "y", "width", "height", "label", "confidence")},
                                       "at_ms": 100 * number, "kind": kind and kind["label"]})
    for track in tracks.values():
        track["label"] = Counter(box["label"] for box in track["boxes"]).most_common(1)[0][0]
        kind = track["boxes"][-1]["kind"]
        if kind:
            track["species"] = {"label": kind}
    return len(frames) / 10, sorted(tracks.values(), key=lambda track: track["track"])


def measure_live(service, all_films, options):
    """Measures the films as a live camera. A wrong name counts even if the service corrects it later."""
    shares, false, minutes, species, wrong = [], 0, 0, [], 0
    for film in all_films:
        duration, tracks = asyncio.run(shown(service, film))
        share, ghosts, named, words = judge(film, tracks, duration)
        right = Counter(box["label"] in film.main | film.allowed for track in tracks for box in track["boxes"])
        seen = len({box["at_ms"] for track in tracks for box in track["boxes"]})
        if film.main and "pan_" in film.name:
            shares.append(share * min(1, seen / max(1, int(duration * 10) - 2)))
        false += ghosts
        wrong += right[False] / 10
        minutes += duration / 60
        if named is not None:
            species.append(named)
        print(f"{film.name:24} right {share:5.2f} seen {seen}/{int(duration * 10)} false {ghosts} wrong boxes {right[False]} "
              f"species {named} {dict(words.most_common(6))}", flush=True)
        if options.out:
            (Path(options.out) / ("live_" + film.name + ".json")).write_text(json.dumps({"items": tracks}))
    if shares:
        print(f"== live, films of one animal: right name {100 * np.mean(shares):.1f} % of the time ({len(shares)} films)")
    print(f"== live, false tracks a minute: {false / max(minutes, 1e-9):.1f} ({false} in {minutes:.1f} min)")
    print(f"== live, seconds of a box with a wrong name, a minute: {wrong / max(minutes, 1e-9):.1f}")
    if species:
        print(f"== live, species or breed at the end: {sum(species)} of {len(species)}")


def measure_films(service, all_films, options):
    shares, false, minutes, species = [], 0, 0, []
    for film in all_films:
        if film.laps and "laps" not in film.name:
            continue
        query = "every=10" + (f"&laps={urllib.parse.quote(film.laps)}&minimum_lap_s=1" if film.laps else "")
        job, found = service.video(film, query)
        tracks = found["items"]
        duration = job.get("duration_s") or 0
        share, wrong, named, words = judge(film, tracks, duration)
        frames = int(duration * 10)
        seen = len({box["at_ms"] for track in tracks for box in track["boxes"]})
        if film.main and not film.laps and "pan_" in film.name:
            shares.append(share * min(1, seen / max(1, frames - 2)))
        false += wrong
        minutes += duration / 60
        if named is not None:
            species.append(named)
        line = f"{film.name:24} right {share:5.2f} seen {seen}/{frames} false {wrong} species {named} {dict(words.most_common(6))}"
        if film.laps:
            laps = (job.get("laps") or {}).get("laps", [])
            expected = len(film.passings) - 1
            errors = []
            for number, lap in enumerate(laps):
                if number + 1 < len(film.passings):
                    errors.append(round(lap["lap_ms"] - 1000 * (film.passings[number + 1] - film.passings[number])))
            line += f" LAPS {len(laps)} of {expected} errors ms {errors}"
        print(line, flush=True)
        if options.out:
            (Path(options.out) / (film.name + ".json")).write_text(json.dumps(found))
    if shares:
        print(f"== films of one animal: right name {100 * np.mean(shares):.1f} % of the time ({len(shares)} films)")
    print(f"== false tracks a minute: {false / max(minutes, 1e-9):.1f} ({false} in {minutes:.1f} min)")
    if species:
        print(f"== species or breed of the main track: {sum(species)} of {len(species)}")


#: True words that are wider than the name of a species.
WIDER = {
    "wild cat": "snow_leopard amur_tiger amur_leopard asiatic_lion eurasian_lynx pallass_cat european_wildcat tiger lion leopard puma",
    "wild dog": "arctic_fox wolf fox", "bear": "brown_bear", "sheep": "finnsheep sheep",
    "bird": "snowy_owl great_grey_owl eurasian_eagle_owl white_tailed_eagle cinereous_vulture indian_peafowl emu red_crowned_crane "
    "barnacle_goose domestic_chicken blue_and_yellow_macaw",
}
SAME = {"tiger": "amur_tiger", "lion": "asiatic_lion", "leopard": "amur_leopard", "rabbit": "domestic_rabbit", "hedgehog": "european_hedgehog"}
SPECIES = {"wolf": {"timber_wolf", "white_wolf", "red_wolf", "coyote"}, "fox": {"red_fox", "kit_fox", "grey_fox", "arctic_fox"},
           "domestic_rabbit": {"wood_rabbit", "hare", "angora"}, "european_bison": {"bison"}, "puma": {"cougar"}}


def is_true(name, label):
    """Whether a label is right for a photo of a class, or a true wider word."""
    name = SAME.get(name, name)
    if label == name or label in SPECIES.get(name, ()):
        return True
    wide = next((word for word, names in WIDER.items() if name in names.split()), None)
    return label in ("animal", "other animal", "other_animal") or label == wide


def zoo_photos(photos):
    """(class, path) of each photo of a zoo animal that was not used for fitting."""
    result = []
    names = sorted({row["class"] for row in photos.zoo} - {"british_shorthair", "korat", "maine_coon", "ragdoll", "sand_cat"})
    for name in names:
        result += [(name, path) for path in photos.more(name)[:2]]
    for name in ("wolf", "fox", "tiger", "lion", "meerkat", "snow_leopard", "brown_bear", "red_panda", "emu"):
        result += [(name, path) for path in photos.sharp(name)[:2]]
    return result


async def tap(service, picture, x=0.5, y=0.5, frames=8):
    address = service.address.replace("http", "ws") + "/live"
    async with websockets.connect(address, max_size=None) as socket:
        data, label = jpeg(picture), None
        answer = {}
        for number in range(frames):
            if number == 1:
                await socket.send(json.dumps({"type": "tap", "id": "t", "x": x, "y": y}))
            await socket.send(data)
            while True:
                message = json.loads(await asyncio.wait_for(socket.recv(), 120))
                if message["type"] == "label":
                    label = message
                if message["type"] == "answer":
                    answer = message
                    label = next((one for one in message["labels"] if one["id"] == "t"), label)
                    break
        return label, answer


def measure_taps(service, photos, options):
    right, stable, wrong = 0, 0, []
    chosen = zoo_photos(photos)[:96]
    for name, path in chosen:
        label, answer = asyncio.run(tap(service, letterboxed(photos.open(path))))
        said = (label or {}).get("label")
        species = ((label or {}).get("species") or {}).get("label")
        good = bool(said) and is_true(name, said) or bool(species) and is_true(name, species)
        right += good
        stable += is_true(name, (answer.get("stable") or {}).get("label"))
        if not good:
            wrong.append((name, said, (answer.get("stable") or {}).get("label"), [(b["label"], b["confidence"]) for b in answer["boxes"]]))
    for entry in wrong:
        print("  tap", *entry)
    print(f"== taps: {right} of {len(chosen)} right ({stable} stable)")
    empty = [path for path in photos.sharp("no_animal")[:12]]
    silent, said = 0, []
    for path in empty:
        label, _ = asyncio.run(tap(service, letterboxed(photos.open(path)), 0.5, 0.5))
        if (label or {}).get("label") in (None,):
            silent += 1
        else:
            said.append((label["label"], label["confidence"]))
    print(f"== taps on places: {silent} of {len(empty)} say nothing; others {said}", flush=True)


def letterboxed(photo, width=640, height=480):
    scale = min(width / photo.width, height / photo.height)
    small = photo.resize((int(photo.width * scale), int(photo.height * scale)), Image.BICUBIC)
    frame = Image.new("RGB", (width, height), (110, 110, 110))
    frame.paste(small, ((width - small.width) // 2, (height - small.height) // 2))
    return frame


def measure_largest(service, photos, options):
    """Compares the largest box with the right answers of `/classify`."""
    chosen = []
    for name in sorted({row["class"] for row in photos.zoo} - {"sand_cat", "korat"}):
        chosen += [(name, path) for path in photos.more(name)[:3]]
    for name in ("snow_leopard", "brown_bear", "meerkat", "lion", "tiger", "leopard", "emu", "red_panda", "pygmy_marmoset"):
        chosen += [(name, path) for path in photos.sharp(name)[:2]]
    for group in ("cat", "dog"):
        rows = [row["path"] for row in photos.rows if row["group"] == group and rendering.held(row["path"])]
        chosen += [(group, path) for path in sorted(rows, key=lambda p: p[::-1])[:40]]
    asked, right, two, wrong = 0, 0, 0, []
    cats = {"british_shorthair", "maine_coon", "ragdoll"}

    def one(entry):
        name, path = entry
        picture = photos.open(path)
        answer = service.classify(picture)
        first = (answer["predictions"] or [{"label": ""}])[0]["label"]
        if name in ("cat", "dog") or name in cats:
            known = answer["species"] == (name if name in ("cat", "dog") else "cat")
        else:
            known = answer["head"] in ("zoo", "objects") and is_true(name, first) and not answer["abstained"]
        if not known:
            return None
        boxes = service.detect(picture)
        return name, path, first, boxes

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(one, chosen):
            if not found:
                continue
            name, path, first, boxes = found
            asked += 1
            largest = max(boxes, key=lambda box: box["width"] * box["height"], default=None)
            said = largest and largest["label"]
            species = largest and (largest.get("species") or {}).get("label")
            if name in ("cat", "dog") or name in cats:
                good = said == (name if name in ("cat", "dog") else "cat")
            else:
                good = species == first or bool(said) and said not in ("animal", "other animal") and is_true(name, said) or (
                    bool(species) and is_true(name, species))
            right += good
            animals = [box for box in boxes if box["label"] in ANIMAL_WORDS]
            two += len(animals) > 1
            if not good:
                wrong.append((name, path, said, species, len(boxes)))
    for entry in wrong:
        print("  largest", *entry)
    print(f"== largest box: {right} of {asked} right; of photos of one animal {two} have two or more", flush=True)


def boxed(data):
    index = json.loads((data / "boxes/boxes.json").read_text())
    names = {entry["id"]: entry["name"] for entry in index["categories"]}
    photos = {entry["id"]: dict(entry, boxes=[]) for entry in index["images"]}
    for entry in index["annotations"]:
        photos[entry["image_id"]]["boxes"].append((names[entry["category_id"]], entry["bbox"]))
    return list(photos.values())


def measure_counts(service, data, options):
    counts = {"dog": [0, 0], "cat": [0, 0]}
    misses = []
    for photo in boxed(data):
        words = Counter(name for name, _ in photo["boxes"])
        for word, least in (("dog", 3), ("cat", 2)):
            if words[word] < least or (not rendering.held(photo["file_name"]) and word == "dog" and not options.all):
                continue
            with Image.open(data / "boxes" / photo["file_name"]) as image:
                boxes = service.detect(image.convert("RGB"), "limit=100&tiles=auto" if options.tiles else "limit=100")
            found = sum(box["label"] == word for box in boxes)
            counts[word][0] += found == words[word]
            counts[word][1] += 1
            if found != words[word]:
                misses.append((photo["file_name"], word, words[word], dict(Counter(box["label"] for box in boxes))))
    for entry in misses:
        print("  count", *entry)
    print(f"== counts right: dogs {counts['dog'][0]} of {counts['dog'][1]}, cats {counts['cat'][0]} of {counts['cat'][1]}", flush=True)


def average_precision(rows, count):
    rows.sort(key=lambda row: -row[0])
    hits = np.cumsum([row[1] for row in rows])
    precision = np.maximum.accumulate((hits / np.arange(1, len(rows) + 1))[::-1])[::-1]
    return float((np.diff(np.concatenate([[0], hits / count])) * precision).sum())


def measure_precision(service, data, options):
    rows, totals = {}, Counter()
    chosen = [photo for photo in boxed(data) if rendering.held(photo["file_name"])]

    def one(photo):
        with Image.open(data / "boxes" / photo["file_name"]) as image:
            picture = image.convert("RGB")
        return photo, service.detect(picture, "limit=100&threshold=0.03")

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for photo, found in pool.map(one, chosen):
            for word in ("cat", "dog", "horse", "sheep", "cow"):
                truth = [dict(x=b[0] / photo["width"], y=b[1] / photo["height"], width=b[2] / photo["width"], height=b[3] / photo["height"])
                         for name, b in photo["boxes"] if name == word]
                totals[word] += len(truth)
                taken = set()
                for box in sorted((box for box in found if box["label"] == word), key=lambda box: -box["confidence"]):
                    best, index = 0, None
                    for number, other in enumerate(truth):
                        both, first, second = overlap(box, other)
                        share = both / (first + second - both)
                        if number not in taken and share > best:
                            best, index = share, number
                    hit = best >= 0.5
                    if hit:
                        taken.add(index)
                    rows.setdefault(word, []).append((box["confidence"], hit))
    print("== AP50", {word: round(100 * average_precision(rows.get(word, [(0, False)]), totals[word]), 1) for word in totals}, dict(totals), flush=True)


def measure_far(service, photos, options):
    random = np.random.default_rng(3)
    for word, names in (("cat", ["siamese", "bengal", "ragdoll", "persian"]), ("dog", ["beagle", "pug", "samoyed", "collie"]),
                        ("horse", ["horse"]), ("car", ["car_side"])):
        paths = [path for name in names for path in photos.sharp(name)[:3]][:12]
        good = 0
        for number, path in enumerate(paths):
            ground = photos.open(photos.sharp("no_animal")[number % 8]).resize((1600, 1200), Image.BICUBIC)
            photo = photos.open(path)
            small = photo.resize((60, max(8, int(photo.height * 60 / photo.width))), Image.LANCZOS)
            x, y = int(random.uniform(200, 1300)), int(random.uniform(300, 1000))
            ground.paste(small, (x, y))
            target = dict(x=x / 1600, y=y / 1200, width=60 / 1600, height=small.height / 1200)
            for box in service.detect(ground, "tiles=auto&limit=100"):
                both, first, second = overlap(box, target)
                if box["label"] == word and both / (first + second - both) > 0.3:
                    good += 1
                    break
        print(f"== far, 60 px: {word} {good} of {len(paths)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--service", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--films", required=True, help="folder for the rendered films")
    parser.add_argument("--out", help="folder for the tracks of each film")
    parser.add_argument("--only", default="films,clips,largest,counts,ap,taps,far")
    parser.add_argument("--match", default="", help="only films whose name has this")
    parser.add_argument("--part", default="report", choices=rendering.PARTS, help="which films are rendered")
    parser.add_argument("--all", action="store_true", help="count in all boxed photos, also those that were learnt from")
    parser.add_argument("--tiles", action="store_true")
    options = parser.parse_args()
    if options.out:
        Path(options.out).mkdir(parents=True, exist_ok=True)
    service, data = Service(options.service), Path(options.data)
    photos, wanted = rendering.Photos(data), options.only.split(",")
    films = rendering.rendered(data, options.films, part=options.part) if {"films", "live"} & {*wanted} else []
    films = [film for film in films if any(part in film.name for part in options.match.split(","))]
    if "films" in wanted:
        measure_films(service, films, options)
    if "live" in wanted:
        measure_live(service, films, options)
    if "clips" in wanted:
        measure_films(service, [f for f in rendering.clips(data) if options.match in f.name], options)
    if "largest" in wanted:
        measure_largest(service, photos, options)
    if "counts" in wanted:
        measure_counts(service, data, options)
    if "ap" in wanted:
        measure_precision(service, data, options)
    if "taps" in wanted:
        measure_taps(service, photos, options)
    if "far" in wanted:
        measure_far(service, photos, options)


if __name__ == "__main__":
    main()
