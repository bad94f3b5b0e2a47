"""Tunes ViT-Tiny's last blocks and its heads on the activations of the training views that `features --held` stored."""

import copy
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from ..backbones import vit
from ..candidates import heads as candidates
from ..tuning import trainer
from . import fit, second
from .heads import zoo_by_objects

#: The L2 penalties of the heads from which the training starts, and which are also its teacher.
START = {"kinds": (1e-2,), "cats": (1e-2,), "dogs": (1e-1,), "zoo": (1e-2,), "fruit": (3e-3,)}
#: The last share of the steps uses all tokens.
WHOLE = 0.25


def attended(block, query, key, value):
    """Attention of Q tokens to T tokens, N×Q×192. query: N×Q×192; key and value: N×T×192."""
    apart = (tensor.unflatten(2, (vit.HEADS, -1)).transpose(1, 2) for tensor in (query, key, value))
    return block.proj(F.scaled_dot_product_attention(*apart).transpose(1, 2).flatten(2))


def through(block, x, answers=None):
    """Like `vit.Block`, N×T×192. With `answers` only that many tokens are computed: the last block needs one."""
    normed = block.norm1(x)
    if answers is None:
        query, key, value = block.qkv(normed).chunk(3, 2)
    else:
        width, x = vit.FEATURES, x[:, :answers]
        query = F.linear(normed[:, :answers], block.qkv.weight[:width], block.qkv.bias[:width])
        key, value = F.linear(normed, block.qkv.weight[width:], block.qkv.bias[width:]).chunk(2, 2)
    x = x + attended(block, query, key, value)
    return x + block.fc2(F.gelu(block.fc1(block.norm2(x))))


class Student(nn.Module):
    """ViT-Tiny's blocks from number `held` and its last norm, with linear heads on the 192 features."""

    def __init__(self, tower, held, stage, objects):
        """stage: heads fitted on the untuned features; objects: (weight 1000×192, bias) of the public classifier."""
        super().__init__()
        self.stages = copy.deepcopy(nn.Sequential(*tower.blocks[held:], tower.norm))
        *tables, weight, bias = stage.zoo_tables()
        for name, table in zip(("classes", "by_photos", "by_classes"), tables):
            self.register_buffer(name, table)
        layers = {head: stage.layers[head] for head in ("kinds", "fruit")} | {"zoo": (weight, bias), "objects": objects}
        for head in ("cats", "dogs"):
            # The class for other breeds is left out, since no label has it.
            layers[head] = tuple(values[: len(stage.names[head])].clone() for values in stage.layers[head])
        for place in (0, 1):
            layers["dogs"][place].add_(objects[place][stage.dog_rows])
        self.heads = nn.ModuleDict({head: nn.Linear(vit.FEATURES, len(bias)) for head, (_, bias) in layers.items()})
        with torch.no_grad():
            for head, layer in self.heads.items():
                layer.weight.copy_(layers[head][0])
                layer.bias.copy_(layers[head][1])
        self.requires_grad_(True)

    def features(self, middle):
        """Tokens N×T×192, the class token first → N×192."""
        *blocks, last, norm = self.stages
        for block in blocks:
            middle = through(block, middle)
        return norm(through(last, middle, 1))[:, 0]

    def forward(self, middle):
        """Tokens → {head: N×C}."""
        return self.answers(F.dropout(self.features(middle), 0.1, self.training))

    def answers(self, features):
        """{head: N×C} of N×192 features."""
        found = {head: layer(features) for head, layer in self.heads.items()}
        found["zoo"] = found["zoo"] + zoo_by_objects(found["objects"], self.classes, self.by_photos, self.by_classes)
        return found


class Trainer(trainer.Trainer):
    """One run of ViT-Tiny, in float32. The teacher is the untuned network with its fitted heads on the same views."""

    labels = {"kinds": 0.8, "cats": 1.0, "dogs": 0.5, "zoo": 0.3, "fruit": 0.1}
    taught = {"kinds": 0.4, "cats": 0.2, "dogs": 1.0, "zoo": 0.3, "fruit": 0.1, "objects": 1.5}
    keys = ("vit",)
    warm = 50

    def begun(self, tower, start):
        """start: `heads.Stage` and the public classifier."""
        self.teacher = Student(tower, self.options.held, *start).requires_grad_(False)
        return Student(tower, self.options.held, *start)

    def prepared(self, middle, random=None):
        """The tokens in float32. A training step keeps the class token and the same share of the others."""
        kept = self.options.kept
        if random is None or kept >= 1 or self.step >= (1 - WHOLE) * self.options.steps:
            return middle.float()
        others = 1 + random.permutation(middle.shape[1] - 1)[: round(kept * (middle.shape[1] - 1))]
        return middle[:, np.concatenate([[0], np.sort(others)])].float()

    @torch.no_grad()
    def lesson(self, features):
        """The teacher's answers to crops, {head: N×C probabilities}."""
        return {head: values.softmax(1) for head, values in self.teacher.answers(features).items()}


def begin(gallery, options, draws):
    """(truth, tower, (stage, objects)): the start of the training, with heads fitted on the untuned features."""
    seen = fit.Seen(gallery, options)
    truth = candidates.truths(gallery, options.cleaning)
    tower, weight, bias = vit.load(second.of(options)[1])
    judged = np.flatnonzero((gallery.part == "val") & seen.look("size0")[1])
    stage = fit.fit_stage(seen, 1, truth, draws, START, judged=judged)[0]
    return truth, tower, (stage, (weight, bias))


def run(gallery, options):
    """Trains. The state is in RUN/checkpoint.pt, and the start of the training in RUN/start.pt."""
    options.validation = options.features
    folder = Path(options.run)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "start.pt").exists():
        torch.save(begin(gallery, options, options.draws[:1]), folder / "start.pt")
    truth, tower, start = torch.load(folder / "start.pt", weights_only=False)
    Trainer(gallery, truth, tower, None, start, options).fit()
