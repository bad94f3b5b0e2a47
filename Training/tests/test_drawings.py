"""The head for drawings: what files are called, and what its logits mean."""

import unittest

import numpy as np

from menagerie_training.drawings import fit, words


class Words(unittest.TestCase):
    def test_files_of_openclipart_have_the_word_of_what_they_show(self):
        self.assertEqual(words.of_clipart("animals/mammals/housecats/gatto_cat_architetto_fra_03.png"), "cat")
        self.assertEqual(words.of_clipart("animals/mammals/contour_beaver.png"), words.OTHER)
        self.assertEqual(words.of_clipart("food/fruit/apple.png"), words.OTHER)
        self.assertIsNone(words.of_clipart("animals/cani_e_gatti_cat_and_do_01.png"))

    def test_a_photo_has_a_word_only_where_its_animal_is_one(self):
        self.assertEqual(words.of_photo({"group": "cat", "class": "siamese"}), "cat")
        self.assertEqual(words.of_photo({"group": "animal", "class": "snowy_owl"}), "bird")
        self.assertEqual(words.of_photo({"group": "animal", "class": "hippopotamus"}), "")
        self.assertEqual(words.of_photo({"group": "object", "class": "garfield"}), "cat")


class Logits(unittest.TestCase):
    def test_all_words_together_have_the_odds_of_a_drawing(self):
        random = np.random.default_rng(1)
        weight, bias = random.normal(size=(5, 2 + len(words.WORDS))), random.normal(size=2 + len(words.WORDS))
        inputs = random.normal(size=(4, 5))
        found = np.exp(fit.logits((weight, bias), inputs))
        np.testing.assert_allclose(found[:, :-1].sum(1) / found[:, -1], np.exp(inputs @ weight[:, 0] + bias[0]))


if __name__ == "__main__":
    unittest.main()
