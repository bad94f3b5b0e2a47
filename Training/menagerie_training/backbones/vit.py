"""ViT-Tiny/16, made for 224 px: 12 blocks, 3 heads, 192 features of the class token (after the last norm).

Weights in timm's names with `_` for `.`. Input: RGB, x/127.5 − 1 = (x/255 − 0.5)/0.5.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

FEATURES, DEPTH, HEADS, PATCH, SIDE = 192, 12, 3, 16, 224


def part(layer, begin, end):
    """A linear layer with the outputs `begin`·192 to `end`·192 of another. `Block.qkv` has queries, keys and values."""
    found = nn.Linear(layer.in_features, (end - begin) * FEATURES)
    with torch.no_grad():
        found.weight.copy_(layer.weight[begin * FEATURES : end * FEATURES])
        found.bias.copy_(layer.bias[begin * FEATURES : end * FEATURES])
    return found


class Block(nn.Module):
    """Attention and a perceptron. Each has a layer norm in front of it and a shortcut around it."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(FEATURES, eps=1e-6), nn.LayerNorm(FEATURES, eps=1e-6)
        self.qkv, self.proj = nn.Linear(FEATURES, 3 * FEATURES), nn.Linear(FEATURES, FEATURES)
        self.fc1, self.fc2 = nn.Linear(FEATURES, 4 * FEATURES), nn.Linear(4 * FEATURES, FEATURES)

    def forward(self, x):
        tokens = x.shape[1]
        # All sizes except the first are constants, so that the traced graph has no shape arithmetic.
        qkv = self.qkv(self.norm1(x)).reshape(-1, tokens, 3, HEADS, FEATURES // HEADS).permute(2, 0, 3, 1, 4)
        scores = (qkv[0] * (FEATURES // HEADS) ** -0.5) @ qkv[1].transpose(-2, -1)
        mixed = (scores.softmax(-1) @ qkv[2]).transpose(1, 2).reshape(-1, tokens, FEATURES)
        x = x + self.proj(mixed)
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class ViT(nn.Module):
    """N×3×side×side → N×192."""

    def __init__(self, side=SIDE):
        super().__init__()
        self.patch = nn.Conv2d(3, FEATURES, PATCH, PATCH)
        self.token = nn.Parameter(torch.zeros(1, 1, FEATURES))
        self.positions = nn.Parameter(torch.zeros(1, 1 + (side // PATCH) ** 2, FEATURES))
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        self.norm = nn.LayerNorm(FEATURES, eps=1e-6)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        first = (self.token + self.positions[:, :1]).expand(x.shape[0], -1, -1)
        x = torch.cat([first, x + self.positions[:, 1:]], 1)
        for block in self.blocks:
            x = block(x)
        return self.norm(x)[:, 0]


def names():
    """{our name of each weight: timm's, with `_` for `.`}."""
    found = {"token": "cls_token", "positions": "pos_embed"}
    layers = {"patch": "patch_embed_proj", "norm": "norm"}
    parts = {"norm1": "norm1", "norm2": "norm2", "qkv": "attn_qkv", "proj": "attn_proj", "fc1": "mlp_fc1", "fc2": "mlp_fc2"}
    for number in range(DEPTH):
        layers |= {f"blocks.{number}.{ours}": f"blocks_{number}_{theirs}" for ours, theirs in parts.items()}
    return found | {f"{ours}.{part}": f"{theirs}_{part}" for ours, theirs in layers.items() for part in ("weight", "bias")}


def load(path):
    """The network with the file's weights, and its classifier (weight 1000×192, bias 1000)."""
    stored = {name: torch.as_tensor(values.astype(np.float32)) for name, values in np.load(path).items()}
    net = ViT(PATCH * math.isqrt(stored["pos_embed"].shape[1] - 1))
    net.load_state_dict({ours: stored[theirs] for ours, theirs in names().items()})
    return net.eval(), stored["head_weight"], stored["head_bias"]


def placed(net, side):
    """The network for a view of `side` px. Its position embeddings are interpolated to the new patches (bicubic)."""
    have, want = math.isqrt(net.positions.shape[1] - 1), side // PATCH
    if have != want:
        apart = net.positions[:, 1:].unflatten(1, (have, have)).permute(0, 3, 1, 2)
        apart = F.interpolate(apart, (want, want), mode="bicubic", antialias=True, align_corners=False)
        net.positions = nn.Parameter(torch.cat([net.positions[:, :1], apart.flatten(2).transpose(1, 2)], 1))
    return net


def save(path, net, weight, bias):
    """Writes the file that `load` reads, in float16."""
    state = net.state_dict()
    stored = {theirs: state[ours] for ours, theirs in names().items()} | {"head_weight": weight, "head_bias": bias}
    np.savez(path, **{name: tensor.detach().numpy().astype(np.float16) for name, tensor in stored.items()})
