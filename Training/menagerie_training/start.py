"""The network from which training starts: two public MobileNetV2s side by side, and heads fitted on both.

Two separately trained networks make different errors. A linear layer on the features of both is two to three points
better on cats than a layer on one of them. The dogs head starts as the sum of both networks' own dog rows, which were
trained on far more dogs than these photos show. The other heads start at zero.
"""

import numpy as np
import torch

from . import answers, batches, labels, refit, starting_weights
from .network import Menagerie


def network(pack, options):
    """The network with empty heads except for objects and dogs."""
    net = Menagerie({head: len(names) for head, names in pack.heads.items()}).eval()
    public = starting_weights.read(options.tflite), starting_weights.read_second(options.second)
    net.load(*public)
    (_, *first), (_, *second) = (layers[-1] for layers in public)
    weight, bias = np.concatenate([first[0], second[0]], 1), first[1] + second[1]
    rows = labels.dogs(pack.heads["objects"])[1]
    with torch.no_grad():
        net.heads["objects"].weight.copy_(torch.as_tensor(weight / 2))
        net.heads["objects"].bias.copy_(torch.as_tensor(bias / 2))
        net.heads["dogs"].weight.copy_(torch.as_tensor(weight[rows]))
        net.heads["dogs"].bias.copy_(torch.as_tensor(bias[rows]))
    return net


def run(pack, options):
    """Writes the checkpoint `options.out`."""
    batches.apply_cleaning(pack, options.cleaning)
    net = network(pack, options)
    refit.fit_heads(net, pack, refit.plain_features(net, pack, options))
    answers.save_checkpoint(net, options.out)
