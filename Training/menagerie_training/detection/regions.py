"""Fits the weights by which detector and classifier together name a region of a picture, and defines the vocabulary.

    python -m menagerie_training.detection.regions --data ../shared/data --samples .cache/regions.npz

The vocabulary is a list of words: COCO's 80 things, wild cats, wild dogs, animals of all other kinds and toys. `nothing`
stands for everything else. The decision is a multinomial logistic regression on the logarithms of both networks'
probabilities. Each animal, a person, a toy, things and `nothing` have weights of their own. What tells one thing from
another are its own score and ImageNet's classes for it; all things weigh these alike. The weights are found by maximum
likelihood on regions whose word is known (`region_samples`). A third of these, by the hash of the photo's name, is used
only for measuring. The weights go into the classifier's manifest under `regions`.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from .boxes import COCO

WILD_CAT, WILD_DOG, ANIMAL, TOY = "wild cat", "wild dog", "animal", "toy"
NAMED = COCO[14:24]
ANIMALS = (*NAMED, WILD_CAT, WILD_DOG, ANIMAL)
WORDS = (*COCO, WILD_CAT, WILD_DOG, ANIMAL, TOY)
THING, NOTHING, OTHER = "thing", "nothing", "other animal"
#: The words with weights of their own. `THING` stands for all others.
GROUPS = (*ANIMALS, "person", TOY, THING, NOTHING)
#: The scores of the detector that are inputs by themselves.
DETECTED = (*NAMED, OTHER, "person", "teddy bear")

#: ImageNet has 118 dogs and five cats, and its networks take many cats for dogs. So it only says: one of both.
PETS = [(151, 268), (281, 285)]
#: The rows of ImageNet's classes for each word, as ranges with both ends included.
ROWS = {
    "bird": [(7, 24), (80, 100), (127, 146)], "dog": PETS, "cat": PETS, WILD_DOG: [(269, 280)],
    WILD_CAT: [(286, 293)], "bear": [(294, 297)], "horse": [(339, 339)], "zebra": [(340, 340)], "cow": [(345, 346)],
    "sheep": [(348, 349)], "elephant": [(101, 101), (385, 386)],
    ANIMAL: [(0, 6), (25, 68), (70, 79), (102, 126), (147, 150), (298, 338), (341, 344), (347, 347), (350, 384), (387, 397)],
}
#: The common animals behind ImageNet's classes (`cascade.everyday`), for each word.
EVERYDAY = {
    "horse": "horse", "cow": "cow", "giraffe": "giraffe", "bird": "pigeon turkey duck", WILD_CAT: "caracal ocelot clouded_leopard",
    ANIMAL: "deer donkey rhinoceros kangaroo dolphin raccoon octopus okapi gerenuk seahorse",
}
#: ImageNet's things for each word.
THINGS = {
    "person": "ballplayer groom scuba_diver",
    "bicycle": "bicycle_built_for_two mountain_bike",
    "car": "ambulance beach_wagon cab convertible jeep limousine minivan model_t racer sports_car police_van",
    "motorcycle": "moped motor_scooter", "airplane": "airliner warplane",
    "bus": "minibus school_bus trolleybus",
    "train": "bullet_train steam_locomotive electric_locomotive passenger_car freight_car streetcar",
    "truck": "fire_engine garbage_truck moving_van pickup tow_truck trailer_truck",
    "boat": "canoe catamaran speedboat gondola lifeboat fireboat yawl trimaran schooner container_ship liner pirate",
    "traffic light": "traffic_light", "stop sign": "street_sign", "parking meter": "parking_meter", "bench": "park_bench",
    "backpack": "backpack", "umbrella": "umbrella", "handbag": "purse", "tie": "windsor_tie bow_tie", "skis": "ski",
    "sports ball": "soccer_ball basketball baseball rugby_ball volleyball tennis_ball golf_ball croquet_ball ping_pong_ball",
    "tennis racket": "racket",
    "bottle": "beer_bottle wine_bottle water_bottle pop_bottle pill_bottle whiskey_jug lotion",
    "wine glass": "red_wine goblet", "cup": "cup coffee_mug espresso", "knife": "cleaver letter_opener",
    "spoon": "wooden_spoon ladle", "bowl": "mixing_bowl soup_bowl", "banana": "banana", "apple": "granny_smith",
    "orange": "orange", "broccoli": "broccoli", "hot dog": "hotdog", "pizza": "pizza",
    "chair": "rocking_chair folding_chair barber_chair throne", "couch": "studio_couch", "potted plant": "pot",
    "bed": "four_poster", "dining table": "dining_table", "toilet": "toilet_seat", "tv": "television screen monitor",
    "laptop": "laptop notebook", "mouse": "mouse", "remote": "remote_control",
    "keyboard": "computer_keyboard typewriter_keyboard", "cell phone": "cellular_telephone hand_held_computer ipod",
    "microwave": "microwave", "toaster": "toaster", "sink": "washbasin", "refrigerator": "refrigerator",
    "book": "comic_book book_jacket", "clock": "analog_clock digital_clock wall_clock", "vase": "vase",
    "teddy bear": "teddy", "hair drier": "hand_blower",
}
#: The species of the zoo for each word. Species that are not listed have no such word.
ZOO = {
    WILD_CAT: "snow_leopard amur_tiger amur_leopard asiatic_lion eurasian_lynx pallass_cat european_wildcat",
    WILD_DOG: "arctic_fox", "bear": "brown_bear", "sheep": "finnsheep", "horse": "przewalskis_horse",
    "bird": "snowy_owl great_grey_owl eurasian_eagle_owl white_tailed_eagle bearded_vulture cinereous_vulture indian_peafowl "
    "emu red_crowned_crane barnacle_goose domestic_chicken blue_and_yellow_macaw",
}
#: Added to a probability before its logarithm is taken. Probabilities below this carry no more information.
FLOOR = {"detector": 0.02, "kinds": 0.003, "zoo": 0.01, "objects": 0.002}
#: The weight of a region in the fit, by kind of sample. Other kinds have the weight 1. There are many ghosts. Photos
#: with boxes are few and most like the photos that the service gets.
COUNTS = {"ghost": 0.3, "nothing": 0.6, "boxed": 4.0}
#: Of the squared weights, in units of the inputs' deviations; and of the distance of things' own weights from one.
PENALTY = 1e-3


def table(manifest):
    """{word: {"zoo": [...], "objects": [...]}} in the classifier's labels; objects as indices."""
    objects = manifest["heads"]["objects"]
    head = manifest["heads"]["zoo"]
    zoo = [
        name for row, name in enumerate(head["labels"])
        if row != head["background"] and head["status"].get(name, {}).get("status") != "not_yet"
    ]
    words = {}
    placed = {name for names in ZOO.values() for name in names.split()}
    for word in WORDS:
        rows = [row for first, last in ROWS.get(word, []) for row in range(first, last + 1)]
        rows += [objects.index(name) for names in (THINGS, EVERYDAY) for name in names.get(word, "").split()]
        species = [name for name in ZOO.get(word, "").split() if name in zoo]
        if word == ANIMAL:
            species = [name for name in zoo if name not in placed]
        words[word] = {"zoo": species, "objects": rows}
    return words


class Vocabulary:
    """The table as matrices, words × classes of each head, and the names of the inputs by their source."""

    def __init__(self, manifest):
        words, heads = table(manifest), manifest["heads"]
        zoo = heads["zoo"]["labels"]
        self.zoo = np.zeros((len(WORDS), len(zoo)))
        self.objects = np.zeros((len(WORDS), len(heads["objects"])))
        for row, word in enumerate(WORDS):
            self.zoo[row, [zoo.index(name) for name in words[word]["zoo"]]] = 1
            self.objects[row, words[word]["objects"]] = 1
        self.group = np.array([GROUPS.index(word if word in GROUPS else THING) for word in (*WORDS, NOTHING)])
        self.things = self.group[:-1] == GROUPS.index(THING)
        animals = np.isin(WORDS, ANIMALS)
        self.species = np.flatnonzero(self.zoo.any(1))
        self.classed = np.flatnonzero(self.objects.any(1) & animals)
        self.inputs = {
            "detector": [*DETECTED, THING, "any"],
            "kinds": heads["kinds"]["labels"],
            "zoo": [WORDS[row] for row in self.species],
            "objects": [*(WORDS[row] for row in self.classed), THING, NOTHING],
            "crop": ["trust", "size"],
        }


def level(share, name):
    return np.log(np.maximum(share, 0) / FLOOR[name] + 1)


def features(vocabulary, detector, kinds, zoo, objects, size):
    """The inputs N × I, in the order of `vocabulary.inputs`, and what tells things apart, N × words × 4.

    detector: N × 81 probabilities; kinds, zoo, objects: N × classes, zoo with its background; size: the crop's side in
    pixels.
    """
    labels = (*COCO, OTHER)
    trust = np.clip(size / 64, 0.2, 1)[:, None]
    seen = objects @ vocabulary.objects.T
    whole = objects @ vocabulary.objects.any(0)
    own = detector[:, :80]
    of_things = own[:, vocabulary.things[:80]].max(1, keepdims=True)
    inputs = np.concatenate([
        level(detector[:, [labels.index(name) for name in DETECTED]], "detector"),
        level(of_things, "detector"), level(detector.max(1, keepdims=True), "detector"),
        trust * level(kinds, "kinds"), trust * level(zoo @ vocabulary.zoo[vocabulary.species].T, "zoo"),
        trust * level(seen[:, vocabulary.classed], "objects"),
        trust * level(seen[:, vocabulary.things].sum(1, keepdims=True), "objects"),
        trust * level(1 - whole[:, None], "objects"),
        trust, np.log(np.maximum(size, 1))[:, None],
    ], 1)
    things = np.zeros((len(detector), len(WORDS), 4))
    things[:, :80, 0], things[:, :80, 1] = level(own, "detector"), own
    things[..., 2] = trust * level(seen, "objects")
    things[..., 3] = ~vocabulary.objects.any(1)
    return inputs, things * vocabulary.things[:, None]


class Weights:
    """`sums`: inputs × groups; `bias`: groups; `things`: 4, of a thing's own score and its classes."""

    def __init__(self, values, vocabulary):
        self.vocabulary = vocabulary
        self.sums, self.bias = values[: -len(GROUPS) - 4].reshape(-1, len(GROUPS)), values[-len(GROUPS) - 4 : -4]
        self.things = values[-4:]

    def logits(self, inputs, things):
        """N × (words + 1), `nothing` last."""
        z = (inputs @ self.sums + self.bias)[:, self.vocabulary.group]
        z[:, :-1] += things @ self.things
        return z


def softmax(z):
    z = np.exp(z - z.max(1, keepdims=True))
    return z / z.sum(1, keepdims=True)


def fit(vocabulary, inputs, things, truth, weight, uses_detector=True):
    """The weights of greatest likelihood with a penalty, for plain inputs."""
    mean, deviation = inputs.mean(0), inputs.std(0) + 1e-6
    scaled = (inputs - mean) / deviation
    used, start = np.ones(scaled.shape[1], bool), np.array([1.0, 1.0, 1.0, 0.0])
    if not uses_detector:
        used[: len(vocabulary.inputs["detector"])] = False
        start[:2] = 0
    scaled = scaled[:, used]
    size, rows = scaled.shape[1] * len(GROUPS), np.arange(len(truth))
    share = weight / weight.sum()
    groups = np.eye(len(GROUPS))[vocabulary.group]

    def loss(values):
        found = Weights(values, vocabulary)
        p = softmax(found.logits(scaled, things))
        value = -(share * np.log(p[rows, truth] + 1e-12)).sum()
        p[rows, truth] -= 1
        error = p * share[:, None]
        each = error @ groups
        away = found.things - start
        gradient = np.concatenate([
            (scaled.T @ each + 2 * PENALTY * found.sums).ravel(), each.sum(0),
            np.einsum("nw,nwf->f", error[:, :-1], things) + 2 * PENALTY * away,
        ])
        gradient[-4:-2] *= uses_detector
        return value + PENALTY * ((found.sums**2).sum() + (away**2).sum()), gradient

    start_values = np.concatenate([np.zeros(size + len(GROUPS)), start])
    found = Weights(minimize(loss, start_values, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x, vocabulary)
    sums = np.zeros((len(used), len(GROUPS)))
    sums[used] = found.sums / deviation[used, None]
    return Weights(np.concatenate([sums.ravel(), found.bias - mean @ sums, found.things]), vocabulary)


def calibration_error(p, truth, bins=15):
    """The expected calibration error of the likeliest word."""
    best, sure = p.argmax(1), p.max(1)
    right = best == truth
    edges = np.minimum((sure * bins).astype(int), bins - 1)
    return sum(abs(sure[edges == b].sum() - right[edges == b].sum()) for b in range(bins)) / len(truth)


def report(name, p, truth, kind):
    best = p.argmax(1)
    print(f"{name}: {len(truth)} regions, right {np.mean(best == truth):.3f}, ECE {calibration_error(p, truth):.3f}")
    for value in sorted(set(kind)):
        mine = kind == value
        print(f"  {value:12} {mine.sum():5} right {np.mean(best[mine] == truth[mine]):.3f} "
              f"of truth's probability {np.mean(p[mine, truth[mine]]):.3f}")


def manifest_section(manifest, together, closer):
    """The manifest's section `regions`."""
    words = table(manifest)
    objects = manifest["heads"]["objects"]

    def rounded(values):
        return [round(float(value), 4) for value in values]

    def part(found):
        names = [f"{source}.{name}" for source, names in found.vocabulary.inputs.items() for name in names]
        groups = {
            group: {"bias": bias, "weights": {name: value for name, value in zip(names, rounded(sums)) if value}}
            for group, bias, sums in zip(GROUPS, rounded(found.bias), found.sums.T)
        }
        return {"things": dict(zip(("own", "score", "objects", "unmapped"), rounded(found.things))), "words": groups}

    return {
        "floors": FLOOR,
        "together": part(together),
        "closer": part(closer),
        "words": {
            word: {
                **({"zoo": entry["zoo"]} if entry["zoo"] else {}),
                **({"objects": [objects[row] for row in entry["objects"]]} if entry["objects"] else {}),
            }
            for word, entry in words.items()
        },
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", default=".cache/regions.npz")
    parser.add_argument("--manifest", default="../Models/menagerie/manifest.json")
    parser.add_argument("--write", action="store_true", help="put the weights into the manifest")
    options = parser.parse_args()
    file = Path(options.manifest)
    manifest = json.loads(file.read_text())
    vocabulary = Vocabulary(manifest)
    stored = np.load(options.samples)
    inputs, things = features(
        vocabulary, *(stored[name].astype(np.float64) for name in ("detector", "kinds", "zoo", "objects", "size")))
    truth, held, kind, weight = stored["truth"], stored["held"], stored["kind"], stored["weight"].astype(np.float64)
    weight *= np.array([COUNTS.get(name, 1.0) for name in kind])
    learn = ~held
    together, closer = (
        fit(vocabulary, inputs[learn], things[learn], truth[learn], weight[learn], uses) for uses in (True, False))
    for name, found in (("together", together), ("classifier alone", closer)):
        report(name, softmax(found.logits(inputs[held], things[held])), truth[held], kind[held])
    section = manifest_section(manifest, together, closer)
    if options.write:
        manifest["regions"] = section
        file.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
