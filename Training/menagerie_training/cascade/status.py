"""How far each of the zoo's species can be trusted, by cross-validation over all photos of it."""

import numpy as np
import torch

from .. import labels
from .heads import ENOUGH, Stage

FOLDS = 5
#: Unseen photos that prove a species that was trained here.
PROOF = 5
#: Least share of them that is right.
RIGHT = 0.9


def out_of_fold(gallery, seen, truth, looks, penalty):
    """What the second stage's zoo head answers to every photo, N int (−1: not asked), fitted without it and all that is
    near to it.

    The first stage has no part in it: its network was tuned on most of these photos.
    """
    answer = np.full(len(gallery.rows), -1)
    group = np.unique(gallery.near, return_inverse=True)[1]
    fold = np.random.default_rng(1).integers(FOLDS, size=group.max() + 1)[group]
    features, objects, rows = seen.several(1, looks, ("train", "val", "test"))
    told = torch.as_tensor(truth["zoo"][rows])
    # All photos of a species, and a fifth of what shows none.
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

    recognised: what stands for it is exactly the species, and at least 90 % of its photos were right: at least `PROOF`
    photos where it was trained here; where ImageNet has the species as a class, however few there are. approximate: trained
    or mapped, without that. not_yet: nothing supports it.
    """
    answer = out_of_fold(gallery, seen, truth, looks, penalty)
    counts = np.bincount(truth["zoo"][truth["zoo"] >= 0], minlength=len(gallery.heads["zoo"]))
    result = {}
    for position, entry in enumerate(labels.zoo_table()):
        mine = (truth["zoo"] == position) & (answer >= 0)
        photos = int(mine.sum())
        accuracy = float((answer[mine] == position).mean()) if photos else None
        by = "photos" if counts[position] >= ENOUGH else "imagenet" if entry["imagenet"] else None
        # Trained on photos of exactly the species, or on a class that is exactly it.
        is_exact = entry["exact"] if by != "photos" else exact_photos(gallery, truth, position, entry)
        status = "approximate" if by else "not_yet"
        enough = photos >= (PROOF if by == "photos" else 0)
        if by and is_exact and enough and (accuracy is None or accuracy >= RIGHT):
            status = "recognised"
        result[entry["id"]] = {"status": status, "by": by, "photos": photos, "accuracy": accuracy}
        # A note says why a species is not exactly what stands for it.
        if "note" in entry and (entry["exact"] or not is_exact):
            result[entry["id"]]["note"] = entry["note"]
    return result


def exact_photos(gallery, truth, position, entry):
    """Whether the photos that stand for a species are of exactly it."""
    stated = {row["zoo_match"] for row, number in zip(gallery.rows, truth["zoo"]) if number == position} - {""}
    return entry["exact"] or stated == {"exact"}
