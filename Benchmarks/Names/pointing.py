"""Measures laps of an object that the user points at. 12 kinds of object pass 4 to 20 times at known times, with other
objects in between.

    python pointing.py --service http://127.0.0.1:8080 --data ../../../shared/data --films pointing [--only red_toy]

Prints a table. A lap counts as found if it is within a frame of the film.
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import films as rendering
from measure import Service

KINDS = ["siamese", "bengal", "beagle", "golden_retriever", "car_side", "motorbikes", "wine_bottle", "teddy", "red_toy",
         "soccer_ball", "snoopy", "umbrella"]
RATE = 25
SPEED = 320


def red_toy():
    """A picture of a toy truck on a sandy ground. No detector has a name for it."""
    picture = Image.new("RGB", (360, 240), (190, 180, 160))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((20, 70, 340, 180), fill=(205, 25, 30))
    draw.rectangle((220, 20, 320, 80), fill=(225, 40, 40))
    draw.rectangle((240, 32, 304, 70), fill=(170, 210, 230))
    for x in (80, 280):
        draw.ellipse((x - 40, 150, x + 40, 230), fill=(30, 30, 34))
    return picture


def film(photos, folder, number, name):
    """Renders a film. Returns its path, the times at which the object is in the middle, and its height there (0…1)."""
    random = np.random.default_rng(100 + number)
    passings = [1.5]
    for _ in range(4 + number * 16 // (len(KINDS) - 1) - 1):
        passings.append(passings[-1] + 3.6 + random.uniform(0, 1.2))
    paths = photos.sharp(name) if name != "red_toy" else []
    thing = photos.open(paths[0]) if paths else red_toy()
    other = photos.open(photos.sharp(KINDS[(number + 5) % len(KINDS)] if KINDS[(number + 5) % len(KINDS)] != "red_toy" else "pug")[0])
    height = 150 + 15 * (number % 4)
    path = folder / f"{name}.mp4"
    if not path.exists():
        grounds = [each for ground in rendering.GROUNDS for each in photos.sharp(ground)[:2]]
        ground = photos.open(grounds[number % len(grounds)])
        strangers = [(one + next) / 2 for one, next in zip(passings, passings[1:])][::2]
        rendering.write(path, frames(thing, other, ground, passings, strangers, height, random), RATE)
    middle = (rendering.HEIGHT - height / 2 - 40) / rendering.HEIGHT
    return path, passings, middle


def frames(thing, other, ground, passings, strangers, height, random):
    place = ground.resize((rendering.WIDTH, rendering.HEIGHT), Image.BILINEAR)
    sprites = [(rendering.cut(thing, height), passings), (rendering.cut(other, height), strangers)]
    for index in range(int((passings[-1] + 2) * RATE)):
        frame, now = place.copy(), index / RATE
        for (small, mask), times in sprites:
            for moment in times:
                x = rendering.WIDTH / 2 + (now - moment) * SPEED - small.width / 2
                if -small.width < x < rendering.WIDTH:
                    frame.paste(small, (round(x), rendering.HEIGHT - height - 40 + int(4 * np.sin(now * 6))), mask)
        yield rendering.noisy(frame, random)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--service", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--films", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--query", default="")
    options = parser.parse_args()
    service, folder = Service(options.service), Path(options.films)
    folder.mkdir(parents=True, exist_ok=True)
    photos = rendering.Photos(options.data)
    print("| kind | passings | laps found | invented | worst, frames | name |\n|---|---|---|---|---|---|")
    for number, name in enumerate(KINDS):
        if options.only and name not in options.only.split(","):
            continue
        path, passings, middle = film(photos, folder, number, name)
        query = f"point=0.5,{middle:.3f}&point_s={passings[0]}&minimum_lap_s=1&every=12.5{options.query}"
        job, _ = service.video(rendering.Film(name, path, set()), query)
        timed = job["laps"]
        truths = [next - one for one, next in zip(passings, passings[1:])]
        starts = {round(each["started_ms"]): each["lap_ms"] for each in timed["laps"]}
        worst, found = 0.0, 0
        for start, truth in zip(passings, truths):
            near = [took for began, took in starts.items() if abs(began / 1000 - start) < 1]
            if near and abs(near[0] / 1000 - truth) * RATE <= 1:
                found += 1
                worst = max(worst, abs(near[0] / 1000 - truth) * RATE)
        print(f"| {name} | {len(passings)} | {found} of {len(truths)} | {len(starts) - found} | {worst:.2f} | {timed['name']} ({timed.get('counting')}) |", flush=True)


if __name__ == "__main__":
    main()
