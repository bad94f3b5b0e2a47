"""Random crops, mirror, colour, mixup and cutmix. The same draw serves the CPU (Pillow) and the GPU (grid sampling)."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image


def draw_boxes(random, aspect, smallest=0.3, jitter=1.6):
    """Crop boxes of N photos as fractions of the photo: N×4 (left, top, width, height).

    Areas are uniform in `smallest`…1; the crop's true width/height is log-uniform in 1/jitter…jitter, wide because
    many dog photos were squashed to squares. aspect: width/height of each photo, N.
    """
    count = len(aspect)
    area = random.uniform(smallest, 1, count)
    ratio = np.exp(random.uniform(-math.log(jitter), math.log(jitter), count))
    width = np.minimum(np.sqrt(area * ratio / aspect), 1)
    height = np.minimum(np.sqrt(area / ratio * aspect), 1)
    left = random.uniform(0, 1, count) * (1 - width)
    top = random.uniform(0, 1, count) * (1 - height)
    return np.stack([left, top, width, height], 1).astype(np.float32)


def crop_cpu(photos, boxes, size):
    """Antialiased crops of N×H×W×3 uint8 photos: N×size×size×3 uint8."""
    side = photos.shape[1]
    answer = np.empty((len(photos), size, size, 3), np.uint8)
    for i, (left, top, width, height) in enumerate(boxes * side):
        box = (float(left), float(top), min(side, float(left + width)), min(side, float(top + height)))
        answer[i] = np.asarray(Image.fromarray(photos[i]).resize((size, size), Image.BILINEAR, box=box))
    return answer


def crop_gpu(photos, boxes, size):
    """The same crops on the device: N×H×W×3 uint8 tensor → N×3×size×size float 0…255; 2×2 supersampled."""
    fine = size * 2
    x = photos.permute(0, 3, 1, 2).float()
    boxes = torch.as_tensor(boxes, device=x.device)
    theta = torch.zeros(len(x), 2, 3, device=x.device)
    theta[:, 0, 0], theta[:, 1, 1] = boxes[:, 2], boxes[:, 3]
    theta[:, 0, 2] = 2 * boxes[:, 0] + boxes[:, 2] - 1
    theta[:, 1, 2] = 2 * boxes[:, 1] + boxes[:, 3] - 1
    grid = F.affine_grid(theta, (len(x), 3, fine, fine), align_corners=False)
    return F.avg_pool2d(F.grid_sample(x, grid, padding_mode="border", align_corners=False), 2)


def recolour(x, random, strength=0.3):
    """Mirrors half of the batch and jitters brightness, contrast and saturation. x: N×3×S×S float 0…255, in place."""
    count = len(x)
    mirror = torch.as_tensor(random.random(count) < 0.5, device=x.device)
    x = torch.where(mirror.view(-1, 1, 1, 1), x.flip(3), x)
    draw = random.uniform(1 - strength, 1 + strength, (3, count, 1, 1, 1)).astype(np.float32)
    brightness, contrast, saturation = torch.as_tensor(draw, device=x.device)
    x = x * brightness
    centre = x.mean((1, 2, 3), keepdim=True)
    x = (x - centre) * contrast + centre
    grey = x.mean(1, keepdim=True)
    return ((x - grey) * saturation + grey).clamp(0, 255)


def mix(x, random, mixup=0.2, cutmix=0.2):
    """With the given chances blends the batch with a shuffle of itself.

    Returns the batch, the shuffle (N) and the share of the photo's own label (1 where nothing was done).
    """
    chance = random.random()
    order = torch.as_tensor(random.permutation(len(x)), device=x.device)
    if chance < mixup:
        share = float(random.beta(0.4, 0.4))
        share = max(share, 1 - share)
        return x * share + x[order] * (1 - share), order, share
    if chance < mixup + cutmix:
        size = x.shape[-1]
        side = int(size * math.sqrt(random.uniform(0.05, 0.45)))
        left, top = random.integers(0, size - side + 1, 2)
        x = x.clone()
        x[:, :, top : top + side, left : left + side] = x[order][:, :, top : top + side, left : left + side]
        return x, order, 1 - side * side / size / size
    return x, order, 1.0
