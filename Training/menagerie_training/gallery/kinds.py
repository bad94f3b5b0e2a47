"""The kind of thing that a photo shows. The kinds besides cat and dog help presence to recognise what is neither.

A photo's class does not always determine its kind: a swimsuit may be worn by a person or lie on a table. So a row gets
the set of its possible kinds, and the training makes the whole set likely.
"""

from .. import labels

KINDS = (
    "cat dog person toy art wild_cat wild_dog other_pet farm_animal bird other_animal scene object".split()
)
#: Kinds that are living animals.
ANIMALS = {"wild_cat", "wild_dog", "other_pet", "farm_animal", "bird", "other_animal"}
#: All kinds except cat and dog.
STRANGERS = frozenset(KINDS) - {"cat", "dog"}

#: Wild relatives of cats. The sand cat is also a breed of the cats head, so both kinds are right for it.
WILD_CATS = set(
    "tiger lion leopard cheetah jaguar puma cougar lynx canadian_lynx eurasian_lynx caracal ocelot clouded_leopard "
    "snow_leopard serval wild_cat pallass_cat black_footed_cat fishing_cat amur_tiger amur_leopard asiatic_lion "
    "european_wildcat".split()
)
#: Wild relatives of dogs.
WILD_DOGS = set(
    "wolf gray_wolf timber_wolf white_wolf red_wolf fox red_fox grey_fox kit_fox arctic_fox fennec_fox bat_eared_fox "
    "rueppells_fox coyote golden_jackal maned_wolf raccoon_dog bush_dog".split()
)
#: Wild dogs that are breeds of the dogs head (Stanford Dogs has them).
BREEDS_OF_WILD_DOGS = {"dingo", "dhole", "african_hunting_dog", "african_wild_dog"}
OTHER_PETS = set("rabbit domestic_rabbit angora hamster guinea_pig goldfish".split())
FARM = set(
    "horse sorrel donkey cow domestic_cow cattle ox water_buffalo sheep domestic_sheep finnsheep ram goat pygmy_goat pig "
    "domestic_pig swine hog chicken domestic_chicken rooster cock hen alpaca llama camel bactrian_camel arabian_camel "
    "dromedary_camel".split()
)
#: Birds that may also be farm animals.
POULTRY = {"turkey", "duck", "drake", "goose"}
#: Names of birds that are not ImageNet's names.
BIRDS = set(
    "eagle ibis pigeon bird snowy_owl eurasian_eagle_owl barnacle_goose red_crowned_crane white_tailed_eagle emu "
    "indian_peafowl common_crane whooping_crane sandhill_crane bearded_bellbird wandering_albatross summer_tanager "
    "keel_billed_toucan little_spotted_kiwi budgerigar red_breasted_merganser red_tailed_hawk rhinoceros_hornbill "
    "emperor_penguin golden_pheasant northern_potoo secretary_bird canada_goose downy_woodpecker northern_cardinal "
    "yellow_warbler channel_billed_toucan greater_flamingo great_dusky_swift hyacinth_macaw little_egret ruddy_turnstone "
    "greater_bird_of_paradise common_cuckoo barn_swallow peregrine_falcon scarlet_macaw blue_and_yellow_macaw white_stork "
    "crested_myna shoebill_stork harpy_eagle annas_hummingbird common_ostrich cockatiel turkey_vulture european_starling "
    "house_sparrow toco_toucan common_raven brown_eared_pheasant crested_ibis southern_cassowary ruby_throated_hummingbird "
    "american_crow great_white_pelican whiskered_screech_owl american_coot".split()
)
#: Rows of ImageNet's classes that are birds.
IMAGENET_BIRDS = (*range(7, 25), *range(80, 101), *range(127, 147))

PEOPLE = {"people", "faces", "person", "groom", "ballplayer", "scuba_diver"}
TOYS = {"teddy", "toyshop", "piggy_bank"}
ART = set("snoopy garfield buddha brontosaurus stegosaurus triceratops totem_pole comic_book yin_yang".split())
#: Places and views.
SCENES = set(
    "seashore alp valley promontory cliff lakeside volcano coral_reef geyser breakwater pier dock pagoda pyramid minaret "
    "palace castle church mosque monastery stupa triumphal_arch obelisk megalith cliff_dwelling barn boathouse viaduct "
    "suspension_bridge steel_arch_bridge stone_wall worm_fence picket_fence greenhouse library bookshop grocery_store "
    "restaurant bakery butcher_shop barbershop shoe_shop tobacco_shop confectionery cinema stage home_theater prison patio "
    "hay rapeseed beacon lumbermill water_tower planetarium thatch tile_roof maze park_bench street_sign yurt fountain".split()
)
#: Things that a person wears or uses. The person is often in the picture.
WORN = set(
    "maillot brassiere miniskirt diaper bathing_cap swimming_trunks sunglasses sunglass lipstick face_powder neck_brace "
    "helmet hat_with_a_wide_brim bow_tie tie balance_beam horizontal_bar parallel_bars unicycle ski crutch stretcher "
    "wheelchair inline_skate punching_bag volleyball basketball rugby_ball soccer_ball baseball racket dumbbell barbell "
    "snorkel bikini abaya kimono jersey military_uniform academic_gown mortarboard wig stole suit trench_coat fur_coat "
    "lab_coat cowboy_hat sombrero crash_helmet football_helmet ski_mask gasmask poncho sarong pajama hoopskirt overskirt gown "
    "cloak feather_boa bib apron sweatshirt vestment windsor_tie bolo_tie bearskin pickelhaube shower_cap hair_slide jean "
    "band_aid bicycle motorcycle golfcart horse_cart oxcart jinrikisha dogsled bobsled paddle canoe accordion banjo cello "
    "flute french_horn harmonica harp oboe saxophone trombone trumpet violin guitar electric_guitar acoustic_guitar "
    "microphone umbrella backpack purse bench car_side motorbikes cart train bus".split()
)
#: Classes whose pictures may show anything except an animal.
ANYTHING = {"no_animal", "background_google"}


def kinds(row, object_names):
    """The possible kinds of a row's photo, a set of names of `KINDS`. It is empty if nothing is known."""
    group, name = row["group"], row["class"]
    if group == "cat":
        return {"cat", "wild_cat"} if name == "sand_cat" else {"cat"}
    if group == "dog":
        return {"wild_dog"} if name == "coyote" else {"dog"}
    if group == "fruit":
        return {"object"}
    return animal(name, object_names) if group == "animal" else thing(name)


def animal(name, object_names):
    """As `kinds`, for group animal."""
    if name == "sand_cat":
        return {"cat", "wild_cat"}
    if name in labels.HOUSE_CATS:
        return {"cat"}
    if name in BREEDS_OF_WILD_DOGS:
        return {"dog", "wild_dog"}
    for members, kind in ((WILD_CATS, "wild_cat"), (WILD_DOGS, "wild_dog"), (OTHER_PETS, "other_pet"), (FARM, "farm_animal")):
        if name in members:
            return {kind}
    row = object_names.index(name) if name in object_names else -1
    if 151 <= row <= 268:
        return {"dog"}
    if name in POULTRY:
        return {"bird", "farm_animal"}
    if row in IMAGENET_BIRDS or name in BIRDS:
        return {"bird"}
    return {"other_animal"}


def thing(name):
    """As `kinds`, for group object."""
    if name in ("dog", "domestic_cat"):
        return {name.removeprefix("domestic_")}
    if name == "background_google":
        return {"person", "art", "scene", "object", "toy"}
    if name == "no_animal":
        return {"scene", "object"}
    for members, kind in ((PEOPLE, "person"), (TOYS, "toy"), (ART, "art"), (SCENES, "scene")):
        if name in members:
            return {kind}
    return {"person", "object"} if name in WORN else {"object"}


def stranger(row, object_names):
    """The kind under which a row is reported: the first of its kinds except pets, else `cat` or `dog`, else
    ""."""
    found = kinds(row, object_names)
    order = [*(kind for kind in KINDS if kind in STRANGERS), "cat", "dog"]
    if len(found) > 1 and found & {"cat", "dog"}:
        return ""
    if "object" in found:
        return "scene" if "scene" in found else "object"
    return next((kind for kind in order if kind in found), "")
