"""Stores a network's features of each photo in files of 1,024 photos, so that an interrupted run can continue.

A `look` is `draw0`, `draw1`, … (training views by `law.drawn`) or `size0`, `size96`, … (served views by `law.resized`).
"""

import time
from pathlib import Path

import numpy as np
import onnx

from ..gallery import law

SHARD = 1024
BATCH = 8


def view(gallery, position, look, size):
    """The view of one photo, size×size×3 uint8."""
    if look.startswith("draw"):
        return law.drawn(gallery.photo(position), size, np.random.default_rng((int(look[4:]), int(position))))
    return law.resized(gallery.photo(position), int(look[4:]), size)


class Network:
    """An ONNX file or its bytes. OpenVINO runs it in batches on one thread. Outputs are by name."""

    def __init__(self, model, size, precision="bf16", batch=BATCH):
        import openvino
        import openvino.preprocess

        self.size, self.batch = size, batch
        core = openvino.Core()
        # OpenVINO may give an output the name of another tensor. The file's names are used, which have the same order.
        file = onnx.load_from_string(model) if isinstance(model, bytes) else onnx.load(model)
        self.names = [output.name for output in file.graph.output]
        model = core.read_model(model)
        model.reshape([batch, 3, size, size])
        # The input is bytes, as in the service. OpenVINO computes an int8 network differently if another step is in
        # front of it.
        steps = openvino.preprocess.PrePostProcessor(model)
        steps.input().tensor().set_element_type(openvino.Type.u8).set_layout(openvino.Layout("NHWC"))
        steps.input().preprocess().convert_element_type(openvino.Type.f32).mean([127.5] * 3).scale([127.5] * 3)
        steps.input().model().set_layout(openvino.Layout("NCHW"))
        model = steps.build()
        told = {"INFERENCE_PRECISION_HINT": precision, "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}
        self.request = core.compile_model(model, "CPU", told | {"ENABLE_CPU_PINNING": "NO"}).create_infer_request()

    def __call__(self, views):
        """{output: N×C float16} for N views."""
        found = {}
        for start in range(0, len(views), self.batch):
            part = views[start : start + self.batch]
            full = np.zeros((self.batch, self.size, self.size, 3), np.uint8)
            full[: len(part)] = part
            for name, value in zip(self.names, self.request.infer([full]).to_tuple(), strict=True):
                found.setdefault(name, []).append(value[: len(part)].astype(np.float16))
        return {name: np.concatenate(values) for name, values in found.items()}


def make(gallery, network, name, look, positions, folder):
    """Writes the features of the photos at `positions` to files `folder`/name/look_NNN.npz. Complete files are kept."""
    folder = Path(folder) / name
    folder.mkdir(parents=True, exist_ok=True)
    done, began = 0, time.monotonic()
    for number in np.unique(positions // SHARD):
        mine = positions[positions // SHARD == number]
        file = folder / f"{look}_{number:03d}.npz"
        if file.exists():
            there = np.load(file)["positions"]
            if not len(np.setdiff1d(mine, there)):
                continue
            # The file of an earlier run has other photos too. Their features are computed again, so that none is lost.
            mine = np.union1d(mine, there)
        found = network(np.stack([view(gallery, position, look, network.size) for position in mine]))
        found["positions"] = mine
        # Activations are large and are read a few at a time. They get a separate file, which can be mapped into memory.
        for key in [key for key, values in found.items() if values.ndim > 2]:
            np.save(file.with_name(f"{look}_{number:03d}_{key}.npy"), found.pop(key))
        temporary = file.with_suffix(".partial.npz")
        np.savez(temporary, **found)
        temporary.rename(file)
        done += len(mine)
        print(f"{name} {look}: {done} photos, {(time.monotonic() - began) / done * 1000:.0f} ms each", flush=True)


def load(name, look, folder, count):
    """({output: N×C float16 over all photos}, N bool: photos with stored features). count: photos of the gallery."""
    arrays, there = {}, np.zeros(count, bool)
    for file in sorted((Path(folder) / name).glob(f"{look}_[0-9][0-9][0-9].npz")):
        stored = np.load(file)
        positions = stored["positions"]
        there[positions] = True
        for key in stored.files:
            if key != "positions":
                values = stored[key]
                if key not in arrays:
                    arrays[key] = np.zeros((count, values.shape[1]), values.dtype)
                arrays[key][positions] = values
    return arrays, there
