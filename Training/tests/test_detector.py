"""The detector's files and its training: python -m unittest tests.test_detector"""

import unittest
from pathlib import Path

import numpy as np
import onnx
import openvino
import torch
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from PIL import Image

from menagerie_training.detection import (
    boxes, collected, eight_bits, finding, network, samples, trainable, tuning, unshuffled)

SHIPPED = Path(__file__).parents[2] / "Models/menagerie_boxes/menagerie_boxes.onnx"


def shuffling():
    """Two blocks as ShuffleNetV2 has them: half of the channels go through convolutions, then the halves take turns."""
    random = np.random.default_rng(0)
    nodes, stored = [], [
        numpy_helper.from_array(np.array([1, 2, 4, 6, 6]), "apart"), numpy_helper.from_array(np.array([1, 8, 6, 6]), "back"),
    ]

    def convolution(x, name, inputs, outputs, groups=1, kernel=1):
        weight = random.normal(0, 0.5, (outputs, inputs // groups, kernel, kernel)).astype(np.float16)
        bias = random.normal(0, 0.5, outputs).astype(np.float32)
        stored.extend([numpy_helper.from_array(weight, f"{name}_half"), numpy_helper.from_array(bias, f"{name}_bias")])
        nodes.append(helper.make_node("Cast", [f"{name}_half"], [f"{name}_weight"], to=TensorProto.FLOAT))
        nodes.append(helper.make_node(
            "Conv", [x, f"{name}_weight", f"{name}_bias"], [name], name=name, group=groups, kernel_shape=[kernel] * 2,
            pads=[kernel // 2] * 4))

    convolution("image", "x0", 3, 8, kernel=3)
    for block in range(3):
        x = f"x{block}"
        nodes.append(helper.make_node("Split", [x], [f"{x}_kept", f"{x}_taken"], axis=1))
        convolution(f"{x}_taken", f"{x}_first", 4, 4)
        nodes.append(helper.make_node("LeakyRelu", [f"{x}_first"], [f"{x}_bent"], alpha=0.1))
        convolution(f"{x}_bent", f"{x}_deep", 4, 4, groups=4, kernel=3)
        convolution(f"{x}_deep", f"{x}_last", 4, 4)
        nodes.append(helper.make_node("Concat", [f"{x}_kept", f"{x}_last"], [f"{x}_joined"], axis=1))
        nodes.append(helper.make_node("Reshape", [f"{x}_joined", "apart"], [f"{x}_apart"]))
        nodes.append(helper.make_node("Transpose", [f"{x}_apart"], [f"{x}_turned"], perm=[0, 2, 1, 3, 4]))
        nodes.append(helper.make_node("Reshape", [f"{x}_turned", "back"], [f"x{block + 1}"]))
    convolution("x3", "deep", 8, 8, groups=8, kernel=3)
    convolution("deep", "one", 8, 4)
    convolution("x3", "other", 8, 4)
    nodes.append(helper.make_node("Add", ["one", "other"], ["sum"]))
    graph = helper.make_graph(
        nodes, "shuffling", [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 6, 6])],
        [helper.make_tensor_value_info("sum", TensorProto.FLOAT, [1, 4, 6, 6])], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class UnshuffledTests(unittest.TestCase):
    def test_it_answers_as_before_and_shuffles_nothing(self):
        model = shuffling()
        made = unshuffled.unshuffled(model)
        self.assertEqual([node.op_type for node in made.graph.node if node.op_type in ("Transpose", "Reshape")], [])
        image = np.random.default_rng(1).normal(0, 1, (1, 3, 6, 6)).astype(np.float32)
        before, after = (ReferenceEvaluator(each).run(None, {"image": image})[0] for each in (model, made))
        self.assertGreater(np.abs(before).max(), 1)
        np.testing.assert_allclose(before, after, atol=1e-5)

    def test_weights_stay_in_half_precision(self):
        made = unshuffled.unshuffled(shuffling())
        kinds = {tensor.data_type for tensor in made.graph.initializer if tensor.name.endswith("_half")}
        self.assertEqual(kinds, {TensorProto.FLOAT16})

    def test_what_has_no_shuffles_stays(self):
        once = unshuffled.unshuffled(shuffling())
        twice = unshuffled.unshuffled(onnx.load_from_string(once.SerializeToString()))
        self.assertEqual([node.op_type for node in once.graph.node], [node.op_type for node in twice.graph.node])


class EightBitsTests(unittest.TestCase):
    def answer(self, model, image):
        options = {"INFERENCE_PRECISION_HINT": "f32"}
        loaded = openvino.Core().read_model(model.SerializeToString())
        return openvino.Core().compile_model(loaded, "CPU", options)([image])[0]

    def test_weights_that_are_multiples_of_a_scale_are_stored_as_bytes_and_others_stay(self):
        model, random = shuffling(), np.random.default_rng(2)
        steps = {}
        for tensor in model.graph.initializer:
            if tensor.name in ("x0_half", "deep_half"):
                values = random.integers(-127, 128, numpy_helper.to_array(tensor).shape)
                values.reshape(len(values), -1)[:, 0] = 127
                steps[tensor.name] = values
                scale = random.uniform(0.001, 0.02, (len(values), 1, 1, 1))
                tensor.CopyFrom(numpy_helper.from_array((values * scale).astype(np.float16), tensor.name))
        before = {name: each for name, each in ((t.name, numpy_helper.to_array(t)) for t in model.graph.initializer)}
        image = random.normal(0, 1, (1, 3, 6, 6)).astype(np.float32)
        expected = self.answer(model, image)
        made = eight_bits.packed(model)
        after = {tensor.name: numpy_helper.to_array(tensor) for tensor in made.graph.initializer}
        for name, values in steps.items():
            np.testing.assert_array_equal(after[name], values.astype(np.int8))
        for name in set(before) - set(steps):
            np.testing.assert_array_equal(after[name], before[name])
        np.testing.assert_allclose(self.answer(made, image), expected, atol=0.02)


class TrainableTests(unittest.TestCase):
    def test_it_answers_as_the_file_and_writes_what_it_is(self):
        square = np.random.default_rng(0).integers(0, 255, (network.SIZE, network.SIZE, 3)).astype(np.uint8)
        net = trainable.Trainable(SHIPPED)
        with torch.no_grad():
            logits = net(network.normalised(square[None]))[0, :, : len(boxes.LABELS)]
        _, before = finding.Finder(str(SHIPPED), stretched=True).raw(square)
        np.testing.assert_allclose(logits.sigmoid().numpy(), before, atol=1e-4)
        core = openvino.Core()
        _, after = finding.Finder(core.read_model(net.written().SerializeToString()), stretched=True).raw(square)
        np.testing.assert_allclose(before, after, atol=1e-3)
        raised = trainable.raised(trainable.mixed(net, trainable.Trainable(SHIPPED), 0.5), [3], (1, 1, 1, 1))
        with torch.no_grad():
            more = raised(network.normalised(square[None]))[0, :, : len(boxes.LABELS)] - logits
        np.testing.assert_allclose(more[:, 3].numpy(), 1, atol=1e-3)
        np.testing.assert_allclose(more[:, 4:].numpy(), 0, atol=1e-3)


class TargetTests(unittest.TestCase):
    CAT, DOG, BEAR = (boxes.LABELS.index(name) for name in ("cat", "dog", "bear"))

    def test_a_box_upon_animals_that_fits_none_is_misplaced(self):
        truth = np.array([[0, 0, 100, 100], [100, 0, 200, 100]], np.float32)
        edges = np.array([[0, 0, 200, 100], [5, 0, 100, 100], [20, 20, 60, 60], [300, 300, 400, 400]], np.float32)
        self.assertEqual(tuning.misplaced(edges, truth).tolist(), [0, 2])
        self.assertEqual(tuning.misplaced(edges, truth[:0]).tolist(), [])

    def test_the_photo_says_what_its_animals_are_and_the_teacher_says_where(self):
        shares = np.zeros((4, len(boxes.LABELS)), np.float32)
        shares[:, self.BEAR], shares[:, 0] = 0.6, 0.3
        trainer = tuning.Trainer.__new__(tuning.Trainer)
        trainer.points = torch.tensor([[10.0, 10], [30, 10], [10, 30], [30, 30]])
        trainer.strides = torch.full((4,), 8.0)
        trainer.teacher = lambda _: (np.zeros((4, 4), np.float32), shares.copy())
        sample = samples.Sample(None, parts=[((0, 0, 20, 20), [], self.CAT), ((20, 0, 40, 20), boxes.ANIMALS, None)])
        target, mine, *_ = trainer.targets(sample, torch.zeros(4, len(boxes.LABELS) + 4 * network.BINS))
        self.assertEqual(len(mine), 0)
        self.assertAlmostEqual(float(target[0, self.CAT]), 0.6, 5)
        self.assertEqual(float(target[0, self.BEAR]), 0)
        self.assertEqual(float(target[1, boxes.ANIMALS].max()), 0)
        self.assertAlmostEqual(float(target[2, self.BEAR]), 0.6, 5)
        np.testing.assert_allclose(target[:, 0], 0.3, atol=1e-6)

    def test_a_close_picture_is_the_animal_however_it_is_cut(self):
        picture = np.zeros((200, 300, 3), np.uint8)
        picture[50:150, 50:250] = 255
        labels = np.array([0, self.BEAR])
        photo = samples.Photo(picture, np.array([[0, 0, 20, 20], [50, 50, 250, 150]], np.float32), labels, [], self.BEAR)
        maker = samples.Maker([], [([lambda: photo], 1)], [], size=96, seed=2)
        for _ in range(24):
            sample = samples.Sample(np.zeros((96, 96, 3), np.uint8))
            maker.close(sample)
            bears = [edges for edges, label in zip(sample.edges, sample.labels) if label == self.BEAR]
            self.assertEqual(len(bears), 1)
            white = np.argwhere(sample.picture[..., 0] > 127)[:, ::-1]
            np.testing.assert_allclose(bears[0], [*white.min(0), *(white.max(0) + 1)], atol=1.5)
            self.assertGreater(len(white), 0.5 * 96 * 96)

    def test_the_surest_animal_of_a_photo_with_a_label_has_a_true_box(self):
        edges, shares = np.array([[0, 0, 104, 208], [0, 0, 9, 9]], np.float32), np.zeros((2, len(boxes.LABELS)), np.float32)
        shares[:, self.DOG] = 0.3, 0.1
        photo = collected.kept(Image.new("RGB", (64, 32)), [], [], self.BEAR)
        (found,) = tuning.boxed([photo], lambda _: (edges, shares))
        np.testing.assert_allclose(found.boxes, [[0, 0, 16, 16]], atol=0.01)
        self.assertEqual(found.labels.tolist(), [self.BEAR])
        (found,) = tuning.boxed([photo], lambda _: (edges, shares / 2))
        self.assertEqual(len(found.boxes), 0)

    def test_all_ways_of_spoiling_keep_the_shape(self):
        random = np.random.default_rng(5)
        picture = random.integers(0, 255, (96, 96, 3)).astype(np.uint8)
        for _ in range(24):
            other = samples.spoilt(picture, random)
            self.assertEqual((other.shape, other.dtype), (picture.shape, picture.dtype))
            self.assertGreater(np.abs(other.astype(int) - picture).mean(), 1)


if __name__ == "__main__":
    unittest.main()
