"""Behaviour of the specialists that needs no photos: python -m unittest discover tests"""

import tempfile
import types
import unittest
from pathlib import Path

import numpy as np
import torch

from menagerie_training.backbones import edgetpu
from menagerie_training.specialists import classes, specialist, teacher, train
from tests.test_candidates import scrambled


def gallery(names, part=None):
    """Photos of these breeds, as far as the specialists ask."""
    return types.SimpleNamespace(
        rows=[{"class": name, "group": "cat"} for name in names], heads={"cats": ["birman", "sphynx"]},
        part=np.array(part or ["train"] * len(names)))


class ClassTests(unittest.TestCase):
    def test_a_further_breed_is_a_class_where_photos_suffice(self):
        names = ["birman"] + ["manx"] * classes.ENOUGH + ["ocicat", "birman", "canadian_hairless"]
        truth = {"cats": np.array([0] + [-1] * (len(names) - 1)), "other_cats": np.array([False] + [True] * (len(names) - 1))}
        self.assertEqual(classes.others(gallery(names), truth, "cats"), ["manx"])
        found = classes.targets(gallery(names), truth, "cats", ["manx"])
        # A birman whose label was struck out, or a sphynx by another name, teaches nothing.
        self.assertEqual(found.tolist(), [0] + [3] * classes.ENOUGH + [2, -1, -1])

    def test_the_further_breeds_share_is_another_breeds(self):
        logits = torch.randn(3, 6, generator=torch.Generator().manual_seed(1))
        folded = classes.folded(logits, 2)
        self.assertTrue(torch.allclose(folded.softmax(1)[:, 2], logits.softmax(1)[:, 2:].sum(1)))
        self.assertTrue(torch.equal(folded[:, :2], logits[:, :2]))


class TrainingTests(unittest.TestCase):
    def test_rare_breeds_are_drawn_more_often_than_they_are_there(self):
        targets = np.array([0] * 8 + [1] * 2 + [3] + [-1])
        found = train.chances(targets, np.arange(12), 2)
        self.assertAlmostEqual(found.sum(), 1)
        self.assertGreater(found[8] / found[0], 1.5)
        self.assertLess(found[11], found[0])

    def test_a_mixture_knows_its_shares(self):
        x = torch.arange(4.0).view(4, 1, 1, 1).expand(4, 3, 64, 64).clone()
        for seed in range(20):
            y, order, share = train.mixed(x, np.random.default_rng(seed))
            expected = x[:, 0, 0, 0] * share + order.float() * (1 - share)
            self.assertTrue(torch.allclose(y.mean((1, 2, 3)), expected, atol=1e-4))

    def test_a_photo_without_label_and_teacher_costs_nothing(self):
        logits = torch.randn(3, 5, generator=torch.Generator().manual_seed(2))
        taught = torch.full((3, 3), torch.nan)
        taught[1] = torch.tensor([1.0, 0, 0])
        found = train.lacks(logits, torch.tensor([-1, -1, 4]), taught, 2)
        self.assertEqual(float(found[0]), 0)
        self.assertAlmostEqual(float(found[1]), -train.TAUGHT * float(logits[1].log_softmax(0)[0]), places=5)
        self.assertGreater(float(found[2]), 0)

    def test_rates_fall_and_held_stages_have_none(self):
        net = specialist.Specialist(edgetpu.tower(), 3)
        net.stages[:6].requires_grad_(False)
        groups = specialist.rates(net, 1.0)
        rates = [group["rate"] for group in groups]
        self.assertEqual(rates, sorted(rates, reverse=True))
        self.assertEqual(len(rates), 1 + 2 * (len(net.stages) - 6))

    def test_the_head_begins_as_a_linear_layer_on_the_features(self):
        torch.manual_seed(3)
        net = specialist.Specialist(scrambled(edgetpu.tower()), 3).eval()
        features, truth = torch.randn(90, edgetpu.FEATURES), torch.arange(90) % 3
        features[:, 0] += 3.0 * truth
        net.begin(features, torch.where(torch.arange(90) < 3, -1, truth))
        self.assertGreater(float((net.head(features).argmax(1) == truth).float().mean()), 0.9)


class TeacherTests(unittest.TestCase):
    def test_photos_nobody_was_asked_about_have_no_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "teacher.npz"
            np.savez(file, positions=np.array([2]), probabilities=np.array([[0.25, 0.75]]))
            found = teacher.probabilities(file, 4, 2)
        self.assertEqual(found[2].tolist(), [0.25, 0.75])
        self.assertTrue(np.isnan(found[[0, 1, 3]]).all())

    def test_the_first_weights_leave_the_share_of_other_breeds(self):
        cascade, first = np.array([[2.0, 1.0, 0.0]]), np.array([[0.0, 3.0]])
        found = np.exp(teacher.joined(cascade, first, "cats"))[0]
        before = np.exp(cascade[0]) / np.exp(cascade[0]).sum()
        self.assertAlmostEqual(found.sum(), 1, places=4)
        self.assertAlmostEqual(found[2], before[2], places=4)
        self.assertGreater(found[1], found[0])


if __name__ == "__main__":
    unittest.main()
