"""Quantises the second stage's convolutions and linear layers to int8, per output channel (QDQ), but not the heads."""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from ..gallery import law
from . import second
from .pair import SIZE

#: The number of training photos whose activations set the ranges.
PHOTOS = 256


def in_floats(model):
    """The file of `export.second_file` with its float16 weights in float32, for a view of `SIZE`."""
    graph = model.graph
    stored = {tensor.name: tensor for tensor in graph.initializer}
    for node in [node for node in graph.node if node.op_type == "Cast" and node.input[0] in stored]:
        values = numpy_helper.to_array(stored[node.input[0]]).astype(np.float32)
        graph.initializer.append(numpy_helper.from_array(values, node.output[0]))
        graph.initializer.remove(stored[node.input[0]])
        graph.node.remove(node)
    if "scales" in stored:
        # 224/192 as float32 is below 7/6. With it ONNX Runtime, which collects the ranges, would make 223 pixels.
        scales = numpy_helper.to_array(stored["scales"]).copy()
        scales[2:] = np.nextafter(scales[2:], np.float32(2))
        stored["scales"].CopyFrom(numpy_helper.from_array(scales, "scales"))
    for place in (2, 3):
        graph.input[0].type.tensor_type.shape.dim[place].dim_value = SIZE
    return onnx.shape_inference.infer_shapes(model)


def quantised(model, photos, network):
    """The model in int8. photos: N×S×S×3 uint8; network: one of `second.NETWORKS`.

    With plain ranges ViT-Tiny loses 20 points of accuracy of breeds, since some channels after a layer norm have a
    hundred times the range of others. NNCF moves this factor into the weights (SmoothQuant, arXiv 2211.10438). The
    products of attention stay in floating point, which OpenVINO computes in one kernel. So do the cheap heads.
    """
    import nncf

    heads = [node.name for node in model.graph.node if not node.name.startswith(network.TOWER)]
    kind = nncf.ModelType.TRANSFORMER if issubclass(network, second.ViTTiny) else None
    return nncf.quantize(
        model,
        nncf.Dataset(list(photos), lambda photo: {"image": (photo[None].transpose(0, 3, 1, 2) / 127.5 - 1).astype(np.float32)}),
        model_type=kind, preset=nncf.QuantizationPreset.MIXED, subset_size=len(photos),
        ignored_scope=nncf.IgnoredScope(names=heads, patterns=[".*_scores$", ".*_mixed$"], validate=False),
    )


def run(gallery, options):
    """Quantises `options.float_file` into the second file of `options.models` and names it in the manifest."""
    models = Path(options.models)
    chosen = np.sort(np.random.default_rng(0).choice(gallery.where("train"), PHOTOS, replace=False))
    photos = np.stack([law.resized(gallery.photo(position), 0, SIZE) for position in chosen])
    network, _ = second.of(options)
    made = quantised(in_floats(onnx.load(options.float_file)), photos, network)
    onnx.checker.check_model(made, full_check=True)
    content = made.SerializeToString(deterministic=True)
    manifest = json.loads((models / "manifest.json").read_text())
    manifest["version"] = options.version
    manifest["cascade"]["sha256"] = hashlib.sha256(content).hexdigest()
    (models / manifest["cascade"]["file"]).write_bytes(content)
    (models / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    print(f"{models / manifest['cascade']['file']}: {len(content) / 1e6:.2f} MB, sha256 {manifest['cascade']['sha256']}")
