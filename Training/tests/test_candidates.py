"""Behaviour of backbones, heads and tuning that needs no photos: python -m unittest discover tests"""

import io
import tempfile
import types
import unittest
from pathlib import Path

import numpy as np
import torch
from onnx.reference import ReferenceEvaluator
from PIL import Image

from menagerie_training import labels
from menagerie_training.backbones import edgetpu, graph, lite, vit
from menagerie_training.candidates import cascade, features, fitting, table
from menagerie_training.cascade import calibration, curve, distil, pair, second, tune, tuned
from menagerie_training.detection import boxes, report
from menagerie_training.gallery import kinds
from menagerie_training.tuning import crops, trainer


def scrambled(module, seed=0):
    """The module with small random weights."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            spread = 0.5 / max(1, parameter[0].numel()) ** 0.5 if parameter.ndim > 1 else 0.1
            parameter.copy_(torch.randn_like(parameter) * spread)
    return module.eval()


class GraphTests(unittest.TestCase):
    def test_same_padding_is_tensorflows(self):
        self.assertEqual(edgetpu.Convolution(1, 1, 3, 2).pads(224), (0, 1))
        self.assertEqual(edgetpu.Convolution(1, 1, 3, 2).pads(7), (1, 1))
        self.assertEqual(edgetpu.Convolution(1, 1, 5, 2).pads(14), (1, 2))
        self.assertEqual(edgetpu.Convolution(1, 1, 5, 1).pads(7), (2, 2))

    def test_edgetpu_has_four_million_weights_and_a_seventh_of_the_side(self):
        net = edgetpu.tower()
        self.assertEqual(len(net), 24)
        self.assertAlmostEqual(sum(p.numel() for p in net.parameters()) / 1e6, 2.8, delta=0.3)
        with torch.no_grad():
            self.assertEqual(net(torch.zeros(1, 3, 64, 64)).shape, (1, 1280, 2, 2))

    def test_the_file_answers_as_the_network(self):
        edge = scrambled(edgetpu.tower())
        model = graph.features(edge, None, size=64, held=11)
        x = np.random.default_rng(0).normal(size=(1, 3, 64, 64)).astype(np.float32)
        found, middle = ReferenceEvaluator(model).run(None, {"image": x})
        with torch.no_grad():
            held = edge[:11](torch.tensor(x))
            expected = edge[11:](held.clone()).mean((2, 3))
        self.assertLess(np.abs(middle - held.numpy()).max(), 2e-3 * np.abs(middle).max())
        self.assertLess(np.abs(found - expected.numpy()).max(), 2e-3 * np.abs(found).max())

    def test_a_smaller_view_is_enlarged_in_front_of_the_network(self):
        edge = scrambled(edgetpu.tower())
        x = np.random.default_rng(0).normal(size=(1, 3, 48, 48)).astype(np.float32)
        (found,) = ReferenceEvaluator(graph.features(edge, None, size=64, view=48)).run(None, {"image": x})
        large = torch.nn.functional.interpolate(torch.tensor(x), size=(64, 64), mode="bilinear", align_corners=False)
        with torch.no_grad():
            expected = edge(large).mean((2, 3)).numpy()
        self.assertLess(np.abs(found - expected).max(), 2e-3 * np.abs(found).max())

    def test_lite_answers_as_the_public_file_says(self):
        net = scrambled(lite.tower(2))
        self.assertEqual(len(net), 1 + 21 + 1)
        self.assertEqual([block.layers[-1].bias.shape[0] for block in net[1:-1]],
                         [16] + [24] * 3 + [48] * 3 + [88] * 4 + [120] * 4 + [208] * 5 + [352])
        stored, random = {}, torch.Generator().manual_seed(1)
        convolutions = [module for module in net.modules() if isinstance(module, edgetpu.Convolution)]
        for number, module in enumerate(convolutions):
            weight = torch.randn(module.direction.shape, generator=random)
            stored[f"{number}.weight"] = weight / weight[0].numel() ** 0.5
            outputs = len(weight)
            for name in ("weight", "bias", "running_mean"):
                stored[f"norm{number}.{name}"] = 0.2 * torch.randn(outputs, generator=random) + (name == "weight")
            stored[f"norm{number}.running_var"] = 0.5 + torch.rand(outputs, generator=random)
        stored["_fc.weight"], stored["_fc.bias"] = torch.randn(1000, 1280, generator=random), torch.randn(1000, generator=random)
        with tempfile.TemporaryDirectory() as folder:
            torch.save(stored, Path(folder) / "lite.pth")
            net, weight, bias = lite.load(Path(folder) / "lite.pth", 2)
        torch.testing.assert_close((weight, bias), (stored["_fc.weight"], stored["_fc.bias"]))
        # A convolution, then its batch-norm, as the public network computes them; stem, depthwise 5×5 and the last.
        for number in (0, 12, len(convolutions) - 1):
            module, norm = convolutions[number], f"norm{number}."
            loaded = [each for each in net.modules() if isinstance(each, edgetpu.Convolution)][number]
            x = 5 * torch.randn(1, module.direction.shape[1] * module.groups, 8, 8, generator=random)
            top, bottom = module.pads(8)
            plain = torch.nn.functional.conv2d(
                torch.nn.functional.pad(x, (top, bottom, top, bottom)), stored[f"{number}.weight"], stride=module.stride,
                groups=module.groups)
            expected = torch.nn.functional.batch_norm(
                plain, *(stored[norm + name] for name in ("running_mean", "running_var", "weight", "bias")), eps=1e-3)
            with torch.no_grad():
                found = loaded(x)
            torch.testing.assert_close(found, expected.clamp(0, 6) if module.activate else expected, rtol=1e-4, atol=1e-4)

    def test_the_second_stage_can_be_lite(self):
        net = scrambled(lite.tower(2))
        made = pair.seeing(second.Lite2, net).model({second.Lite2.KEY: [second.Lite2.FEATURES]})
        x = np.random.default_rng(0).normal(size=(1, 3, 192, 192)).astype(np.float32)
        (found,) = ReferenceEvaluator(made).run(None, {"image": x})
        with torch.no_grad():
            large = torch.nn.functional.interpolate(torch.tensor(x), size=(240, 240), mode="bilinear", align_corners=False)
            expected = net(large).mean((2, 3)).numpy()
        self.assertLess(np.abs(found - expected).max(), 5e-3 * np.abs(expected).max())
        self.assertGreater(float(expected.std()), 0)
        self.assertTrue(all(node.name.startswith(second.Lite2.TOWER) for node in made.graph.node if node.op_type == "Conv"))
        activated = sum(module.activate for module in net.modules() if isinstance(module, edgetpu.Convolution))
        self.assertEqual(sum(node.op_type == "Clip" for node in made.graph.node), activated)

    def test_vit_answers_a_batch_as_the_network(self):
        net = scrambled(vit.ViT())
        x = np.random.default_rng(0).normal(size=(2, 3, 224, 224)).astype(np.float32)
        (found,) = ReferenceEvaluator(graph.features(None, net)).run(None, {"image": x})
        with torch.no_grad():
            expected = net(torch.tensor(x)).numpy()
        self.assertLess(np.abs(found - expected).max(), 5e-3 * np.abs(expected).max())

    def test_vit_answers_a_view_of_192_px_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            vit.save(Path(folder) / "vit.npz", scrambled(vit.ViT()), torch.zeros(1000, 192), torch.zeros(1000))
            net = second.ViTTiny192.load(Path(folder) / "vit.npz")[0]
            vit.save(Path(folder) / "placed.npz", net, torch.zeros(1000, 192), torch.zeros(1000))
            again = second.ViTTiny192.load(Path(folder) / "placed.npz")[0]
        self.assertEqual(net.positions.shape, (1, 145, 192))
        torch.testing.assert_close(again.positions, net.positions, rtol=1e-3, atol=1e-3)
        made = pair.seeing(second.ViTTiny192, net).model({"vit": [192]})
        self.assertNotIn("Resize", {node.op_type for node in made.graph.node})
        x = np.random.default_rng(0).normal(size=(2, 3, 192, 192)).astype(np.float32)
        (found,) = ReferenceEvaluator(made).run(None, {"image": x})
        with torch.no_grad():
            expected = net(torch.tensor(x)).numpy()
        self.assertLess(np.abs(found - expected).max(), 5e-3 * np.abs(expected).max())

    def test_places_keep_their_order_when_they_become_fewer(self):
        net = vit.ViT()
        row = torch.arange(14.0).repeat_interleave(14)
        with torch.no_grad():
            net.positions[0, 1:, 0], net.positions[0, 1:, 1], net.positions[0, 0] = row, row.view(14, 14).T.flatten(), 5
        found = vit.placed(net, 192).positions[0]
        self.assertEqual(found.shape, (145, 192))
        self.assertEqual(set(found[0].tolist()), {5.0})
        rows, columns = found[1:, 0].view(12, 12), found[1:, 1].view(12, 12)
        torch.testing.assert_close(rows, columns.T)
        self.assertTrue(bool((rows.diff(dim=0) > 0).all()))
        self.assertAlmostEqual(float(rows.mean()), 6.5, places=4)


class SecondStageTests(unittest.TestCase):
    def setUp(self):
        self.net = scrambled(vit.ViT())
        random = torch.Generator().manual_seed(3)
        self.image = torch.randn(2, 3, 224, 224, generator=random)
        layer = lambda classes: (torch.randn(classes, 192, generator=random), torch.randn(classes, generator=random))  # noqa: E731
        self.objects = layer(10)
        zoo = torch.eye(10, 4), torch.ones(4), torch.zeros(4), *layer(4)
        layers = {"kinds": layer(13), "cats": layer(4), "dogs": layer(3), "fruit": layer(6)}
        self.stage = types.SimpleNamespace(
            names={"cats": ["a", "b", "c"], "dogs": ["d", "e"]}, layers=layers, dog_rows=[4, 7], zoo_tables=lambda: zoo)

    @torch.no_grad()
    def behind(self, held):
        """The tokens of the images behind so many blocks, and the features at the end."""
        found = []
        hook = self.net.blocks[held - 1].register_forward_hook(lambda module, inputs, output: found.append(output))
        features = self.net(self.image)
        hook.remove()
        return found[0], features

    def test_the_student_begins_as_the_network_and_its_fitted_heads(self):
        tokens, features = self.behind(8)
        student = tune.Student(self.net, 8, self.stage, self.objects).eval()
        with torch.no_grad():
            torch.testing.assert_close(student.features(tokens), features, rtol=1e-4, atol=1e-4)
            found = student(tokens)
        self.assertEqual({head: values.shape[1] for head, values in found.items()},
                         {"kinds": 13, "cats": 3, "dogs": 2, "fruit": 6, "zoo": 4, "objects": 10})
        objects = features @ self.objects[0].T + self.objects[1]
        torch.testing.assert_close(found["objects"], objects, rtol=1e-3, atol=1e-3)
        weight, bias = self.stage.layers["dogs"]
        expected = features @ weight[:2].T + bias[:2] + objects[:, [4, 7]]
        torch.testing.assert_close(found["dogs"], expected, rtol=1e-3, atol=1e-3)
        self.assertEqual(float(self.stage.layers["dogs"][1][0]), float(bias[0]))

    def test_a_training_step_keeps_the_class_token_and_a_share_of_the_others(self):
        run = types.SimpleNamespace(options=types.SimpleNamespace(kept=0.5, steps=100), step=0)
        tokens = torch.arange(197.0).view(1, 197, 1).expand(3, 197, 192)
        found = tune.Trainer.prepared(run, tokens, np.random.default_rng(0))
        self.assertEqual(found.shape, (3, 99, 192))
        self.assertEqual(float(found[2, 0, 0]), 0)
        self.assertEqual(len(set(found[0, :, 0].tolist())), 99)
        run.step = 75
        self.assertEqual(tune.Trainer.prepared(run, tokens, np.random.default_rng(0)).shape, tokens.shape)
        self.assertEqual(tune.Trainer.prepared(run, tokens).shape, tokens.shape)

    def test_a_student_that_sees_as_at_224_px_lacks_less(self):
        tokens, features = self.behind(8)
        run = types.SimpleNamespace(
            options=types.SimpleNamespace(batch=2), labels={"fruit": 1.0}, taught={"fruit": 1.0}, mixed=0.0, SEEN=2.0,
            student=tune.Student(self.net, 8, self.stage, self.objects).eval(), deviation=torch.full((192,), 0.5),
            truth={"fruit": np.array([0, 1])}, prepared=lambda middle, random: middle,
            lesson=lambda edge, big: {"fruit": torch.full((2, 6), 1 / 6)})
        found = []
        for big in (features, features + 1):
            torch.manual_seed(0)
            run.crops = types.SimpleNamespace(draw=lambda random, batch, big=big: (tokens, None, big, np.array([0, 1])))
            with torch.no_grad():
                found.append(float(distil.Trainer.loss(run, np.random.default_rng(0))))
        # A distance of two deviations everywhere.
        self.assertAlmostEqual(found[1] - found[0], 2.0 * 4, delta=1e-2)

    def test_photos_that_the_first_stage_is_unsure_of_are_drawn_twice_as_often(self):
        rows = [{"group": "cat", "class": "a"}] * 4
        labels = {"cats": np.zeros(4, int), "dogs": np.full(4, -1)}
        with tempfile.TemporaryDirectory() as folder:
            np.savez(Path(folder) / "draw0_000.npz", vit=np.zeros((4, 2), np.float16), positions=np.arange(4))
            np.save(Path(folder) / "draw0_000_middle.npy", np.zeros((4, 3, 2), np.float16))
            unsure = np.array([False, True, False, False])
            found = distil.Crops(unsure, folder, ["draw0"], rows, labels, np.ones(4, bool), ("vit",))
        np.testing.assert_allclose(np.diff(found.chances, prepend=0), [0.2, 0.4, 0.2, 0.2])

    def test_a_share_of_the_photos_takes_all_views_of_each(self):
        positions = np.array([4, 7, 4, 9, 7, 2])
        chosen = curve.portion(positions, 0.5, np.random.default_rng(1))
        self.assertEqual(len(set(positions[chosen])), 2)
        self.assertFalse(set(positions[chosen]) & set(positions[~chosen]))

    def test_weights_part_of_the_way_and_the_file_that_keeps_them(self):
        start = tune.Student(self.net, 8, self.stage, self.objects)
        end = tune.Student(scrambled(vit.ViT(), seed=5), 8, self.stage, self.objects)
        middle = tuned.between(tune.Student(self.net, 8, self.stage, self.objects), end, 0.25)
        for name, value in middle.state_dict().items():
            torch.testing.assert_close(value, 0.75 * start.state_dict()[name] + 0.25 * end.state_dict()[name])
        with tempfile.TemporaryDirectory() as folder:
            vit.save(Path(folder) / "vit.npz", self.net, *self.objects)
            net, weight, bias = vit.load(Path(folder) / "vit.npz")
        torch.testing.assert_close(weight, self.objects[0], rtol=1e-3, atol=1e-3)
        for name, value in net.state_dict().items():
            torch.testing.assert_close(value, self.net.state_dict()[name], rtol=1e-3, atol=1e-3)


class FittingTests(unittest.TestCase):
    def test_sets_of_labels_teach_what_single_labels_would(self):
        random = torch.Generator().manual_seed(0)
        truth = torch.randint(3, (600,), generator=random)
        points = torch.nn.functional.one_hot(truth, 3).float() * 3 + torch.randn(600, 3, generator=random)
        mask = torch.nn.functional.one_hot(truth, 3).bool()
        mask[::2, 1] |= truth[::2] == 2  # half of class 2 is only known to be 1 or 2
        weight, bias = fitting.fit_sets(points, mask, torch.ones(600), 1e-3)
        self.assertGreater(float(((points @ weight.T + bias).argmax(1) == truth).float().mean()), 0.9)

    def test_presence_is_the_sum_of_its_kinds(self):
        logits = torch.randn(5, len(kinds.KINDS))
        found, shares = fitting.presence(logits).softmax(1), logits.softmax(1)
        self.assertTrue(torch.allclose(found[:, 2], shares[:, 2:].sum(1), atol=1e-6))
        self.assertTrue(torch.allclose(found[:, :2], shares[:, :2], atol=1e-6))

    def test_species_begin_with_what_imagenet_says(self):
        names = [f"c{i}" for i in range(998)] + ["meerkat", "macaw"]
        entries = [{"imagenet": ["meerkat"]}, {"imagenet": []}]
        objects = torch.zeros(1, 1000)
        objects[0, 998] = 12
        found = fitting.zoo_base(objects, names, entries)
        self.assertGreater(float(found[0, 0]), 2)
        self.assertEqual([float(value) for value in found[0, 1:]], [fitting.UNKNOWN, 0])


class TableTests(unittest.TestCase):
    def test_strangers_are_counted_by_kind(self):
        names = {"presence": labels.PRESENCE, "cats": labels.CLEAN_CATS, "dogs": ["d", "e"], "zoo": ["s", "none"]}
        names |= {"objects": ["x", "y", "z"], "fruit": ["f", "none"], "kinds": list(kinds.KINDS)}
        count = 4
        truth = {head: np.full(count, -1) for head in names}
        truth["presence"] = np.array([2, 2, 2, 0])
        truth |= {"other_cats": np.zeros(count, bool), "other_dogs": np.zeros(count, bool)}
        answers = {head: np.zeros((count, len(values)), np.float32) for head, values in names.items()}
        answers["presence"][:, 2] = 5
        answers["presence"][0] = 5, 0, 0
        answers["cats"][0, 0] = 50
        kind = np.array(["wild_cat", "wild_cat", "person", "cat"])
        found = table.row(answers, truth, kind, np.array(["sharp"] * 4), names, {}, [0.9, 0.9], np.zeros(count, bool))
        self.assertEqual(found["taken: wild_cat"], (0.5, 2))
        self.assertEqual(found["taken: person"], (0.0, 1))
        self.assertEqual(found["strangers named as a breed, real"], (1 / 3, 3))
        self.assertEqual(found["presence"], (0.5, 4))


class CascadeTests(unittest.TestCase):
    def test_the_large_network_answers_what_the_small_one_doubts(self):
        small, large = {"cats": np.array([[1, 0], [0.1, 0]])}, {"cats": np.array([[0, 9], [0, 9]])}
        sure = np.array([0.9, 0.2])
        found = [cascade.joined(small, large, sure, cascade.threshold(sure, share)) for share in (0.0, 0.5, 1.0)]
        self.assertEqual([list(answers["cats"].argmax(1)) for answers in found], [[0, 0], [0, 1], [1, 1]])


class CalibrationTests(unittest.TestCase):
    def logits(self, sharper=1.0, count=4000):
        """(logits, labels drawn by their probabilities); sharper: the factor of the logits."""
        random = np.random.default_rng(0)
        logits = random.normal(0, 2, (count, 5))
        shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        truth = np.array([random.choice(5, p=each) for each in shares])
        return logits * sharper, truth

    def test_right_probabilities_have_the_error_of_chance_and_none_without_it(self):
        logits, truth = self.logits()
        found = calibration.row(logits, truth, np.arange(len(truth)) % 10, 5)
        self.assertAlmostEqual(found["temperature"], 1, delta=0.08)
        self.assertAlmostEqual(found["error"], found["chance"], delta=0.01)
        self.assertLess(found["rest"], 0.02)
        few = calibration.by_chance(np.full(50, 0.7))
        self.assertGreater(few, 3 * calibration.by_chance(np.full(5000, 0.7)))

    def test_what_is_too_sure_is_seen_and_mended(self):
        logits, truth = self.logits(sharper=2)
        shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        self.assertGreater(calibration.without_chance(shares.max(1), shares.argmax(1) == truth), 0.08)
        found = calibration.row(logits, truth, np.arange(len(truth)) % 10, 5)
        self.assertAlmostEqual(found["temperature"], 2, delta=0.15)
        self.assertLess(found["rest"], 0.02)

    def test_a_manifest_takes_the_numbers_and_keeps_the_rest(self):
        before = {"file": "a", "calibration": {"objects": {"temperature": 1, "abstain_below": 0.1}, "presence": {"temperature": 1}}}
        measured = {"temperature": {"objects": 0.7, "presence": 0.8}, "abstain_below": {"objects": 0.3}}
        after = calibration.into_manifest(before, measured)
        self.assertEqual(after["calibration"]["objects"], {"temperature": 0.7, "abstain_below": 0.3})
        self.assertEqual((after["file"], after["calibration"]["presence"]), ("a", {"temperature": 0.8}))


class ReportTests(unittest.TestCase):
    def test_a_box_is_found_once_and_what_is_on_none_is_counted(self):
        cat, dog, bird = (boxes.LABELS.index(name) for name in ("cat", "dog", "bird"))
        photo = types.SimpleNamespace(
            boxes=np.array([[0, 0, 10, 10], [20, 0, 30, 10]], np.float32), labels=np.array([cat, dog]), complete=[cat, dog])
        edges = np.array([[0, 0, 10, 9], [1, 0, 10, 10], [20, 0, 30, 10], [50, 50, 60, 60]], np.float32)
        found, wrong = report.matched(edges, np.array([cat, cat, cat, bird]), photo)
        self.assertEqual(list(found), [True, False])
        self.assertEqual(wrong, [cat, cat])

    def test_a_scene_tells_where_the_photo_is(self):
        file, place = report.scene(Image.new("RGB", (400, 200)), Image.new("RGB", (20, 10), (255, 255, 255)), 40, 100, 50)
        np.testing.assert_allclose(place, [0.25, 0.25, 0.35, 0.35])
        self.assertGreater(np.asarray(Image.open(io.BytesIO(file)))[60, 120].min(), 200)


class FeatureTests(unittest.TestCase):
    def test_a_run_goes_on_where_it_stopped(self):
        gallery = types.SimpleNamespace(photo=lambda p: np.full((40, 40, 3), p % 256, np.uint8))
        asked = []

        class Network:
            size = 32

            def __call__(self, views):
                asked.append(len(views))
                return {"mean": views.mean((1, 2)).astype(np.float16), "middle": np.zeros((len(views), 2, 3, 3), np.float16)}

        with tempfile.TemporaryDirectory() as folder:
            positions = np.array([1, 5, 1030])
            features.make(gallery, Network(), "net", "size0", positions[:2], folder)
            features.make(gallery, Network(), "net", "size0", positions, folder)
            found, there = features.load("net", "size0", folder, 2000)
            self.assertEqual(asked, [2, 1])
            self.assertEqual(list(np.flatnonzero(there)), [1, 5, 1030])
            self.assertAlmostEqual(float(found["mean"][5, 0]), 5, delta=1)
            self.assertTrue((Path(folder) / "net" / "size0_000_middle.npy").exists())


class TuningTests(unittest.TestCase):
    def test_a_run_rests_while_its_folder_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            run = types.SimpleNamespace(run=Path(folder))
            self.assertFalse(trainer.Trainer.rests(run, 0))
            (run.run / "PAUSE").touch()
            self.assertTrue(trainer.Trainer.rests(run, 0))

    photos = [("cat", "siamese")] * 90 + [("cat", "korat")] * 10 + [("object", "cup")] * 50
    rows = [{"group": group, "class": name} for group, name in photos]

    def test_rare_breeds_are_drawn_more_often_and_strangers_have_their_share(self):
        known = {"cats": np.array([0] * 90 + [1] * 10 + [-1] * 50), "dogs": np.full(150, -1)}
        found = crops.chances(self.rows, known, np.arange(150))
        self.assertAlmostEqual(found.sum(), 1)
        self.assertGreater(found[95], 2 * found[5])
        self.assertAlmostEqual(found[100:].sum() / found[:100].sum(), crops.SHARES["rest"] / crops.SHARES["cats"], places=6)

    def test_later_stages_learn_faster(self):
        student = trainer.Student(edgetpu.tower(), 20, {"kinds": 13})
        groups = trainer.rates(student, 1e-3)
        found = [group["rate"] for group in groups[1::2]]
        self.assertEqual(found, sorted(found, reverse=True))
        count = sum(p.numel() for group in groups for p in group["params"])
        self.assertEqual(count, sum(p.numel() for p in student.parameters()))

    def test_losses_fall_for_right_answers(self):
        order, count = torch.arange(4), 4
        targets = {head: torch.zeros(count, dtype=torch.long) for head in trainer.LABELS if head != "kinds"}
        targets["kinds"] = torch.eye(13, dtype=torch.bool)[:1].expand(count, -1)
        right = {head: torch.zeros(count, 13) for head in trainer.LABELS}
        wrong = {head: torch.zeros(count, 13) for head in trainer.LABELS}
        for head in right:
            right[head][:, 0], wrong[head][:, 1] = 4, 4
        self.assertLess(trainer.label_loss(right, targets, order, 1.0), trainer.label_loss(wrong, targets, order, 1.0))


if __name__ == "__main__":
    unittest.main()
