"""Behaviour of the gallery and its law that needs no photos: python -m unittest discover tests"""

import tempfile
import unittest
from pathlib import Path

import numpy as np
from PIL import Image

from menagerie_training.gallery import index, kinds, law, pack


def row(group, kind, **more):
    """A row as `index.read` makes them."""
    plain = {"group": group, "class": kind, "source": "x/y", "origin": "photos", "dup": "", "same_as": "", "zoo": ""}
    return plain | {"zoo_match": "", "name": f"{group}/{kind}", "path": ""} | more


class KindTests(unittest.TestCase):
    objects = ["tench"] * 20 + ["kite"] + ["x"] * 140 + ["beagle"]

    def test_wild_kin_are_told_from_pets(self):
        expected = {"tiger": "wild_cat", "red_fox": "wild_dog", "beagle": "dog", "kite": "bird", "cow": "farm_animal"}
        for name, kind in expected.items():
            self.assertEqual(kinds.kinds(row("animal", name), self.objects), {kind})

    def test_what_may_be_either_gets_both(self):
        self.assertEqual(kinds.kinds(row("cat", "sand_cat"), self.objects), {"cat", "wild_cat"})
        self.assertEqual(kinds.kinds(row("animal", "dhole"), self.objects), {"dog", "wild_dog"})
        self.assertEqual(kinds.kinds(row("object", "bikini"), self.objects), {"person", "object"})

    def test_pets_among_the_objects_are_pets(self):
        self.assertEqual(kinds.kinds(row("object", "domestic_cat"), self.objects), {"cat"})

    def test_every_kind_is_one_of_the_list(self):
        names = [("object", "people"), ("object", "no_animal"), ("fruit", "apple"), ("dog", "coyote"), ("animal", "zzz")]
        for group, name in names:
            self.assertLessEqual(kinds.kinds(row(group, name), self.objects), set(kinds.KINDS))

    def test_an_unclear_photo_is_reported_under_no_kind(self):
        self.assertEqual(kinds.stranger(row("animal", "dhole"), self.objects), "")
        self.assertEqual(kinds.stranger(row("object", "bikini"), self.objects), "object")


class SplitTests(unittest.TestCase):
    def setUp(self):
        self.rows = [row("cat", "siamese", name=f"s{i}") for i in range(200)]
        self.rows += [row("cat", "siamese", name=f"b{i}", origin="sharp", same_as=f"s{i}") for i in range(50)]
        self.rows += [row("cat", "korat", name=f"k{i}", origin="sharp") for i in range(100)]

    def test_a_sharper_version_is_on_the_side_of_the_small_one(self):
        part = index.split(self.rows, index.groups(self.rows))
        self.assertEqual(list(part[200:250]), list(part[:50]))

    def test_what_is_new_is_split_too(self):
        part = index.split(self.rows, index.groups(self.rows))[250:]
        self.assertTrue(8 <= (part == "test").sum() <= 18 and 4 <= (part == "val").sum() <= 14)

    def test_a_near_duplicate_of_a_trained_photo_is_not_called_unseen(self):
        part = index.split(self.rows, index.groups(self.rows))
        test, trained = int(np.flatnonzero(part[:200] == "test")[0]), int(np.flatnonzero(part[:200] == "train")[0])
        again = index.split(self.rows, index.groups(self.rows, [(test, trained)]))
        self.assertEqual((again[test], again[trained]), ("train", "train"))


class PackTests(unittest.TestCase):
    def test_pairs_are_those_within_three_bits(self):
        prints = np.array([0, 0b111, 0b1111 << 20, 1 << 63, 0b11110111], np.uint64)
        self.assertEqual(pack.pairs(prints), [(0, 1), (0, 3)])

    def test_photos_keep_their_shape_and_are_never_enlarged(self):
        with tempfile.TemporaryDirectory() as folder:
            Image.new("RGB", (600, 400), "red").save(Path(folder) / "large.png")
            Image.new("RGB", (90, 60), "red").save(Path(folder) / "small.png")
            Image.new("RGB", (900, 100), "red").save(Path(folder) / "wide.png")
            (Path(folder) / "broken.png").write_bytes(b"no photo")
            shapes = [pack.decode(Path(folder) / name).shape for name in ("large.png", "small.png", "wide.png")]
            self.assertEqual(shapes, [(256, 384, 3), (60, 90, 3), (100, 300, 3)])
            self.assertIsNone(pack.decode(Path(folder) / "broken.png"))

    def test_a_packed_photo_comes_back_with_its_labels(self):
        with tempfile.TemporaryDirectory() as folder:
            data, cache = Path(folder) / "data", Path(folder) / "cache"
            (data / "photos").mkdir(parents=True)
            noise = np.random.default_rng(0).integers(0, 256, (2, 20, 30, 3), dtype=np.uint8)
            for number, photo in enumerate(noise):
                Image.fromarray(photo).save(data / "photos" / f"{number}.png")
            (data / "photos.csv").write_text(
                "path,group,class,source,dup\nphotos/0.png,cat,siamese,x/y,\nphotos/1.png,animal,tiger,x/y,\n")
            (data / "sharp.csv").write_text("path,group,class,source,licence,zoo,zoo_match,same_as\n")
            names = "\n".join(f"{i},n{i},c{i}" for i in range(1000))
            (data / "imagenet_classes.csv").write_text("index,wnid,label\n" + names + "\n")
            pack.build(data, cache)
            gallery = pack.Gallery(cache)
            self.assertTrue(np.array_equal(gallery.photo(1), noise[1]))
            self.assertEqual([gallery.labels["presence"][i] for i in (0, 1)], [0, 2])
            self.assertTrue(gallery.labels["kinds"][1, kinds.KINDS.index("wild_cat")])


class LawTests(unittest.TestCase):
    photo = np.random.default_rng(1).integers(0, 256, (120, 200, 3), dtype=np.uint8)

    def test_a_draw_is_a_function_of_its_seed(self):
        one, again, other = (law.drawn(self.photo, 64, np.random.default_rng(seed)) for seed in (3, 3, 4))
        self.assertTrue(np.array_equal(one, again))
        self.assertFalse(np.array_equal(one, other))

    def test_resolution_is_lost_in_about_half_of_the_draws(self):
        def detail(view):
            return np.abs(np.diff(view.astype(float), axis=1)).mean()

        blank = np.full_like(self.photo, 128)
        blank[::2] = 90
        found = [detail(law.drawn(blank.transpose(1, 0, 2).copy(), 96, np.random.default_rng(seed))) for seed in range(60)]
        self.assertGreater(np.std(found), 0.1 * np.mean(found))

    def test_a_small_view_has_less_detail_than_the_photo(self):
        views = [law.resized(self.photo, short, 112).astype(float) for short in (0, 48)]
        self.assertEqual(views[1].shape, (112, 112, 3))
        self.assertLess(np.abs(np.diff(views[1], axis=1)).mean(), 0.7 * np.abs(np.diff(views[0], axis=1)).mean())

    def test_windows_lie_inside(self):
        random = np.random.default_rng(5)
        for _ in range(300):
            left, top, right, bottom = law.window(random, 200, 120)
            self.assertTrue(0 <= left < right <= 200.001 and 0 <= top < bottom <= 120.001)


if __name__ == "__main__":
    unittest.main()
