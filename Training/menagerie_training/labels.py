"""Decides which photo teaches which head: class lists, corrected labels, and a photo's ImageNet class."""

import csv
import json
from pathlib import Path

CATS = (
    "abyssinian bengal birman bombay british_shorthair calico chinchilla egyptian_mau korat lykoi maine_coon "
    "norwegian_forest_cat persian ragdoll rex russian_blue sand_cat scottish_fold siamese sphynx"
).split()
#: The twelve breeds of the clean source (`batogov`), on which the first weights were measured.
CLEAN_CATS = (
    "abyssinian bengal birman bombay british_shorthair egyptian_mau maine_coon persian ragdoll russian_blue siamese "
    "sphynx"
).split()
#: The additional class of cats and dogs for all other breeds.
OTHER_BREED = "another_breed"
FRUIT = ["apple", "avocado", "banana", "plum", "strawberry", "none"]
#: Objects that people wear or carry. If one of them is the answer, a detector searches for a person.
PEOPLE = (
    "cardigan abaya academic_gown apron balance_beam band_aid barbell barbershop basketball bathing_cap bib bikini "
    "bolo_tie bonnet bow_tie brassiere breastplate bulletproof_vest chain_mail cowboy_hat crash_helmet crutch "
    "cuirass diaper dumbbell feather_boa football_helmet fur_coat gasmask gown hair_spray hoopskirt horizontal_bar "
    "jean jersey kimono lab_coat lipstick maillot microphone military_uniform miniskirt mortarboard neck_brace "
    "overskirt oxygen_mask pajama parallel_bars pickelhaube poncho racket rugby_ball sarong shower_cap ski_mask "
    "sombrero stethoscope stole suit sunglass sunglasses sweatshirt swimming_trunks tennis_ball trench_coat vestment "
    "volleyball wig windsor_tie ballplayer groom scuba_diver"
).split()
PRESENCE = ["cat", "dog", "other"]

#: The 120 dogs are ImageNet's rows 151–275 without the wolves and the dalmatian (Stanford Dogs).
NOT_STANFORD = {"dalmatian", "timber_wolf", "white_wolf", "red_wolf", "coyote"}
#: Labels of one source whose photos mostly show another breed, as a check by hand found. They teach only presence.
UNTRUSTED_DOGS = {"bulldog", "schnauzer", "corgi", "poodle"}
#: Cats among the photos of group animal.
HOUSE_CATS = {"tabby", "tiger_cat", "egyptian_cat", "persian_cat", "siamese_cat", "angora_cat"}
#: Animals that are not clearly a cat, a dog or another animal. They get no presence label.
UNCLEAR = {"wild_cat", "sand_cat", "pallass_cat", "black_footed_cat", "coyote", "dingo", "dhole", "african_hunting_dog"}
UNCLEAR |= {"african_wild_dog", "raccoon_dog", "bush_dog"}
#: Animals of group animal that may be one of the zoo's species. They get no zoo label.
NEAR_ZOO = set(
    "bear camel horse wild_horse fox otter sea_otter mink polecat bird monkey macaque japanese_macaque baboon marmoset "
    "silvery_marmoset snake turtle frog lizard goat ram ox owl crane deer sheep antelope lynx canadian_lynx wild_cat "
    "hare wood_rabbit european_rabbit kangaroo sea_lion partridge white_wolf sloth bighorn bison cattle porcupine "
    "european_polecat three_toed_sloth brown_throated_sloth fox_squirrel bald_eagle box_turtle lizard"
    .split()
)
ALIASES = {("cat", "canadian_hairless"): "sphynx"}

#: Sources whose class names are ImageNet's own.
IMAGENET_SOURCES = ("EliSchwartz/", "pomatokyo/mini-imagenet", "ajschumacher/imagen")


def imagenet_labels(data):
    """The 1,000 labels in order from `imagenet_classes.csv` in the data folder."""
    with open(Path(data) / "imagenet_classes.csv", newline="") as file:
        return [row["label"] for row in csv.DictReader(file)]


def dogs(labels):
    """The 120 breeds and their rows among the 1,000 classes."""
    rows = [index for index in range(151, 276) if labels[index] not in NOT_STANFORD]
    return [labels[index] for index in rows], rows


def zoo_table():
    """Rows of zoo.json: id, English name, photo classes, ImageNet classes, exact (they are exactly the species), note."""
    return json.loads((Path(__file__).parent / "zoo.json").read_text())


def zoo_names():
    """{photo class: species id} of the zoo table."""
    return {name: species["id"] for species in zoo_table() for name in species["photos"]}


def targets(row, dog_names, object_names, zoo):
    """{head: class name} of one row of photos.csv. Heads without a label for this photo are left out."""
    group, name, source = row["group"], row["class"], row["source"]
    answer = {}
    name = ALIASES.get((group, name), name)
    if group == "cat" or (group == "animal" and name in HOUSE_CATS):
        answer["presence"] = "cat"
    elif group == "dog" and name != "coyote":
        answer["presence"] = "dog"
    elif group == "animal" and name in dog_names and name not in UNCLEAR:
        answer["presence"] = "dog"
    elif group in ("animal", "fruit", "object") and name not in UNCLEAR:
        answer["presence"] = "other"
    if group in ("cat", "animal") and name in CATS:
        answer["cats"] = name
    if group in ("dog", "animal") and name in dog_names:
        answer["dogs"] = name
    if group in ("fruit", "object"):
        answer["fruit"] = name if group == "fruit" and name in FRUIT else "none"
    elif group in ("cat", "dog", "animal"):
        answer["fruit"] = "none"
    if name in UNTRUSTED_DOGS:
        answer.pop("dogs", None)
    if group == "animal" and name in zoo:
        answer["zoo"] = zoo[name]
    elif group != "animal" or answer.get("presence") in ("cat", "dog") or name not in NEAR_ZOO:
        answer["zoo"] = "none"
    # Several sources reuse an ImageNet name for another thing, so only ImageNet's own photos measure `objects`.
    if source.startswith(IMAGENET_SOURCES) and object_names.count(name) == 1 and group != "cat":
        answer["objects"] = name
    return answer
