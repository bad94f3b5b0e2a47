"""The network that training starts from: two public MobileNetV2s side by side, and heads fitted on both.

Two networks that were trained apart err differently: a linear layer on the features of both gets two to three points more
of the cats right than one on either. Dogs begin as the sum of both networks' own dog rows, which have seen far more dogs than
these photos show; the other heads begin at nothing.
"""

import torch

from . import answers, batches, labels, refit, starting_weights
from .network import Menagerie


def network(pack, options):
    """The network with empty heads, but for dogs."""
    net = Menagerie({head: len(names) for head, names in pack.heads.items() if head != "objects"}).eval()
    first = starting_weights.read(options.tflite)
    net.load_original(first)
    second = starting_weights.read_second(options.second)
    net.load_second(second)
    rows = labels.dogs(pack.heads["objects"])[1]
    with torch.no_grad():
        for number, layers in enumerate((second, first)):
            _, weight, bias = layers[-1]
            net.heads["dogs"].weight[:, number * 1280 :][:, :1280].copy_(torch.as_tensor(weight[rows]))
            net.heads["dogs"].bias += torch.as_tensor(bias[rows])
    return net


def run(pack, options):
    """Writes the checkpoint `options.out`."""
    batches.apply_cleaning(pack, options.cleaning)
    net = network(pack, options)
    refit.fit_heads(net, pack, refit.plain_features(net, pack, options))
    answers.save_checkpoint(net, options.out)
