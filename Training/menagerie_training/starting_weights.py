"""Reads the public MobileNetV2s (TensorFlow Lite, per-channel int8; ONNX, int8) as float arrays.

The first is `mobilenet_v2_tf2_ptq.tflite` (google-coral/test_data, Apache-2.0). Batch-norm is folded into its
convolutions. Class 0 of its classifier is a background class, which is not one of ImageNet's 1,000 classes.
"""

import numpy as np
import onnx
import tflite
from onnx import numpy_helper


def dequantise(model, graph, index):
    """The float32 array of tensor `index`: (q − zero point) × scale, per channel if the tensor has several scales."""
    tensor = graph.Tensors(index)
    kind = {tflite.TensorType.INT8: np.int8, tflite.TensorType.INT32: np.int32, tflite.TensorType.UINT8: np.uint8}
    raw = model.Buffers(tensor.Buffer()).DataAsNumpy()
    values = np.frombuffer(raw.tobytes(), dtype=kind[tensor.Type()]).reshape(tensor.ShapeAsNumpy()).astype(np.float32)
    quantisation = tensor.Quantization()
    scale = quantisation.ScaleAsNumpy().astype(np.float32)
    zero = quantisation.ZeroPointAsNumpy().astype(np.float32)
    if scale.size > 1:
        shape = [1] * values.ndim
        shape[quantisation.QuantizedDimension()] = scale.size
        scale, zero = scale.reshape(shape), zero.reshape(shape)
    return (values - zero) * scale


def read(path):
    """The layers in order, as (kind, weight, bias).

    kind is `conv` (weight out×in×k×k), `depthwise` (weight channels×1×3×3) or `linear` (weight 1000×1280, bias 1000,
    background row removed). Raises ValueError when the file is not the expected network (53 layers).
    """
    with open(path, "rb") as file:
        model = tflite.Model.GetRootAsModel(file.read(), 0)
    graph = model.Subgraphs(0)
    layers = []
    for position in range(graph.OperatorsLength()):
        operator = graph.Operators(position)
        code = model.OperatorCodes(operator.OpcodeIndex())
        builtin = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
        if builtin not in (
            tflite.BuiltinOperator.CONV_2D,
            tflite.BuiltinOperator.DEPTHWISE_CONV_2D,
            tflite.BuiltinOperator.FULLY_CONNECTED,
        ):
            continue
        weight = dequantise(model, graph, operator.Inputs(1))
        bias = dequantise(model, graph, operator.Inputs(2)).reshape(-1)
        if builtin == tflite.BuiltinOperator.CONV_2D:
            layers.append(("conv", weight.transpose(0, 3, 1, 2).copy(), bias))
        elif builtin == tflite.BuiltinOperator.DEPTHWISE_CONV_2D:
            layers.append(("depthwise", weight.transpose(3, 0, 1, 2).copy(), bias))
        else:
            layers.append(("linear", weight, bias))
    if len(layers) != 53:
        raise ValueError(f"{path}: {len(layers)} weighted layers, expected the 53 of MobileNetV2")
    # The classifier is a 1×1 convolution or a fully connected layer, by the converter's choice. Row 0 is the
    # background.
    _, weight, bias = layers.pop()
    layers.append(("linear", weight.reshape(1001, 1280)[1:].copy(), bias[1:].copy()))
    return layers


#: The second network's input is (byte − MEAN) / DEVIATION, per channel.
MEAN, DEVIATION = np.array([123.675, 116.28, 103.53], np.float32), np.array([58.395, 57.12, 57.375], np.float32)


def read_second(path):
    """The layers of `mobilenetv2_int8.onnx` (ONNX model zoo, Apache-2.0), in the order and form of `read`.

    It was trained separately from the first, in PyTorch. Here its stem also takes x/127.5 − 1: its own normalisation is
    folded into the weights, which is exact except for the zero padding around the picture.
    """
    graph = onnx.load(path).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    source = {output: node for node in graph.node for output in node.output}

    def values(name):
        if name in stored:
            return stored[name].astype(np.float32)
        node = source[name]
        if node.op_type == "Identity":
            return values(node.input[0])
        quantised, scale, zero = (values(part) for part in node.input)
        return (quantised - zero) * scale

    layers = []
    for node in graph.node:
        if node.op_type not in ("Conv", "Gemm"):
            continue
        weight, bias = values(node.input[1]), values(node.input[2])
        kind = "linear" if node.op_type == "Gemm" else "depthwise" if weight.shape[1] == 1 else "conv"
        layers.append((kind, weight, bias))
    if len(layers) != 53:
        raise ValueError(f"{path}: {len(layers)} weighted layers, expected the 53 of MobileNetV2")
    _, weight, bias = layers[0]
    shift = ((127.5 - MEAN) / DEVIATION).reshape(1, 3, 1, 1)
    layers[0] = ("conv", weight * (127.5 / DEVIATION).reshape(1, 3, 1, 1), bias + (weight * shift).sum((1, 2, 3)))
    return layers
