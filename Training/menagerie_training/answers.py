"""Logits of a network on a part of the split, from a checkpoint or an exported file, with test-time options."""

import platform
import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from . import export, views, zoo
from .network import Menagerie


def load_checkpoint(file):
    """The averaged network of a checkpoint, ready to answer."""
    state = torch.load(file, map_location="cpu", weights_only=True)
    net = Menagerie(state["heads"])
    net.load_state_dict(state["average"])
    return net.eval()


def save_checkpoint(net, file):
    """Writes a network as `load_checkpoint` reads it."""
    heads = {name: layer.out_features for name, layer in net.heads.items()}
    torch.save({"average": net.state_dict(), "heads": heads}, file)


def of_network(net, pack, photos):
    """Answers of a network for N views. OpenVINO runs the exported graph in bf16, as in the service."""
    return of_graph(export.build(net, zoo.composition(pack)).SerializeToString(), photos, "bf16")


def sums_bytes_exactly():
    """Whether the processor computes int8 without loss. x86-64 without VNNI cuts off sums of products at 16 bits.

    On such a processor the service computes int8 files in floating point, except for files with weights of seven bits
    (`Processor` and `ModelWeights` in Sources/Recognition/Engine).
    """
    if platform.machine() != "x86_64":
        return True
    return bool({"avx512_vnni", "avx_vnni"} & processor("flags"))


def gains_from_half_precision():
    """Whether bf16 is faster than f32 on this processor, according to the service's rule."""
    if platform.machine() != "x86_64":
        return True
    flags = processor("flags")
    return "amx_bf16" in flags or ("avx512_bf16" in flags and "AuthenticAMD" in processor("vendor_id"))


def processor(key):
    """The words of the first line of /proc/cpuinfo that begins with a key."""
    line = re.search(rf"^{key}.*", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return set(line[0].split()) if line else set()


def properties(precision, model):
    """The properties that the service sets in OpenVINO, for one photo at a time on one thread.

    model: an ONNX file, its path or bytes.
    precision: `bf16` is the service's `automatic`. It computes int8 if the file has it and the CPU computes it exactly,
    and bf16 if that is faster. `f32` computes everything in float32, and rounds where the file has int8.
    """
    hint = precision if gains_from_half_precision() else "f32"
    properties = {"INFERENCE_PRECISION_HINT": hint, "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "ENABLE_CPU_PINNING": "NO"}
    if avoids_int8(precision, model):
        properties["LP_TRANSFORMS_MODE"] = "NO"
    return properties


def avoids_int8(precision, model):
    """Whether the service would compute an int8 file (its path or bytes) without int8 arithmetic."""
    return precision == "f32" or not (sums_bytes_exactly() or fits_seven_bits(loaded(model)))


def loaded(model):
    """An ONNX file, its path or bytes, as `ModelProto`."""
    return onnx.load_from_string(model) if isinstance(model, bytes) else onnx.load(model)


def quantised_weights(model):
    """Per quantised weight of a `ModelProto`: its node, its steps from the zero point (int32), and its scales."""
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for node in list(model.graph.node):
        if node.op_type == "DequantizeLinear" and node.input[0] in values:
            quantised, scale, zero = (values[name] for name in node.input)
            axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), 1)
            sides = [-1 if side == axis % quantised.ndim and scale.ndim else 1 for side in range(quantised.ndim)]
            yield node, quantised.astype(np.int32) - zero.reshape(sides).astype(np.int32), scale.reshape(sides)


def fits_seven_bits(model):
    """Whether sums of two products of a weight and a byte always fit into 16 bits: 2·255·64 < 2^15.

    Convolutions with a filter for each channel (C×1×H×W) add no two products before they widen them. Products of two
    activations never fit if one of them was rounded to bytes, even if it was moved or scaled since.
    """
    constant = {tensor.name for tensor in model.graph.initializer}
    rounded = set()
    for node in model.graph.node:
        if all(name in constant for name in node.input if name):
            constant.update(node.output)
        elif node.op_type in ("MatMul", "Gemm", "Conv", "ConvTranspose", "Einsum"):
            if node.input[1] not in constant and not rounded.isdisjoint(node.input):
                return False
        elif node.op_type == "DequantizeLinear" or (
                node.op_type not in ("Softmax", "LayerNormalization") and not rounded.isdisjoint(node.input)):
            rounded.update(node.output)
    return all(np.abs(steps).max(initial=0) <= 64 for _, steps, _ in quantised_weights(model)
               if steps.ndim != 4 or steps.shape[1] != 1)


def dequantised(model):
    """An ONNX file (its path or bytes) as bytes with its quantised weights in floating point.

    The service makes the same file (`ONNXDequantisation` in Sources/ModelImport), so answers agree to the last bit.
    """
    model = loaded(model)
    for node, steps, scale in quantised_weights(model):
        weights = steps.astype(np.float32) * scale
        model.graph.initializer.append(numpy_helper.from_array(weights, node.output[0]))
        model.graph.node.remove(node)
    return model.SerializeToString()


def of_graph(model, photos, precision):
    """Answers of an ONNX file (its path or bytes) for N views, computed by OpenVINO as in the service.

    The input is bytes, as in the service, since OpenVINO computes an int8 network differently if another step is in
    front of it. Views are asked one by one: in batches OpenVINO 2026.4.1 gets the zoo head's logits wrong by up to 0.9.

    precision: see `properties`.
    """
    import openvino
    import openvino.preprocess

    core = openvino.Core()
    network = core.read_model(dequantised(model) if avoids_int8(precision, model) else model)
    network.reshape([1, 3, *photos.shape[1:3]])
    steps = openvino.preprocess.PrePostProcessor(network)
    steps.input().tensor().set_element_type(openvino.Type.u8).set_layout(openvino.Layout("NHWC"))
    steps.input().preprocess().convert_element_type(openvino.Type.f32).mean([127.5] * 3).scale([127.5] * 3)
    steps.input().model().set_layout(openvino.Layout("NCHW"))
    network = steps.build()
    compiled = [core.compile_model(network, "CPU", properties(precision, model)) for _ in range(torch.get_num_threads())]
    requests = [each.create_infer_request() for each in compiled]
    names = [output.any_name for output in compiled[0].outputs]
    gathered = []
    for index in range(len(photos) + len(requests)):
        request = requests[index % len(requests)]
        if index >= len(requests):
            request.wait()
            gathered.append([request.get_output_tensor(place).data[0].copy() for place in range(len(names))])
        if index < len(photos):
            request.start_async([np.ascontiguousarray(photos[index : index + 1])])
    return {name: np.stack([values[place] for values in gathered]) for place, name in enumerate(names)}


def of_onnx(file, photos, batch=16):
    """Answers of an ONNX file (input `image`, N×3×S×S) for N views by ONNX Runtime in float32, for comparison."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    if not sums_bytes_exactly():
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    gathered = {name: [] for name in names}
    for start in range(0, len(photos), batch):
        x = views.to_input(photos[start : start + batch]).numpy()
        for name, value in zip(names, session.run(None, {"image": x})):
            gathered[name].append(value.astype(np.float32))
    return {name: np.concatenate(parts) for name, parts in gathered.items()}


#: Ways of looking at a photo. The log-probabilities of a way's views are averaged. A view is a crop, mirrored or not.
LOOKS = {
    "plain": [("centre", False)],
    "mirror": [("centre", False), ("centre", True)],
    "squash": [("squash", False)],
    "crops": [("centre", False), ("squash", False)],
    "all": [("centre", False), ("centre", True), ("squash", False), ("squash", True)],
}


def of_part(model, pack, options, part, size, look="plain"):
    """Answers on one part. model: a .pt checkpoint or an .onnx file; look: of `LOOKS`.

    Returns (positions, {output: N×C}).
    """
    if not str(model).endswith(".onnx"):
        model = export.build(load_checkpoint(Path(model)), zoo.composition(pack)).SerializeToString()
    answers = []
    for mode, mirrored in LOOKS[look]:
        positions, photos = views.centre_views(pack, options.cache, part, size, mode=mode)
        answers.append(of_graph(model, photos[:, :, ::-1] if mirrored else photos, "bf16"))
    if len(answers) == 1:
        return positions, answers[0]
    return positions, {name: np.mean([log_probabilities(each[name]) for each in answers], 0) for name in answers[0]}


def stored_or_of_part(options, pack, part):
    """(positions, logits) from the file `options.logits`_part_size.npz of `evaluate --save`, or else from the model."""
    file = Path(f"{options.logits}_{part}_{options.size}.npz")
    if options.logits and file.exists():
        stored = np.load(file)
        return stored["positions"], {h: stored[h].astype(np.float32) for h in stored.files if h != "positions"}
    return of_part(options.model, pack, options, part, options.size)


def finish(answers, composed):
    """The network's answers with the zoo head's logits combined as in the exported file."""
    return {**answers, "zoo": composed.logits(answers["zoo"], answers["objects"])}


def log_probabilities(logits):
    """log softmax of N×C."""
    shifted = logits - logits.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
