"""The specialist's network: MobileNetEdgeTPU 1.0 and one linear head on its pooled features."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .. import linear, network
from ..backbones import edgetpu

#: Each stage learns at this share of the next stage's rate.
LAYER_DECAY = 0.9
#: The L2 penalty for the fit of the first head on standardised features.
PENALTY = 3e-2
DROPOUT = 0.2


class Specialist(nn.Module):
    """N×3×S×S → N×classes logits."""

    def __init__(self, tower, classes):
        super().__init__()
        self.stages, self.head = tower, nn.Linear(edgetpu.FEATURES, classes)
        self.requires_grad_(True)

    def features(self, x):
        """N×1280."""
        return network.pool(self.stages(x))

    def forward(self, x):
        return self.head(F.dropout(self.features(x), DROPOUT, self.training))

    def begin(self, features, truth, base=None):
        """Fits the head on features of the untuned tower. base: weight and bias of the public rows of the first classes."""
        known = truth >= 0
        features, truth = features[known], truth[known]
        mean, deviation = linear.standardise(features)
        classes = self.head.out_features
        public = torch.zeros(classes, edgetpu.FEATURES), torch.zeros(classes)
        if base is not None:
            for all_rows, rows in zip(public, base):
                all_rows[: len(rows)] = rows
        said = features @ public[0].T + public[1] if base is not None else None
        weight, bias = linear.fit((features - mean) / deviation, truth, classes, PENALTY, 30, base=said)
        weight = weight / deviation
        with torch.no_grad():
            self.head.weight.copy_(weight + public[0])
            self.head.bias.copy_(bias - weight @ mean + public[1])


def rates(specialist, rate):
    """Parameter groups. The head has twice `rate`, and the stages' rates fall from the last to the first."""
    groups = [{"params": list(specialist.head.parameters()), "rate": 2 * rate, "weight_decay": 0.05}]
    for depth, stage in enumerate(reversed(specialist.stages)):
        if not any(p.requires_grad for p in stage.parameters()):
            continue
        own = rate * LAYER_DECAY**depth
        groups.append({"params": [p for p in stage.parameters() if p.ndim > 1], "rate": own, "weight_decay": 0.05})
        groups.append({"params": [p for p in stage.parameters() if p.ndim == 1], "rate": own, "weight_decay": 0.0})
    return groups


def prepared(views):
    """N×S×S×3 uint8 → N×3×S×S in the processor's own precision, x/127.5 − 1, channels last."""
    x = torch.as_tensor(views).permute(0, 3, 1, 2).float() / 127.5 - 1
    return x.to(network.precision("cpu")).contiguous(memory_format=torch.channels_last)


@torch.no_grad()
def answers(module, views, batch=32):
    """The output of `module` (a specialist, or its `features`) for N views, float32. views: a list of S×S×3."""
    parts = [module(prepared(np.stack(views[i : i + batch]))).float() for i in range(0, len(views), batch)]
    return torch.cat(parts)
