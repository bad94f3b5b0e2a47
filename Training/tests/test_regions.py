"""The regression that names regions, on made-up answers of both networks."""

import json
import unittest
from pathlib import Path

import numpy as np

from menagerie_training.detection import regions

MANIFEST = json.loads((Path(__file__).parents[2] / "Models/menagerie/manifest.json").read_text())
WORDS = ("cat", "dog", "car", "cup", regions.NOTHING)


def drawn(vocabulary, count, random):
    """Answers that name the right word, with noise: (inputs, things, truth)."""
    heads = MANIFEST["heads"]
    kinds, objects, zoo = heads["kinds"]["labels"], heads["objects"], heads["zoo"]["labels"]
    names = [*regions.WORDS, regions.NOTHING]
    said = [random.random((count, size)) * 0.02 for size in (81, len(kinds), len(zoo), len(objects))]
    truth = random.integers(len(WORDS), size=count)
    for row, word in enumerate(truth):
        name = WORDS[word]
        said[1][row, kinds.index({"cat": "cat", "dog": "dog", regions.NOTHING: "scene"}.get(name, "object"))] = 0.9
        if name in regions.COCO:
            said[0][row, regions.COCO.index(name)] = 0.6
        if name in regions.THINGS:
            said[3][row, objects.index(regions.THINGS[name].split()[0])] = 0.5
    inputs, things = regions.features(vocabulary, *said, np.full(count, 120.0))
    return inputs, things, np.array([names.index(WORDS[word]) for word in truth])


class Regression(unittest.TestCase):
    def setUp(self):
        self.vocabulary = regions.Vocabulary(MANIFEST)
        random = np.random.default_rng(1)
        self.learnt, self.held = drawn(self.vocabulary, 200, random), drawn(self.vocabulary, 100, random)

    def fitted(self, **options):
        return regions.fit(self.vocabulary, *self.learnt, np.ones(200), **options)

    def test_names_what_both_networks_say(self):
        inputs, things, truth = self.held
        p = regions.softmax(self.fitted().logits(inputs, things))
        self.assertGreater(np.mean(p.argmax(1) == truth), 0.95)
        np.testing.assert_allclose(p.sum(1), 1)

    def test_without_the_detector_its_scores_count_nothing(self):
        inputs, things, _ = self.held
        found = self.fitted(uses_detector=False)
        unseen, blind = inputs.copy(), things.copy()
        unseen[:, : len(self.vocabulary.inputs["detector"])] = 0
        blind[..., :2] = 0
        np.testing.assert_allclose(found.logits(unseen, blind), found.logits(inputs, things))

    def test_the_manifest_has_a_sum_for_each_group_and_the_words_that_ship(self):
        section = regions.manifest_section(MANIFEST, self.fitted(), self.fitted(uses_detector=False))
        self.assertEqual(set(section["together"]["words"]), set(regions.GROUPS))
        self.assertEqual(section["words"], MANIFEST["regions"]["words"])


if __name__ == "__main__":
    unittest.main()
