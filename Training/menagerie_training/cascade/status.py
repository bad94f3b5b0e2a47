"""Finds how far each of the zoo's species can be trusted, by cross-validation over all its photos."""

import numpy as np
import torch

from .. import labels
from .heads import ENOUGH, Stage

FOLDS = 5
#: The number of unseen photos that a species that was trained here needs to be recognised.
PROOF = 5
#: The share of these photos that must be right.
RIGHT = 0.9


def out_of_fold(gallery, seen, truth, looks, penalty):
    """The answer of the second stage's zoo head to every photo, N int (−1: not asked).

    The head is fitted without the photo and its near-duplicates. The first stage does not take part, since its network
    was tuned on most of these photos.
    """
    answer = np.full(len(gallery.rows), -1)
    group = np.unique(gallery.near, return_inverse=True)[1]
    fold = np.random.default_rng(1).integers(FOLDS, size=group.max() + 1)[group]
    features, objects, rows = seen.several(1, looks, ("train", "val", "test"))
    told = torch.as_tensor(truth["zoo"][rows])
    # All photos of species are asked, and a fifth of the photos without one.
    asked = (truth["zoo"] >= 0) & ((truth["zoo"] < len(gallery.heads["zoo"]) - 1) | (np.arange(len(answer)) % 5 == 0))
    for number in range(FOLDS):
        inside = torch.as_tensor(fold[rows] != number)
        stage = Stage(gallery.heads).fit(features[inside], objects[inside], {"zoo": told[inside]}, {"zoo": penalty})
        first = np.unique(rows, return_index=True)[1]
        mine = first[(fold[rows[first]] == number) & asked[rows[first]]]
        answer[rows[mine]] = stage.zoo(features[mine], objects[mine]).argmax(1).numpy()
    return answer


def statuses(gallery, seen, truth, looks, penalty):
    """{species: {"status", "accuracy", "photos", "by", "note"}}.

    recognised: its photos or its ImageNet class show exactly this species, and at least `RIGHT` of its photos were
    right. A species that was trained here needs `PROOF` photos for that. approximate: trained or mapped, but not
    recognised. not_yet: it has neither photos nor an ImageNet class.
    """
    answer = out_of_fold(gallery, seen, truth, looks, penalty)
    counts = np.bincount(truth["zoo"][truth["zoo"] >= 0], minlength=len(gallery.heads["zoo"]))
    result = {}
    for position, entry in enumerate(labels.zoo_table()):
        mine = (truth["zoo"] == position) & (answer >= 0)
        photos = int(mine.sum())
        accuracy = float((answer[mine] == position).mean()) if photos else None
        by = "photos" if counts[position] >= ENOUGH else "imagenet" if entry["imagenet"] else None
        # Exact: trained on photos of exactly this species, or mapped to a class that is exactly this species.
        is_exact = entry["exact"] if by != "photos" else exact_photos(gallery, truth, position, entry)
        status = "approximate" if by else "not_yet"
        enough = photos >= (PROOF if by == "photos" else 0)
        if by and is_exact and enough and (accuracy is None or accuracy >= RIGHT):
            status = "recognised"
        result[entry["id"]] = {"status": status, "by": by, "photos": photos, "accuracy": accuracy}
        # A note says how the photos or the class differ from the species.
        if "note" in entry and (entry["exact"] or not is_exact):
            result[entry["id"]]["note"] = entry["note"]
    return result


def exact_photos(gallery, truth, position, entry):
    """Whether all photos of a species show exactly this species."""
    stated = {row["zoo_match"] for row, number in zip(gallery.rows, truth["zoo"]) if number == position} - {""}
    return entry["exact"] or stated == {"exact"}
