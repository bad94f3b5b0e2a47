"""Transfer learning as in the replaced apps: only a softmax layer on frozen features, with an 80/20 split."""

import numpy as np
import torch

from . import features, linear


def run(pack, options):
    """Trains the head `options.head`. Prints training and validation accuracy during the iterations."""
    matrix = features.original_all(pack, options)
    truth = torch.as_tensor(pack.labels[options.head])
    chosen = truth >= 0
    names = pack.heads[options.head]
    if options.head in ("fruit", "zoo"):
        # Balanced like an app's data set: at most four times as many other photos as in the largest named class.
        none = torch.nonzero(truth == len(names) - 1).flatten()
        most = 4 * int(torch.bincount(truth[chosen & (truth < len(names) - 1)]).max())
        keep = none[torch.randperm(len(none), generator=torch.Generator().manual_seed(options.seed))[:most]]
        chosen = chosen & (truth < len(names) - 1)
        chosen[keep] = True
    positions = torch.nonzero(chosen).flatten()
    groups = np.unique([pack.rows[p]["dup"] or pack.rows[p]["path"] for p in positions.tolist()], return_inverse=True)[1]
    inside = torch.as_tensor(np.random.default_rng(options.seed).random(groups.max() + 1)[groups] < 0.8)
    mean, deviation = linear.standardise(matrix[positions][inside])
    scaled, labels = (matrix[positions] - mean) / deviation, truth[positions]
    print(f"{options.head}: {int(inside.sum())} photos to train on, {int((~inside).sum())} to validate, 1,280 features")

    def watch(iteration, weight, bias):
        right = (scaled @ weight.T + bias).argmax(1) == labels
        train, val = float(right[inside].float().mean()), float(right[~inside].float().mean())
        print(f"iteration {iteration:4d}  training {train:.4f}  validation {val:.4f}", flush=True)

    return linear.fit(scaled[inside], labels[inside], len(names), iterations=options.iterations, watch=watch)
