"""Rows for common animals beside ImageNet's classes, in a small file of the same form."""

import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
import onnx.reference
from onnx import TensorProto, helper

from menagerie_training.cascade import everyday


def small(folder):
    """A file with 4 features, 5 objects, and 3 species that depend on the objects."""
    random = np.random.default_rng(1)
    values = {"objects_weight": random.normal(size=(4, 5)), "zoo_weight": random.normal(size=(5, 3))}
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["features", "objects_weight"], ["objects"], name="objects"),
         helper.make_node("MatMul", ["objects", "zoo_weight"], ["zoo"], name="zoo")],
        "small", [helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, 4])],
        [helper.make_tensor_value_info("objects", TensorProto.FLOAT, [1, 5]),
         helper.make_tensor_value_info("zoo", TensorProto.FLOAT, [1, 3])],
        [onnx.numpy_helper.from_array(value.astype(np.float32), name) for name, value in values.items()])
    file = Path(folder) / "small.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), file)
    return file


class Added(unittest.TestCase):
    def test_rows_stand_behind_the_others_and_count_against_the_zoo(self):
        random = np.random.default_rng(2)
        count = len(everyday.LABELS)
        weight, bias = random.normal(size=(count, 4)).astype(np.float16), random.normal(size=count)
        features = random.normal(size=(1, 4)).astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            file = small(folder)
            run = onnx.reference.ReferenceEvaluator
            before = dict(zip(("objects", "zoo"), run(str(file)).run(None, {"features": features})))
            model = onnx.load_from_string(everyday.added(file, "features", weight, bias))
            after = run(model).run(None, {"features": features})
        own = features @ weight.astype(np.float32).T + bias
        expected = everyday.extended(before, own)
        np.testing.assert_allclose(after[0], expected["objects"], atol=1e-4)
        np.testing.assert_allclose(after[1][:, :-1], expected["zoo"][:, :-1], atol=1e-4)
        np.testing.assert_allclose(after[0][:, :5], before["objects"], atol=1e-6)
        names = [node.name for node in model.graph.node]
        self.assertEqual(len(names), len(set(names)))
        # The class that stands for no species keeps its logit.
        self.assertLess(abs(after[1][0, -1] - before["zoo"][0, -1]), 0.03)
        self.assertTrue((after[1][0, :-1] < before["zoo"][0, :-1] + 0.03).all())


if __name__ == "__main__":
    unittest.main()
