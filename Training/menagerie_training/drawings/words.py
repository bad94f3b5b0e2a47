"""The words for drawn animals, and how a file's name, an emoji or a class of the gallery gives the word."""

import re

from ..gallery import kinds

WORDS = (
    "cat dog bird horse elephant giraffe zebra bear cow sheep pig rabbit mouse monkey lion tiger fish frog turtle snake insect fox deer "
    "whale wolf"
).split()
#: The word for a drawing of anything else.
OTHER = "other"
#: Labels of the head, after its background.
LABELS = [f"drawing_of_{'an' if word[0] in 'aei' else 'a'}_{word}" for word in WORDS] + ["drawing"]
BACKGROUND = "photo"

EMOJI = {
    "cat": "1f408 1f431 1f638 1f639 1f63a 1f63b 1f63c 1f63d 1f63e 1f63f 1f640 1f408-200d-2b1b",
    "dog": "1f415 1f436 1f429 1f9ae 1f415-200d-1f9ba",
    "bird": "1f413 1f414 1f423 1f424 1f425 1f426 1f427 1f54a 1f985 1f986 1f989 1f983 1f9a2 1f9a9 1f99a 1f99c 1f9a4 1fabf 1f426-200d-2b1b",
    "horse": "1f40e 1f434 1facf", "elephant": "1f418", "giraffe": "1f992", "zebra": "1f993",
    "bear": "1f43b 1f43b-200d-2744-fe0f 1f43b-200d-2744 1f43c", "cow": "1f402 1f403 1f404 1f42e 1f9ac", "sheep": "1f40f 1f411",
    "pig": "1f416 1f437 1f417", "rabbit": "1f407 1f430", "mouse": "1f400 1f401 1f42d 1f439",
    "monkey": "1f412 1f435 1f648 1f649 1f64a 1f98d 1f9a7", "lion": "1f981", "tiger": "1f405 1f42f", "fish": "1f41f 1f420 1f421",
    "frog": "1f438", "turtle": "1f422", "snake": "1f40d",
    "insect": "1f98b 1f41b 1f41c 1f41d 1f41e 1f997 1f99f 1fab0 1fab2 1fab3 1f577", "fox": "1f98a", "deer": "1f98c 1face",
    "whale": "1f40b 1f433 1f42c", "wolf": "1f43a",
}
EMOJI = {code: word for word, codes in EMOJI.items() for code in codes.split()}

NAMES = {
    "cat": "cat cat2 kitten feline joy_cat heart_eyes_cat smile_cat smiley_cat smirk_cat kissing_cat pouting_cat crying_cat_face scream_cat",
    "dog": "dog dog2 poodle puppy pug sitting-dog labrador-head",
    "bird": "bird penguin owl duck swan parrot flamingo rooster hen chicken chick eagle pigeon dove crow sparrow hummingbird pelican "
    "ostrich peacock turkey goose vulture jay parakeet blackbird magpie shrike eagle-head parrot-head eagle-emblem baby_chick "
    "hatching_chick hatched_chick",
    "horse": "horse pony horse-head racehorse", "elephant": "elephant elephant-head", "giraffe": "giraffe", "zebra": "zebra zebra2",
    "bear": "bear panda bear-head bear-face panda_face", "cow": "cow cow2 bull ox buffalo water_buffalo", "sheep": "sheep ram",
    "pig": "pig pig2 pig-face boar", "rabbit": "rabbit rabbit2 baby_rabbit rabbit-head", "mouse": "mouse mouse2 rat hamster",
    "monkey": "monkey monkey_face chimp gorilla see_no_evil hear_no_evil speak_no_evil", "lion": "lion lion_cub",
    "tiger": "tiger tiger2 tiger-head", "fish": "fish tropical_fish blowfish piranha", "frog": "frog toad",
    "turtle": "turtle tortoise", "snake": "snake cobra viper rattlesnake",
    "insect": "ant ants bee honeybee bug butterfly beetle ladybug wasp mosquito dragonfly caterpillar spider fly monarchbutterfly "
    "ladybug-2 spider2",
    "fox": "fox fox-head", "deer": "deer doe fawn elk moose antelope", "whale": "whale whale2 dolphin flipper",
    "wolf": "wolf wolf-head wolf-howl",
}
NAMES = {name: word for word, names in NAMES.items() for name in names.split()}

#: Patterns for openclipart's files, many of which have Italian names. Files that match `SKIPPED` show several animals,
#: parts of animals, or no animal.
SKIPPED = re.compile(
    "cani_e_gatti|sleeping_bear|le_mie_tigri|vgcats|2_dead|tux_head|mascot|tante_orme|three_eyes|lucchetto|tatoo|animals/architetto|"
    "emule|wing_mit|stormo|mirjam|ralf_ark|amibe|kallisti|paesaggio|virus|cigno_di_notte|toro_al_tram|cat_scrath|stambecco"
)
CLIPART = {
    "cat": "housecats|cartoon_cat", "dog": "mammals/dogs/|mammals/dog_|dog_on_leash", "lion": "leone", "tiger": "tiger|tigre0",
    "horse": "horses/(?!mechorse)", "bear": "bears/orso|bears/ours|bears/bear", "elephant": "eleph|elefante",
    "giraffe": "contour_giraffe", "sheep": "sheep|pecora", "pig": "porcinet|_pig_|/pig_", "mouse": "topo_|squeek|hamster",
    "rabbit": "coniglio|bunny", "cow": "vacca|mhooo|bull_utrescu|bison", "monkey": "monkey|orangutan|baboon", "fox": "contour_fox",
    "deer": "fawn|deer_|antilope", "wolf": "wolf", "frog": "rana|frog", "turtle": "turtle", "snake": "snake",
    "whale": "dolphin|bluewhale|orca", "fish": "fish/(brown|giraffe|altum|yellow|bofish|pescetto|arctic|clown)",
    "insect": "bugs/(?!mostri|virus|c_roll|lumaca|punaisa)|mosquito",
    "bird": "birds/(?!wing|contour_bat|simbolo|manager|turkey_on|stormo|mirjam|ralf_ark|penguin/plush)|pinguino_col|baby-tux",
}

PHOTOS = {
    "horse": "horse sorrel", "elephant": "elephant indian_elephant african_elephant", "giraffe": "giraffe", "zebra": "zebra",
    "bear": "bear brown_bear american_black_bear polar_bear panda giant_panda ice_bear sloth_bear spectacled_bear",
    "cow": "cow cattle domestic_cow ox bison european_bison", "sheep": "sheep ram bighorn_sheep", "pig": "pig swine domestic_pig",
    "rabbit": "rabbit domestic_rabbit european_rabbit", "mouse": "hamster mouse",
    "monkey": "gorilla chimpanzee squirrel_monkey nilgiri_langur japanese_macaque white_headed_capuchin mantled_howler patas_monkey ape "
    "monkey guenon macaque orangutan hamadryas_baboon",
    "lion": "lion asiatic_lion", "tiger": "tiger amur_tiger", "fish": "fish bass tench goldfish", "frog": "frog tailed_frog glass_frog",
    "turtle": "turtle hawksbill terrapin box_turtle loggerhead", "snake": "snake boa_constrictor grass_snake adder",
    "insect": "butterfly ant spider dragonfly mayfly bee ladybug", "fox": "fox red_fox arctic_fox grey_fox kit_fox",
    "deer": "deer moose reindeer gerenuk antelope", "whale": "killer_whale dolphin blue_whale whale", "wolf": "wolf gray_wolf timber_wolf",
}
PHOTOS = {name: word for word, names in PHOTOS.items() for name in names.split()}
BIRDS = kinds.BIRDS | set(
    "chicken turkey emu flamingo duck rooster cock hen ostrich jay robin goldfinch bulbul junco brambling house_finch indigo_bunting "
    "great_grey_owl domestic_chicken king_penguin".split()
)
#: The gallery's classes of drawings, and classes that may contain drawings.
DRAWN = {"garfield": "cat", "snoopy": "dog", "yin_yang": OTHER, "comic_book": OTHER}
DOUBTFUL = {"buddha", "totem_pole", "brontosaurus", "stegosaurus", "triceratops", "background_google"}


def of_clipart(path):
    """The word of a file of openclipart, or None if its name does not give one."""
    if not path.startswith("animals/"):
        return OTHER
    if SKIPPED.search(path):
        return None
    return next((word for word, names in CLIPART.items() if re.search(names, path)), OTHER)


def of_photo(row):
    """The word of a row of the gallery, or "" if it has none."""
    if row["class"] in DRAWN:
        return DRAWN[row["class"]]
    if row["group"] in ("cat", "dog"):
        return row["group"]
    if row["group"] != "animal":
        return ""
    return PHOTOS.get(row["class"]) or ("bird" if row["class"] in BIRDS else "")
