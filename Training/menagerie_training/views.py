"""Photos as the served model sees them: short side to `size`, antialiased, centre crop (N×size×size×3 uint8)."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from . import network


def centre_view(path, size, mode="centre"):
    """One photo as size×size×3 uint8. `mode` `squash` takes the whole picture instead of its centre."""
    with Image.open(path) as image:
        image = image.convert("RGB")
        if mode == "squash":
            return np.asarray(image.resize((size, size), Image.BILINEAR))
        factor = size / min(image.size)
        width, height = (max(size, int(side * factor + 0.5)) for side in image.size)
        image = image.resize((width, height), Image.BILINEAR)
        left, top = (width - size) // 2, (height - size) // 2
        return np.asarray(image.crop((left, top, left + size, top + size)))


def centre_views(pack, cache, part, size, workers=2, mode="centre"):
    """The views of one part of the split (`train`, `val`, `test`). They are made once and stored in `cache`."""
    positions = pack.where(part)
    file = Path(cache) / f"views_{part}_{size}{'' if mode == 'centre' else '_' + mode}.npy"
    if not file.exists():
        temporary = file.with_suffix(".partial")
        array = np.lib.format.open_memmap(temporary, "w+", np.uint8, (len(positions), size, size, 3))
        paths = [str(pack.data / pack.rows[p]["path"]) for p in positions]
        with ProcessPoolExecutor(workers) as pool:
            for i, view in enumerate(pool.map(partial(centre_view, size=size, mode=mode), paths, chunksize=64)):
                array[i] = view
        array.flush()
        temporary.rename(file)
    return positions, np.load(file, mmap_mode="r")


def to_input(batch, device="cpu", dtype=torch.float32):
    """N×S×S×3 uint8 → N×3×S×S, x/127.5 − 1, channels last in memory."""
    tensor = torch.as_tensor(np.array(batch)).to(device).permute(0, 3, 1, 2)
    return (tensor.to(torch.float32) / 127.5 - 1).to(dtype)


@torch.no_grad()
def infer(net, views, batch=64, device="cpu", dtype=None):
    """All answers of the network for N views: {output: N×C float32}.

    dtype: torch.bfloat16 halves the time on CPUs that have it. None means float32.
    """
    gathered = {}
    for start in range(0, len(views), batch):
        x = to_input(views[start : start + batch], device, dtype or torch.float32)
        for name, value in net(x).items():
            gathered.setdefault(name, []).append(value.float().cpu().numpy())
    return {name: np.concatenate(parts) for name, parts in gathered.items()}


@torch.no_grad()
def infer_tower(tower, views, batch=64):
    """Pooled features of one tower for N views, N×1280 float32, float32."""
    features = []
    for start in range(0, len(views), batch):
        x = to_input(views[start : start + batch], dtype=network.precision("cpu"))
        features.append(tower(x).mean((2, 3)).float())
    return torch.cat(features).numpy()
