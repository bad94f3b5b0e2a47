"""Checkpoint → ONNX file in int8: weights per output channel, activations by their range on training photos (QDQ)."""

import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnxruntime import quantization

from . import answers, export, measures, views, zoo

#: The number of training photos whose activations set the ranges.
PHOTOS = 256
#: One of this many training photos is compared too. The test part is small, and rounding is alike on seen photos.
STRIDE = 3


class Ranges(quantization.CalibrationDataReader):
    """Gives the calibration photos one at a time."""

    def __init__(self, photos):
        self.photos = iter(photos)

    def get_next(self):
        """The next input, or None at the end."""
        photo = next(self.photos, None)
        return None if photo is None else {"image": views.to_input(photo[None]).numpy()}


def run(pack, options):
    """Writes `options.out`. Compares it with the float file on test and training photos: top-1, agreement."""
    net = answers.load_checkpoint(options.model)
    model = export.build(net, zoo.composition(pack), half=False)
    _, photos = views.centre_views(pack, options.cache, "train", options.size)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "float.onnx"
        onnx.save(model, source)
        quantization.quantize_static(
            source, options.out, Ranges(photos[:: len(photos) // PHOTOS]), per_channel=True,
            op_types_to_quantize=["Conv", "Add", "Clip", "Relu", "Gemm", "GlobalAveragePool"],
            # Quantised biases would add a hundred nodes, and OpenVINO would compile the model a fifth more slowly.
            extra_options={"ActivationSymmetric": False, "WeightSymmetric": True, "QuantizeBias": False},
        )
        positions, test = views.centre_views(pack, options.cache, "test", options.size)
        photos = np.concatenate([test, photos[::STRIDE]])
        positions = np.concatenate([positions, pack.where("train")[::STRIDE]])
        exact, rounded = (answers.of_graph(file, photos, "bf16") for file in (source, options.out))
    print(f"{options.out}: {Path(options.out).stat().st_size / 1e6:.2f} MB")
    for head in pack.heads:
        truth = pack.labels[head][positions]
        known = truth >= 0
        answered = [values[head][known][:, : len(pack.heads[head])] for values in (exact, rounded)]
        same = float((answered[0].argmax(1) == answered[1].argmax(1)).mean())
        scores = [measures.top(values, truth[known]) for values in answered]
        print(f"  {head:9s} {int(known.sum())} photos, float {scores[0]:.4f} int8 {scores[1]:.4f} agreement {same:.4f}")
