"""Measures cascades: a small network answers if it is sure, and otherwise a larger network answers."""

import numpy as np

from .. import measures

#: Shares of the validation photos that the larger network gets. Each share gives a threshold.
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7)


def certainty(answers, warm, names):
    """How sure the small network is, N in 0…1: of presence, and of the breed if it sees a cat or dog.

    Otherwise the likeliest object or species of the zoo takes the place of the breed.
    """
    presence = measures.softmax(answers["presence"], warm["presence"])
    sure = presence.max(1)
    best = presence.argmax(1)
    parts = {
        0: measures.softmax(answers["cats"], warm["cats"])[:, : len(names["cats"])].max(1),
        1: measures.softmax(answers["dogs"], warm["dogs"])[:, : len(names["dogs"])].max(1),
        2: np.maximum(
            measures.softmax(answers["objects"], warm["objects"]).max(1),
            measures.softmax(answers["zoo"], warm["zoo"])[:, :-1].max(1),
        ),
    }
    return sure * np.choose(best, [parts[place] for place in range(3)])


def joined(small, large, sure, threshold):
    """The cascade's answers, {head: N×C}. The large network answers if the small one is less sure than `threshold`."""
    asked = (sure < threshold)[:, None]
    return {head: np.where(asked, large[head], small[head]) for head in small}


def threshold(sure, share):
    """The certainty that `share` of the photos do not reach."""
    return np.inf if share >= 1 else float(np.quantile(sure, share))
