"""Random crops, mirror, colour and mixup. The same draw serves the CPU (Pillow) and the GPU (grid sampling)."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image


def draw_boxes(random, aspect, smallest=0.3, jitter=1.6):
    """Crop boxes of N photos as fractions of the photo: N×4 (left, top, width, height).

    Areas are uniform in `smallest`…1. The crop's true width/height is log-uniform in 1/jitter…jitter. The range is
    wide, since many dog photos were squashed to squares. aspect: width/height of each photo, N.
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
    """Mirrors half of the batch and jitters brightness, contrast and saturation.

    x: N×3×S×S, 0…255. Returns float32 x/127.5 − 1. All three are linear in the colour, so each photo needs one matrix.
    """
    count = len(x)
    x = x.float()
    mirror = torch.as_tensor(random.random(count) < 0.5)
    x[mirror] = x[mirror].flip(3)
    draw = random.uniform(1 - strength, 1 + strength, (3, count, 1, 1)).astype(np.float32)
    brightness, contrast, saturation = torch.as_tensor(draw, device=x.device)
    colours = saturation * torch.eye(3, device=x.device) + (1 - saturation) / 3
    matrix = colours * brightness * contrast / 127.5
    offset = x.mean((1, 2, 3)).view(-1, 1, 1) * brightness * (1 - contrast) / 127.5 - 1
    return torch.baddbmm(offset, matrix, x.flatten(2)).clamp_(-1, 1).view(x.shape)


def mix(middle, random, chance=0.5):
    """With the given chance blends the activations of a batch with a shuffle of itself (manifold mixup).

    Returns the activations, the shuffle (N) and the share of the photo's own label (1 if nothing was blended).
    """
    order = torch.as_tensor(random.permutation(len(middle)), device=middle.device)
    share = float(random.beta(0.4, 0.4)) if random.random() < chance else 1.0
    share = max(share, 1 - share)
    if share < 1:
        middle = middle * share + middle[order] * (1 - share)
    return middle, order, share
