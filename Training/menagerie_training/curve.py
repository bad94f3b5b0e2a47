"""Estimates how much more photos would help: fits a linear layer on growing shares of the photos."""

import torch

from . import batches, features, linear

SHARES = (0.125, 0.25, 0.5, 1.0)


def run(pack, options):
    """Prints the accuracy on the test part for each share and head."""
    batches.apply_cleaning(pack, options.cleaning)
    matrix = features.original_all(pack, options)
    for head in ("presence", "cats", "dogs"):
        truth = torch.as_tensor(pack.labels[head])
        sides = {part: torch.as_tensor(pack.where(part)) for part in ("train", "test")}
        sides = {part: positions[truth[positions] >= 0] for part, positions in sides.items()}
        mean, deviation = linear.standardise(matrix[sides["train"]])
        order = torch.randperm(len(sides["train"]), generator=torch.Generator().manual_seed(options.seed))
        for share in SHARES:
            chosen = sides["train"][order[: int(share * len(order))]]
            weight, bias = linear.fit((matrix[chosen] - mean) / deviation, truth[chosen], len(pack.heads[head]))
            answer = ((matrix[sides["test"]] - mean) / deviation @ weight.T + bias).argmax(1)
            right = float((answer == truth[sides["test"]]).float().mean())
            print(f"{head:9s} {len(chosen):6d} photos to train on: {right:.4f} of {len(answer)}", flush=True)
