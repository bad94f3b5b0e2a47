"""Assigns boxes to points by the network's present output, and computes the losses. The assignment is SimOTA of YOLOX
(arXiv 2107.08430) with soft labels as in NanoDet-Plus."""

import torch
import torch.nn.functional as F

#: The number of candidate points for a box, and the weight of the overlap relative to that of the class in the cost.
CANDIDATES, OVERLAP_WEIGHT = 13, 3.0
#: The weights of the losses, as in the training of NanoDet-Plus.
BOX_WEIGHT, BINS_WEIGHT = 2.0, 0.25


def paired(first, second, general=False):
    """Intersections over unions of pairs of boxes (…×4). With `general` they are generalised, −1…1."""
    edge = torch.maximum(first[..., :2], second[..., :2])
    end = torch.minimum(first[..., 2:], second[..., 2:])
    both = (end - edge).clamp(min=0).prod(-1)
    areas = [(box[..., 2:] - box[..., :2]).clamp(min=0).prod(-1) for box in (first, second)]
    union = (areas[0] + areas[1] - both).clamp(min=1e-6)
    if not general:
        return both / union
    hull = torch.maximum(first[..., 2:], second[..., 2:]) - torch.minimum(first[..., :2], second[..., :2])
    hull = hull.prod(-1).clamp(min=1e-6)
    return both / union - (hull - union) / hull


@torch.no_grad()
def assign(shares, edges, truth, labels, points):
    """(number of the box that each of P points must find, or −1; overlap of the point's present box with it).

    shares: P×classes probabilities; edges: P×4 boxes now; truth: N×4; labels: N; points: P×2.
    """
    count = len(points)
    found, overlap = torch.full((count,), -1), torch.zeros(count)
    if not len(truth):
        return found, overlap
    inside = ((points[:, None] > truth[None, :, :2]) & (points[:, None] < truth[None, :, 2:])).all(-1)
    # A small box may contain no point. Its nearest point then counts as inside.
    middle = (truth[:, :2] + truth[:, 2:]) / 2
    for number in torch.nonzero(~inside.any(0)).flatten():
        inside[(points - middle[number]).square().sum(1).argmin(), number] = True
    chosen = torch.nonzero(inside.any(1)).flatten()
    inside = inside[chosen]
    share = paired(edges[chosen, None], truth[None])
    own = shares[chosen][:, labels]
    scale = (share - own).abs().square()
    by_class = F.binary_cross_entropy(own.clamp(1e-6, 1 - 1e-6), share.clamp(0, 1), reduction="none") * scale
    cost = by_class - OVERLAP_WEIGHT * torch.log(share + 1e-7) + (~inside) * 1e6
    taken = torch.zeros_like(cost, dtype=torch.bool)
    best = share.topk(min(CANDIDATES, len(chosen)), 0).values.sum(0).int().clamp(min=1)
    for number in range(len(truth)):
        order = cost[:, number].topk(min(int(best[number]), len(chosen)), largest=False).indices
        taken[order, number] = True
    # A point finds only one box, the one with the least cost.
    several = taken.sum(1) > 1
    if several.any():
        cheapest = cost[several].argmin(1)
        taken[several] = False
        taken[torch.nonzero(several).flatten(), cheapest] = True
    taken &= inside
    mine = taken.any(1)
    numbers = taken[mine].int().argmax(1)
    found[chosen[mine]] = numbers
    overlap[chosen[mine]] = share[mine].gather(1, numbers[:, None]).squeeze(1)
    return found, overlap


def quality_focal(logits, target):
    """Quality focal loss towards probabilities, summed (arXiv 2006.04388, β = 2). A reached target costs nothing."""
    scale = (logits.sigmoid() - target).abs().square()
    return (F.binary_cross_entropy_with_logits(logits, target, reduction="none") * scale).sum()


def bin_loss(logits, reach):
    """N×4 cross-entropies of N×4×8 logits with the two bins next to each of N×4 distances."""
    reach = reach.clamp(0, logits.shape[-1] - 1.01)
    low = reach.floor().long()
    part = reach - low
    log = logits.log_softmax(-1)
    below, above = (log.gather(-1, (low + more).unsqueeze(-1)).squeeze(-1) for more in (0, 1))
    return -(below * (1 - part) + above * part)
