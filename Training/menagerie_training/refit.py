"""The last step: makes the served network from the trained ones.

The weights go a part of the way from the start to the trained weights. The mean of the features over positions falls by
half from 128 to 192 pixels, so heads that were trained on crops misjudge whole pictures (FixRes, arXiv 1906.06423).
Therefore a correction is fitted to each head on plain views of training photos, with a penalty on the distance from the
trained head. The penalty with the best accuracy on the validation photos is used, or no correction. Cats and dogs get a
class for other breeds.
"""

import torch

from . import answers, batches, calibrate, evaluate, linear, train, views, zoo

#: A factor on the features. With it the penalties fit features whose standard deviation is about 0.5.
SCALE = 2.0
PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


def balance(head, truth, classes):
    """The weight of each photo, N. Fruit and species are rare in comparison with `none`, so they get more weight."""
    if head not in ("fruit", "zoo"):
        return torch.ones(len(truth))
    counts = torch.bincount(truth, minlength=classes).clamp_min(1).float()
    return counts[truth] ** -batches.BALANCE


def correction(layer, train, val, classes):
    """Weight and bias of the corrected layer and its validation accuracy before and after.

    train, val: (features N×2560, truth N, weights N), only photos that the head has a label for.
    """

    def accuracy(logits):
        return float((val[2] * (logits.argmax(1) == val[1])).sum() / val[2].sum())

    with torch.no_grad():
        base, judged = layer(train[0]), layer(val[0])
    softness = calibrate.temperature(judged.numpy(), val[1].numpy())
    base, judged = base / softness, judged / softness
    before = accuracy(judged)
    best = (before, layer.weight.detach() / softness, layer.bias.detach() / softness)
    mean = train[0].mean(0)
    for penalty in PENALTIES:
        weight, bias = linear.fit((train[0] - mean) * SCALE, train[1], classes, penalty, 40, train[2], base=base)
        weight, bias = weight * SCALE, bias - weight @ mean * SCALE
        after = accuracy(judged + val[0] @ weight.T + bias)
        print(f"    penalty {penalty}: {after:.4f}", flush=True)
        if after > best[0]:
            best = (after, layer.weight.detach() / softness + weight, layer.bias.detach() / softness + bias)
    return best[1], best[2], before, best[0]


def plain_features(net, pack, options):
    """{part: (positions, features N×2560)} of training and validation photos at `options.size`, as the service sees them."""
    parts = {}
    for part in ("train", "val"):
        positions, photos = views.centre_views(pack, options.cache, part, options.size)
        parts[part] = positions, torch.as_tensor(answers.of_network(net, pack, photos)["features"])
    return parts


def fit_heads(net, pack, parts):
    """Corrects every head of `net` except objects, in place, on the features of `plain_features`."""
    trained = torch.tensor(zoo.composition(pack).trained)
    for head in train.LOSS_SHARES:
        layer = net.heads[head]
        sides, classes = [], len(pack.heads[head])
        for positions, features in parts.values():
            truth = torch.as_tensor(pack.labels[head][positions])
            if head == "zoo":
                # A species that `objects` answers counts as `none` here, since it gets a part of that probability.
                truth = torch.where((truth < 0) | torch.isin(truth, trained), truth, classes - 1)
            truth, features = truth[truth >= 0], features[truth >= 0]
            sides.append((features, truth, balance(head, truth, classes)))
        weight, bias, before, after = correction(layer, *sides, classes)
        print(f"{head}: validation {before:.4f} before, {after:.4f} after", flush=True)
        with torch.no_grad():
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)


def add_other_breeds(net, pack, parts, others):
    """Gives cats and dogs a class for other breeds. The ratios between the other probabilities do not change.

    others: {head: bool for each photo of the pack}, of `evaluate.other_breeds`.
    """
    positions, features = parts["train"]
    mean = features.mean(0)
    for head in ("cats", "dogs"):
        layer, count = net.heads[head], len(pack.heads[head])
        truth = torch.as_tensor(pack.labels[head][positions])
        truth[torch.as_tensor(others[head][positions])] = count
        known = truth >= 0
        with torch.no_grad():
            base = layer(features[known])
        weight, bias = linear.fit_row((features[known] - mean) * SCALE, base, truth[known])
        wide = torch.nn.Linear(layer.in_features, count + 1)
        with torch.no_grad():
            wide.weight.copy_(torch.cat([layer.weight, (weight * SCALE).unsqueeze(0)]))
            wide.bias.copy_(torch.cat([layer.bias, bias - SCALE * weight @ mean]))
        net.heads[head] = wide
        print(f"{head}: {int((truth == count).sum())} photos of other breeds", flush=True)


def part_of_the_way(start, runs, share):
    """The network `share` of the way from `start` to the weights that the runs changed (WiSE-FT, arXiv 2109.01903).

    runs: networks that began as `start`, each with another tower tuned and that tower's half of the heads.
    """
    first, others = start.state_dict(), [run.state_dict() for run in runs]
    start.load_state_dict({
        name: value + share * sum(other[name] - value for other in others) for name, value in first.items()
    })
    return start


def run(pack, options):
    """Writes the checkpoint `options.out` with corrected heads and the classes for other breeds."""
    others = {head: evaluate.other_breeds(pack, head) for head in ("cats", "dogs")}
    batches.apply_cleaning(pack, options.cleaning)
    start, runs = answers.load_checkpoint(options.start), [answers.load_checkpoint(file) for file in options.models]
    net = part_of_the_way(start, runs, options.share)
    parts = plain_features(net, pack, options)
    fit_heads(net, pack, parts)
    add_other_breeds(net, pack, parts, others)
    answers.save_checkpoint(net, options.out)
