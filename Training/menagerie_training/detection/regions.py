"""Fits the weights by which detector and classifier together name a region of a picture, and defines the vocabulary.

    python -m menagerie_training.detection.regions --data ../shared/data --samples .cache/regions.npz

The vocabulary is a list of words: COCO's 80 things, wild cats, wild dogs, animals of all other kinds and toys. A word's
logit is a weighted sum of the logarithms of both networks' probabilities. All words of a sort have the same weights.
`nothing` is the word for everything else. The weights are found by maximum likelihood on regions whose word is known
(`region_samples`). A third of these, by the hash of the photo's name, is used only for measuring. The weights go into
the classifier's manifest under `regions`.
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

#: The classifier's kinds to which a word may belong. COCO's things that are not listed here are objects.
KINDS = {
    "person": ["person"], "bird": ["bird"], "cat": ["cat"], "dog": ["dog"],
    "horse": ["farm_animal"], "sheep": ["farm_animal"], "cow": ["farm_animal"],
    "elephant": ["other_animal"], "bear": ["other_animal"], "zebra": ["other_animal"], "giraffe": ["other_animal"],
    WILD_CAT: ["wild_cat"], WILD_DOG: ["wild_dog"], ANIMAL: ["other_animal", "other_pet", "farm_animal"],
    TOY: ["toy"], "teddy bear": ["toy"],
}
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
#: An animal without an ImageNet class gets this share of the probability of the likeliest ImageNet animal.
IMPUTED = 0.6
#: The weight of a region in the fit, by kind of sample. Other kinds have the weight 1. There are many ghosts. Photos
#: with boxes are few and most like the photos that the service gets.
COUNTS = {"ghost": 0.3, "nothing": 0.6, "boxed": 4.0}
#: The sorts of words, each with its own weights, as the manifest names them.
SORTS = ("animal", "thing", "person", "toy", "unnamed")


def table(manifest):
    """{word: {"kinds": [...], "zoo": [...], "objects": [...]}} in the classifier's labels; objects as indices."""
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
        words[word] = {"kinds": KINDS.get(word, ["object"]), "zoo": species, "objects": rows}
    return words


class Vocabulary:
    """The table as matrices: words × classes of each head."""

    def __init__(self, manifest):
        words, heads = table(manifest), manifest["heads"]
        kinds = heads["kinds"]["labels"]
        zoo = heads["zoo"]["labels"]
        self.kinds = np.zeros((len(WORDS), len(kinds)))
        self.zoo = np.zeros((len(WORDS), len(zoo)))
        self.objects = np.zeros((len(WORDS), len(heads["objects"])))
        for row, word in enumerate(WORDS):
            self.kinds[row, [kinds.index(name) for name in words[word]["kinds"]]] = 1
            self.zoo[row, [zoo.index(name) for name in words[word]["zoo"]]] = 1
            self.objects[row, words[word]["objects"]] = 1
        self.mapped = self.objects.any(1)
        self.scene = [kinds.index(name) for name in ("scene", "object", "art")]
        self.sort = np.array([
            0 if word in NAMED else 4 if word in ANIMALS else 2 if word == "person" else 3 if word == TOY else 1 for word in WORDS
        ])


def features(vocabulary, detector, kinds, zoo, objects, size):
    """The features that the weights multiply: N × words × 6, and N × 3 for `nothing`.

    detector: N × 81 probabilities; kinds, zoo, objects: N × classes, zoo with its background; size: the crop's side in
    pixels.
    """
    count = len(detector)
    own = np.zeros((count, len(WORDS)))
    own[:, :80] = detector[:, :80]
    other = detector[:, 80]
    for word in (WILD_CAT, WILD_DOG, ANIMAL):
        own[:, WORDS.index(word)] = other
    own[:, WORDS.index(TOY)] = detector[:, COCO.index("teddy bear")]

    def log(values, name):
        return np.log(values + FLOOR[name]) - np.log(FLOOR[name])

    share = kinds @ vocabulary.kinds.T
    species = zoo @ vocabulary.zoo.T
    seen = objects @ vocabulary.objects.T
    unmapped = np.clip(1 - seen.sum(1), 0, 1)
    trust = np.clip(size / 64, 0.2, 1)[:, None]
    level = log(seen, "objects")
    # The objects head takes an animal for which it has no class for other animals.
    level[:, ~vocabulary.mapped] = 0
    for row in np.flatnonzero(~vocabulary.mapped & np.isin(vocabulary.sort, (0, 4))):
        level[:, row] = IMPUTED * level[:, np.isin(vocabulary.sort, (0, 4))].max(1)
    words = np.stack([
        log(own, "detector"), own, trust * log(share, "kinds"), trust * log(species, "zoo"),
        trust * level, np.ones_like(own),
    ], -1)
    nothing = np.stack([
        trust[:, 0] * log(kinds[:, vocabulary.scene].sum(1), "kinds"), trust[:, 0] * log(unmapped, "objects"),
        np.ones(count),
    ], -1)
    return words, nothing


def split_weights(values):
    """(sorts × 6, 3 + unmapped bias) of a flat vector."""
    return values[: len(SORTS) * 6].reshape(len(SORTS), 6), values[len(SORTS) * 6 :]


def logits(vocabulary, weights, words, nothing):
    """N × (words + 1) logits, `nothing` last."""
    per_sort, rest = split_weights(weights)
    z = (words * per_sort[vocabulary.sort]).sum(-1)
    z = z + np.where(vocabulary.mapped, 0, rest[3])
    return np.concatenate([z, (nothing * rest[:3]).sum(-1, keepdims=True)], 1)


def softmax(z):
    z = np.exp(z - z.max(1, keepdims=True))
    return z / z.sum(1, keepdims=True)


def fit(vocabulary, words, nothing, truth, weight, uses_detector=True, penalty=2e-3):
    """The weights of greatest likelihood, with a penalty on the distance from a plain start."""
    start = np.zeros(len(SORTS) * 6 + 4)
    start[: len(SORTS) * 6].reshape(len(SORTS), 6)[:] = [0.8, 1, 0.5, 0.2, 0.4, -3]
    free = np.ones_like(start, bool)
    view = free[: len(SORTS) * 6].reshape(len(SORTS), 6)
    view[1:4, 3] = False  # the zoo has no things
    if not uses_detector:
        view[:, :2] = False
    start[~free] = 0
    sort = vocabulary.sort
    onehot = np.zeros((len(truth), len(WORDS) + 1))
    onehot[np.arange(len(truth)), truth] = 1

    def loss(values):
        p = softmax(logits(vocabulary, values, words, nothing))
        value = -(weight * np.log(p[np.arange(len(truth)), truth] + 1e-9)).sum() / weight.sum()
        error = (p - onehot) * weight[:, None] / weight.sum()
        gradient = np.zeros_like(values)
        inner = np.einsum("nw,nwf->wf", error[:, :-1], words)
        part = gradient[: len(SORTS) * 6].reshape(len(SORTS), 6)
        np.add.at(part, sort, inner)
        gradient[-4:-1] = error[:, -1] @ nothing
        gradient[-1] = error[:, :-1][:, ~vocabulary.mapped].sum()
        value += penalty * ((values - start)[free] ** 2).sum()
        gradient += 2 * penalty * (values - start)
        gradient[~free] = 0
        return value, gradient

    bounds = []
    for index in range(len(start)):
        column = index % 6 if index < len(SORTS) * 6 else (2 + index - len(SORTS) * 6 if index < len(start) - 2 else 5)
        bounds.append((None, None) if column == 5 else (0, 12) if column == 1 else (0, 1.5))
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 300}).x


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

    def part(values):
        per_sort, rest = split_weights(values)
        result = {
            sort: dict(zip(("own", "score", "kinds", "zoo", "objects", "bias"), (round(float(v), 4) for v in row)))
            for sort, row in zip(SORTS, per_sort)
        }
        result["nothing"] = dict(zip(("kinds", "objects", "bias"), (round(float(v), 4) for v in rest[:3])))
        result["unmapped"] = round(float(rest[3]), 4)
        return result

    return {
        "floors": FLOOR,
        "together": part(together),
        "closer": part(closer),
        "words": {
            word: {
                "kinds": entry["kinds"],
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
    words, nothing = features(
        vocabulary, *(stored[name].astype(np.float64) for name in ("detector", "kinds", "zoo", "objects", "size")))
    truth, held, kind, weight = stored["truth"], stored["held"], stored["kind"], stored["weight"].astype(np.float64)
    weight *= np.array([COUNTS.get(name, 1.0) for name in kind])
    learn = ~held
    together = fit(vocabulary, words[learn], nothing[learn], truth[learn], weight[learn])
    closer = fit(vocabulary, words[learn], nothing[learn], truth[learn], weight[learn], uses_detector=False)
    for name, values in (("together", together), ("classifier alone", closer)):
        report(name, softmax(logits(vocabulary, values, words[held], nothing[held])), truth[held], kind[held])
    section = manifest_section(manifest, together, closer)
    print(json.dumps({key: section[key] for key in ("together", "closer")}, indent=1))
    if options.write:
        manifest["regions"] = section
        file.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
