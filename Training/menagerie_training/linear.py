"""Fits softmax layers on frozen features, for label cleaning, for probes and for the zoo head."""

import torch
import torch.nn.functional as F


def standardise(features):
    """Mean and deviation per feature (C each) of N×C features."""
    return features.mean(0), features.std(0) + 1e-3


def fit(features, truth, classes, penalty=3e-3, iterations=50, weights=None, watch=None, base=None):
    """Softmax regression by L-BFGS with an L2 penalty. It starts with zero weights and the classes' log shares as bias.

    base: N×classes logits of another layer, optional. The fitted layer is then added to them, and starts at zero.

    features: N×F float32 (standardised); truth: N int64; weights: N, optional. watch(iteration, weight, bias) is called
    every fifth iteration. Returns weight (classes×F) and bias (classes).
    """
    weights = torch.ones(len(truth)) if weights is None else weights
    weights = weights / weights.sum()
    shares = torch.zeros(classes).index_add_(0, truth, weights)
    weight = torch.zeros(classes, features.shape[1], requires_grad=True)
    bias = (shares + 1e-4).log() if base is None else torch.zeros(classes)
    bias.requires_grad_()
    base = 0 if base is None else base
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=5, history_size=10, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        loss = F.cross_entropy(base + features @ weight.T + bias, truth, reduction="none")
        loss = (loss * weights).sum() + penalty / 2 * weight.square().sum()
        loss.backward()
        return loss

    for iteration in range(5, iterations + 1, 5):
        optimiser.step(closure)
        if watch:
            watch(iteration, weight.detach(), bias.detach())
    return weight.detach(), bias.detach()


def fit_row(features, base, truth, penalty=1e-2, iterations=40):
    """Fits an additional class: weight F and bias of its logit, by L-BFGS with an L2 penalty.

    features: N×F float32; base: N×C logits of the other classes, which do not change; truth: N int64, C for the new
    class.
    """
    weight, bias = torch.zeros(features.shape[1], requires_grad=True), torch.zeros(1, requires_grad=True)
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=iterations, history_size=10, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        logits = torch.cat([base, (features @ weight + bias).unsqueeze(1)], 1)
        loss = F.cross_entropy(logits, truth) + penalty / 2 * weight.square().sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    return weight.detach(), bias.detach()


def out_of_fold(features, truth, groups, classes, folds=5, seed=1):
    """Probabilities N×classes. Those of a photo come from a model that was fitted without it and its near-duplicates.

    groups: N int, the near-duplicate group of each photo.
    """
    generator = torch.Generator().manual_seed(seed)
    fold_of_group = torch.randint(folds, (int(groups.max()) + 1,), generator=generator)
    fold = fold_of_group[groups]
    answer = torch.zeros(len(features), classes)
    for number in range(folds):
        inside = fold != number
        mean, deviation = standardise(features[inside])
        scaled = (features - mean) / deviation
        weight, bias = fit(scaled[inside], truth[inside], classes)
        answer[~inside] = (scaled[~inside] @ weight.T + bias).softmax(1)
    return answer
