"""A small network answers what it is sure of, a larger one looks at the rest: what that costs and how often it is right."""

import numpy as np

from .. import measures

#: Shares of the photos that the larger network looks at, as thresholds are drawn on the validation part.
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7)


def certainty(answers, warm, names):
    """How sure the small network is, N in 0…1: of its presence, and of the breed where it sees a cat or dog.

    For everything else the likeliest kind stands for the breed, and the first object: what would be answered.
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
    """The answers of the cascade, {head: N×C}: the large network's where the small one is less sure than `threshold`."""
    asked = (sure < threshold)[:, None]
    return {head: np.where(asked, large[head], small[head]) for head in small}


def threshold(sure, share):
    """The certainty below which `share` of the photos lie."""
    return np.inf if share >= 1 else float(np.quantile(sure, share))
