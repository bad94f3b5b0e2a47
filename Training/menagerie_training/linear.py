"""A softmax layer fitted on frozen features: for label cleaning, for probes and for the zoo head."""

import torch
import torch.nn.functional as F


def standardise(features):
    """Mean and deviation per feature (C each) of N×C features."""
    return features.mean(0), features.std(0) + 1e-3


def fit(features, truth, classes, decay=3e-3, iterations=80, weights=None, watch=None, rate=0.02):
    """Full-batch AdamW softmax regression with a cosine rate.

    features: N×F float32 (standardised); truth: N int64; weights: N, optional. watch(iteration, weight, bias) is called
    every tenth iteration. Returns weight (classes×F) and bias (classes).
    """
    weight = torch.zeros(classes, features.shape[1], requires_grad=True)
    bias = torch.zeros(classes, requires_grad=True)
    optimiser = torch.optim.AdamW([weight, bias], lr=rate, weight_decay=decay / rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, iterations)
    for iteration in range(iterations):
        loss = F.cross_entropy(features @ weight.T + bias, truth, reduction="none", label_smoothing=0.05)
        loss = loss.mean() if weights is None else (loss * weights).sum() / weights.sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if watch and (iteration % 10 == 9 or iteration == 0):
            watch(iteration + 1, weight.detach(), bias.detach())
    return weight.detach(), bias.detach()


def out_of_fold(features, truth, groups, classes, folds=5, seed=1):
    """Probabilities N×classes, each photo's from a model that saw neither it nor its near-duplicates.

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
