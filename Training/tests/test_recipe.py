"""Behaviour of the parts that need no photos: python -m unittest discover tests"""

import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from menagerie_training import (
    answers, augment, calibrate, export, frozen, labels, linear, measures, network, pool, refit, train, zoo,
)
from menagerie_training.cascade import seven_bits


class CalibrationTests(unittest.TestCase):
    def test_temperature_recovers_the_scale(self):
        random = np.random.default_rng(0)
        logits = random.normal(0, 2, (20000, 5))
        truth = (logits + random.gumbel(size=logits.shape)).argmax(1)
        self.assertAlmostEqual(calibrate.temperature(logits * 3, truth), 3, delta=0.15)

    def test_threshold_reaches_the_precision(self):
        score, right = np.linspace(0, 1, 101), np.arange(101) >= 50
        chosen = calibrate.threshold(score, right, 0.9)
        self.assertGreaterEqual(right[score >= chosen].mean(), 0.9)

    def test_a_row_beside_a_head_finds_what_is_none_of_its_classes(self):
        random = torch.Generator().manual_seed(4)
        truth = torch.randint(3, (600,), generator=random)
        features = torch.randn(600, 8, generator=random) + 4 * torch.eye(3, 8)[truth]
        base = features[:, :2] * 2
        weight, bias = linear.fit_row(features, base, truth)
        answer = torch.cat([base, (features @ weight + bias).unsqueeze(1)], 1).argmax(1)
        self.assertGreater(float((answer == truth).float().mean()), 0.95)


class CropTests(unittest.TestCase):
    def test_both_devices_cut_the_same_picture(self):
        ramp = np.linspace(0, 255, 64)
        photo = np.stack([np.tile(ramp, (64, 1)), np.tile(ramp[:, None], (1, 64)), np.full((64, 64), 100)], 2)
        photos = photo[None].astype(np.uint8)
        boxes = np.array([[0.25, 0.1, 0.5, 0.6]], np.float32)
        by_cpu = augment.crop_cpu(photos, boxes, 32).transpose(0, 3, 1, 2)
        by_gpu = augment.crop_gpu(torch.as_tensor(photos), boxes, 32).numpy()
        self.assertLess(np.abs(by_cpu - by_gpu).mean(), 2)

    def test_boxes_stay_inside(self):
        boxes = augment.draw_boxes(np.random.default_rng(1), np.array([0.5, 1, 2] * 50))
        self.assertTrue((boxes[:, :2] >= 0).all() and (boxes[:, :2] + boxes[:, 2:] <= 1.0001).all())

    def test_one_matrix_is_brightness_contrast_and_saturation(self):
        x = torch.rand(4, 3, 8, 8) * 120 + 60
        draws = np.random.default_rng(3)
        mirror = draws.random(4) < 0.5
        brightness, contrast, saturation = draws.uniform(0.7, 1.3, (3, 4, 1, 1, 1))
        expected = np.where(mirror[:, None, None, None], x.numpy()[..., ::-1], x.numpy()) * brightness
        centre = expected.mean((1, 2, 3), keepdims=True)
        expected = (expected - centre) * contrast + centre
        grey = expected.mean(1, keepdims=True)
        expected = ((expected - grey) * saturation + grey).clip(0, 255) / 127.5 - 1
        ours = augment.recolour(x, np.random.default_rng(3)).numpy()
        np.testing.assert_allclose(ours, expected, atol=1e-4)

    def test_mixtures_keep_the_sum_of_the_shares(self):
        features = torch.eye(6)
        for seed in range(20):
            mixed, order, share = augment.mix(features, np.random.default_rng(seed))
            self.assertTrue(0.5 <= share <= 1)
            torch.testing.assert_close(mixed, features * share + features[order] * (1 - share))


class PoolTests(unittest.TestCase):
    """A pool over 40 noise photos, with the mean colour in the place of the network's answers."""

    def setUp(self):
        self.enterContext(unittest.mock.patch.multiple(pool, SET=64, KEPT=3, FIRST=2, REUSE=2))
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def pool(self):
        groups = np.repeat(["cat", "dog", "fruit", "object"], 10)
        rows = [{"group": group, "class": group} for group in groups]
        numbers = {"cats": (groups == "cat") - 1, "dogs": (groups == "dog") - 1, "presence": np.zeros(40, int)}
        photos = np.random.default_rng(1).integers(0, 256, (40, 16, 16, 3), np.uint8)
        pack = types.SimpleNamespace(rows=rows, labels=numbers, photos=photos, aspect=np.ones(40))

        def mean_colour(x):
            colour = x.mean((2, 3)).numpy().astype(np.float16)
            return colour[:, None, None], colour

        mean_colour.batch = 32
        return pool.Pool(pack, np.arange(40), mean_colour, 8, 1, self.folder, "cpu")

    def test_old_sets_give_way_to_new_ones(self):
        crops = self.pool()
        self.assertEqual((crops.fill(0, 32), sorted(crops.sets)), (2, [0, 1]))
        self.assertEqual((crops.fill(0, 32), sorted(crops.sets)), (0, [0, 1]))
        self.assertEqual((crops.fill(4, 32), sorted(crops.sets)), (1, [0, 1, 2]))
        self.assertEqual((crops.fill(8, 32), sorted(crops.sets)), (1, [1, 2, 3]))
        self.assertFalse(crops.file(0).exists())

    def test_another_run_continues_with_the_same_batches(self):
        first, second = self.pool(), self.pool()
        first.fill(4, 32)
        self.assertEqual(second.fill(4, 32), 0)
        for one, other in zip(first.draw(np.random.default_rng(5), 16), second.draw(np.random.default_rng(5), 16)):
            torch.testing.assert_close(torch.as_tensor(one), torch.as_tensor(other), rtol=0, atol=0)


class NetworkTests(unittest.TestCase):
    def random_network(self):
        torch.manual_seed(1)
        net = network.Menagerie({"presence": 3, "cats": 20, "dogs": 120, "zoo": 60, "fruit": 6, "objects": 1000}).eval()
        for convolution in network.convolutions(net):
            fan = convolution.direction[0].numel()
            convolution.load(torch.randn_like(convolution.direction) * (1.6 / fan) ** 0.5, torch.zeros(len(convolution.bias)))
        for head in net.heads.values():
            torch.nn.init.normal_(head.weight, std=0.05)
        return net

    def test_the_exported_file_answers_as_the_network(self):
        net = self.random_network()
        known = {name for species in labels.zoo_table() for name in species["imagenet"]}
        names = sorted(known) + [f"class_{i}" for i in range(1000 - len(known))]
        composed = zoo.Composition(names, [20 if i % 5 == 0 else 0 for i in range(60)])
        model = export.build(net, composed).SerializeToString(deterministic=True)
        self.assertEqual(model, export.build(net, composed).SerializeToString(deterministic=True))
        x = torch.rand(2, 3, 96, 96) * 2 - 1
        with torch.no_grad():
            ours = answers.finish({name: value.numpy() for name, value in net(x).items()}, composed)
        session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        for output, value in zip(session.get_outputs(), session.run(None, {"image": x.numpy()})):
            np.testing.assert_allclose(value, ours[output.name], rtol=0.02, atol=0.05, err_msg=output.name)

    def test_dequantised_weights_answer_as_the_quantised_ones(self):
        random = np.random.default_rng(0)
        constants = {
            "q": random.integers(-128, 128, (3, 4), np.int8), "s": np.array([0.5, 0.25, 2, 0.1], np.float32),
            "z": np.array([0, 1, -3, 0], np.int8), "q2": np.array([5], np.uint8), "s2": np.float32(0.3), "z2": np.uint8(7),
        }
        nodes = [
            helper.make_node("DequantizeLinear", ["q", "s", "z"], ["w"], axis=1),
            helper.make_node("DequantizeLinear", ["q2", "s2", "z2"], ["b"]),
            helper.make_node("Gemm", ["x", "w", "b"], ["y"]),
        ]
        ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, side])] for name, side in (("x", 3), ("y", 4))]
        tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
        graph = helper.make_graph(nodes, "g", *ends, tensors)
        quantised = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]).SerializeToString()
        x = {"x": random.normal(size=(2, 3)).astype(np.float32)}
        models = [onnx.load_from_string(model) for model in (quantised, answers.dequantised(quantised))]
        self.assertEqual([node.op_type for node in models[1].graph.node], ["Gemm"])
        expected, found = (ReferenceEvaluator(model).run(None, x)[0] for model in models)
        np.testing.assert_array_equal(found, expected)
        self.assertFalse(answers.fits_seven_bits(models[0]))

    def test_seven_bits_keep_the_answers_of_related_inputs(self):
        """GPTQ errs less on such inputs than rounding each weight by itself, and no step is further than 64 from zero."""
        random = np.random.default_rng(2)
        x = random.normal(size=(400, 6)) @ random.normal(size=(6, 24)) + 0.1 * random.normal(size=(400, 24))
        weights = random.normal(size=(8, 24))
        scale = seven_bits.scales(weights)
        steps = seven_bits.rounded(weights, scale, x.T @ x)
        alone = np.clip(np.round(weights / scale), -64, 64)
        self.assertLessEqual(np.abs(steps).max(), 64)
        np.testing.assert_array_equal(steps, np.round(steps))
        errors = [np.square(x @ (weights - rounded * scale).T).sum() for rounded in (steps, alone)]
        self.assertLess(errors[0], errors[1] / 2)

    def test_a_convolution_multiplies_the_windows_of_its_input(self):
        random = np.random.default_rng(3)
        x, weights = random.normal(size=(1, 3, 7, 6)).astype(np.float32), random.normal(size=(4, 3, 3, 3)).astype(np.float32)
        node = helper.make_node("Conv", ["x", "w"], ["y"], pads=[0, 0, 1, 1], strides=[2, 2])
        padded = torch.nn.functional.pad(torch.tensor(x), (0, 1, 0, 1))
        expected = torch.nn.functional.conv2d(padded, torch.tensor(weights), stride=2)[0].flatten(1).T
        found = seven_bits.windows(x, node, weights.shape) @ weights.reshape(4, -1).T
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)

    def test_what_is_frozen_answers_as_the_network(self):
        net = self.random_network()
        x = torch.rand(8, 3, 96, 96) * 2 - 1
        for tower, stages in net.towers.items():
            middle, features = frozen.Frozen(net, tower, 8, 96, "cpu", batch=8)(x)
            with torch.no_grad():
                expected, both = stages[:8](x), net(x)["features"]
            for value, wanted in ((middle, expected.permute(0, 2, 3, 1)), (features, both)):
                error = np.abs(value.astype(np.float32) - wanted.numpy()).mean()
                self.assertLess(error, 0.03 * float(wanted.std()))

    def test_zoo_logits_are_probabilities(self):
        known = {name for species in labels.zoo_table() for name in species["imagenet"]}
        composed = zoo.Composition(sorted(known), [20 if i % 5 == 0 else 0 for i in range(60)])
        random = np.random.default_rng(0)
        linear, objects = random.normal(size=(4, 60)), random.normal(size=(4, len(known)))
        answer = measures.softmax(composed.logits(linear, objects))
        trained = measures.softmax(linear[:, [*composed.trained, composed.none]])
        np.testing.assert_allclose(answer[:, composed.trained], trained[:, :-1], atol=1e-6)

    def test_only_what_is_not_held_is_trained(self):
        net = self.random_network()
        for name, tower in net.towers.items():
            trainee = train.Trainee(net, name, 8)
            with torch.no_grad():
                middle = tower[:8](torch.zeros(1, 3, 64, 64))
            found = trainee(middle)
            sum(value.sum() for value in found.values()).backward()
            self.assertTrue(all(p.grad is None for p in net.parameters()))
            self.assertTrue(all(p.grad is not None for p in trainee.parameters()))
            self.assertEqual(len(trainee.tower), 11)

    def test_the_means_of_what_both_towers_answer_alone_are_the_answers(self):
        net = self.random_network()
        x = torch.rand(2, 3, 96, 96) * 2 - 1
        with torch.no_grad():
            whole = net(x)
            first, second = (train.Trainee(net, name, 8).eval()(tower[:8](x)) for name, tower in net.towers.items())
        for head in net.heads:
            torch.testing.assert_close((first[head] + second[head]) / 2, whole[head])
            self.assertGreater(float((first[head] - second[head]).abs().max()), 0.01)

    def test_part_of_the_way_lies_between(self):
        start, first, second = (network.Menagerie({"cats": 20}) for _ in range(3))
        with torch.no_grad():
            second.load_state_dict(start.state_dict())
            first.load_state_dict(start.state_dict())
            first.first[0].bias.fill_(4)
            second.second[0].bias.fill_(8)
        net = refit.part_of_the_way(start, [first, second], 0.25)
        for tower, expected in zip(net.towers.values(), (1, 2)):
            torch.testing.assert_close(tower[0].bias.detach(), torch.full((32,), float(expected)))

    def test_unlabelled_photos_cost_nothing(self):
        answers_ = {head: torch.zeros(4, 6) for head in train.LOSS_SHARES}
        targets = {head: torch.full((4,), -1) for head in train.LOSS_SHARES}
        self.assertEqual(train.head_loss(answers_, targets, torch.arange(4), 1.0), 0)

    def test_the_answers_of_the_start_are_nearest_to_themselves(self):
        logits = {head: torch.randn(4, 6, generator=torch.Generator().manual_seed(2)) for head in train.ANCHOR_SHARES}
        anchors = {head: value.softmax(1) for head, value in logits.items()}
        order = torch.tensor([1, 2, 3, 0])
        self.assertAlmostEqual(float(train.anchor_loss(logits, anchors, order, 1.0)), 0, places=5)
        further = {**logits, "dogs": logits["dogs"] * 0.5}
        self.assertGreater(float(train.anchor_loss(further, anchors, order, 1.0)), 0.01)


if __name__ == "__main__":
    unittest.main()
