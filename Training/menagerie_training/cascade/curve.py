"""Estimates how much more photos would help: fits the second stage's heads of pets on growing shares of the photos."""

import numpy as np
import torch

from ..candidates import heads as candidates
from . import fit
from .heads import Stage

SHARES = (0.125, 0.25, 0.5, 1.0)
#: The number of random draws of a share. Their results are averaged.
DRAWS = 3
#: The L2 penalties that are tried. Fewer photos need a larger penalty.
PENALTIES = {"cats": (3e-3, 1e-2, 3e-2), "dogs": (3e-2, 1e-1, 3e-1)}


def portion(positions, share, random):
    """N bool: whether a photo is in a random share of all photos. `positions` may contain a photo several times."""
    different = np.unique(positions)
    return np.isin(positions, random.permutation(different)[: round(share * len(different))])


def run(gallery, options):
    """Prints the photos and the test part's top-1 for each head and share. The validation part chooses penalties."""
    seen, truth = fit.Seen(gallery, options), candidates.truths(gallery, options.cleaning)
    features, objects, rows = seen.several(1, options.draws, ("train",))
    there = seen.look("size0")[1]
    for head, penalties in PENALTIES.items():
        parts = [np.flatnonzero((gallery.part == part) & there & (truth[head] >= 0)) for part in ("val", "test")]
        views = [seen.stage(1, "size0", part) for part in parts]
        labelled = np.flatnonzero((truth[head][rows] >= 0) | truth["other_" + head][rows])
        for share in SHARES:
            reached, count = [], 0
            for number in range(DRAWS if share < 1 else 1):
                mine = labelled[portion(rows[labelled], share, np.random.default_rng(number))]
                count = int((truth[head][rows[mine]] >= 0).sum())
                told = {name: torch.as_tensor(values[rows[mine]]) for name, values in truth.items()}
                tried = []
                for penalty in penalties:
                    stage = Stage(gallery.heads).fit(features[mine], objects[mine], told, {head: penalty})
                    # The class for other breeds is left out, since it is never an answer.
                    found = [stage.answer(*view)[head][:, : len(gallery.heads[head])] for view in views]
                    tried.append([fit.score(logits, truth[head][part]) for logits, part in zip(found, parts)])
                reached.append(max(tried)[1])
            print(f"{head} {count:5d} views to train on: {np.mean(reached):.4f} of {len(parts[1])} photos", flush=True)
