"""Measures or writes a tuned second stage with weights a share of the way from the start to the tuned ones."""

from pathlib import Path

import numpy as np
import torch

from ..backbones import vit
from ..candidates import fitting
from . import fit, tune

BATCH = 64


def between(start, end, share):
    """The student `start` with weights moved a share of the way to those of `end` (WiSE-FT, arXiv 2109.01903)."""
    first, last = start.state_dict(), end.state_dict()
    start.load_state_dict({name: torch.lerp(first[name], last[name], share) for name in first})
    return start.eval()


def students(options):
    """(truth, tower, function: share → student) of a run."""
    folder = Path(options.run)
    truth, tower, start = torch.load(folder / "start.pt", weights_only=False)
    state = torch.load(folder / "checkpoint.pt", weights_only=True)
    # `distil` stores its teacher after the two values that a student needs.
    start = start[:2]
    end = tune.Student(tower, state["held"], *start)
    end.load_state_dict(state["average"])
    return truth, tower, lambda share: between(tune.Student(tower, state["held"], *start), end, share)


@torch.no_grad()
def features(student, file):
    """The student's features N×192, from the stored tokens of a file of `features --held`."""
    middle = np.load(file.with_name(file.stem + "_middle.npy"), mmap_mode="r")
    parts = [student.features(torch.as_tensor(middle[at : at + BATCH].astype(np.float32))) for at in range(0, len(middle), BATCH)]
    return torch.cat(parts)


def files(options, look):
    """The files of a look."""
    return sorted(Path(options.features).glob(f"{look}_[0-9][0-9][0-9].npz"))


def accuracy(gallery, truth, student, options):
    """{head: share of right first labels} of the student's own heads on the validation part."""
    found, positions = [], []
    for file in files(options, "size0"):
        there = np.load(file)["positions"]
        chosen = gallery.part[there] == "val"
        if chosen.any():
            found.append(features(student, file)[torch.as_tensor(chosen)])
            positions.append(there[chosen])
    with torch.no_grad():
        answers = student.answers(torch.cat(found))
    answers["presence"] = fitting.presence(answers["kinds"])
    told = {head: values[np.concatenate(positions)] for head, values in truth.items()}
    return fit.accuracies({head: values.numpy() for head, values in answers.items()}, told, gallery.heads)


def run(gallery, options):
    """Measures several shares, or writes RUN/vit.npz of one share and the features NAME of every look."""
    truth, tower, of_share = students(options)
    for share in options.shares:
        scores = accuracy(gallery, truth, of_share(share), options)
        print(f"share {share}:", " ".join(f"{head} {score:.4f}" for head, score in scores.items()), flush=True)
    if len(options.shares) > 1:
        return
    student = of_share(options.shares[0])
    *blocks, tower.norm = student.stages
    for number, block in enumerate(blocks, len(tower.blocks) - len(blocks)):
        tower.blocks[number] = block
    vit.save(Path(options.run) / "vit.npz", tower, student.heads["objects"].weight, student.heads["objects"].bias)
    folder = Path(options.cache) / options.name
    folder.mkdir(parents=True, exist_ok=True)
    for look in options.looks:
        for file in files(options, look):
            seen = features(student, file).numpy().astype(np.float16)
            np.savez(folder / file.name, vit=seen, positions=np.load(file)["positions"])
        print(f"{folder}: {look}", flush=True)
