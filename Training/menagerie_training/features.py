"""Computes and stores pooled features of the original network, which `clean` and `probe` use."""

from pathlib import Path

import numpy as np
import torch

from . import network, starting_weights, views


def original(pack, options, part):
    """Positions N, features N×1280 float32 and objects logits N×1000 of one part, at 192 px centre view."""
    file = Path(options.cache) / f"original_{part}.npz"
    if not file.exists():
        *layers, (_, weight, bias) = starting_weights.read(options.tflite)
        tower = network.stages(0, 19).eval()
        network.load(tower, layers)
        positions, photos = views.centre_views(pack, options.cache, part, 192)
        features = views.infer_tower(tower, photos)
        objects = (features @ weight.T + bias).astype(np.float16)
        np.savez(file, pos=positions, f=features.astype(np.float16), objects=objects)
    stored = np.load(file)
    return stored["pos"], stored["f"].astype(np.float32), stored["objects"].astype(np.float32)


def original_all(pack, options):
    """Features of every photo in the order of the pack, N×1280 float32 tensor."""
    matrix = np.zeros((len(pack.rows), 1280), np.float32)
    for part in ("train", "val", "test"):
        positions, values, _ = original(pack, options, part)
        matrix[positions] = values
    return torch.as_tensor(matrix)
