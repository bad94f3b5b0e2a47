"""Splits, labels and measures, which need neither photos nor torch: python -m unittest discover tests"""

import unittest

import numpy as np

from menagerie_training import data, labels, measures


class SplitTests(unittest.TestCase):
    rows = [
        {"path": f"p{i}", "group": "cat", "class": "siamese" if i < 100 else "bengal", "dup": str(i // 2) if i < 40 else ""}
        for i in range(150)
    ]

    def test_near_duplicates_stay_together(self):
        parts = data.split(self.rows, 1)
        for i in range(0, 40, 2):
            self.assertEqual(parts[i], parts[i + 1])

    def test_every_class_has_its_share(self):
        parts = np.array(data.split(self.rows, 1))
        for inside in (slice(0, 100), slice(100, 150)):
            share = (parts[inside] == "test").mean()
            self.assertGreater(share, 0.08)
            self.assertLess(share, 0.18)

    def test_seed_decides(self):
        self.assertEqual(data.split(self.rows, 1), data.split(self.rows, 1))
        self.assertNotEqual(data.split(self.rows, 1), data.split(self.rows, 2))


class LabelTests(unittest.TestCase):
    dogs = {"samoyed", "dhole"}

    def heads(self, group, name, source="x/y"):
        row = {"group": group, "class": name, "source": source}
        return labels.targets(row, self.dogs, ["samoyed", "crane", "crane"], labels.zoo_names())

    def test_a_dog_among_the_animals_is_a_dog(self):
        answer = self.heads("animal", "samoyed", "EliSchwartz/imagenet-sample-images")
        self.assertEqual((answer["presence"], answer["dogs"], answer["objects"]), ("dog", "samoyed", "samoyed"))

    def test_untrusted_labels_keep_presence_only(self):
        answer = self.heads("dog", "corgi", "pterdactyl/Dog_Classifier")
        self.assertEqual(answer["presence"], "dog")
        self.assertNotIn("dogs", answer)

    def test_ambiguous_object_names_teach_nothing(self):
        self.assertNotIn("objects", self.heads("object", "crane", "EliSchwartz/imagenet-sample-images"))

    def test_zoo_has_59_species(self):
        self.assertEqual(len(labels.zoo_table()), 59)


class MeasureTests(unittest.TestCase):
    def test_area_under_curve_counts_ties_half(self):
        self.assertAlmostEqual(measures.area_under_curve(np.array([0.1, 0.5, 0.5, 0.9]), [0, 0, 1, 1]), 0.875)

    def test_calibration_error_of_certain_wrong_answers_is_one(self):
        probabilities = np.array([[1.0, 0.0], [1.0, 0.0]])
        self.assertAlmostEqual(measures.calibration_error(probabilities, np.array([1, 1]))[0], 1.0)

    def test_a_class_that_is_never_answered_takes_its_share(self):
        # Half of the probability lies on the third class: the others are right, at 0.4 instead of 0.8.
        logits = np.log(np.array([[0.4, 0.1, 0.5], [0.1, 0.4, 0.5]]))
        found = measures.classification(logits, np.array([0, 1]), classes=2)
        self.assertEqual((found["top1"], found["photos"]), (1.0, 2))
        self.assertAlmostEqual(found["ece"], 0.6)
