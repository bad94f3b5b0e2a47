"""Records the answers of both files to 100 photos, for the test that compares Swift's answers with Python's."""

import json
from pathlib import Path

import numpy as np

from .. import answers, data, measures, views
from . import fuse

PHOTOS = 100
#: The number of classes that are listed for each head, the likeliest first.
LISTED = 3


def labels_of(entry):
    """(labels, number of the class that is never answered or None) of a head in a manifest."""
    return (entry["labels"], entry.get("background")) if isinstance(entry, dict) else (entry, None)


class Numbers:
    """The names of the classes and the numbers of a manifest's cascade."""

    def __init__(self, manifest):
        self.names, calibration, cascade = {}, manifest["calibration"], manifest["cascade"]
        for head, entry in manifest["heads"].items():
            labels, silent = labels_of(entry)
            # Classes that are never answers are the last ones.
            self.names[head] = labels[:silent] if head in ("cats", "dogs") else labels
        self.warm = {head: told.get("temperature", 1) for head, told in calibration.items()}
        self.abstain_below = {head: told.get("abstain_below", 0) for head, told in calibration.items()}
        self.answer_from = {head: told["answer_from"] for head, told in calibration.items() if "answer_from" in told}
        self.below, self.weights = cascade["asked_below"], cascade["weights"]

    def probabilities(self, logits):
        """{head: N×classes} without the classes that are never answers."""
        return fuse.probabilities(logits, self.warm, self.names)

    def joined(self, first, second):
        """({output: N×C}, N bool: whether the second network was asked)."""
        where = fuse.asked(self.probabilities(first), self.names, self.answer_from, self.below)
        return fuse.joined(first, second, self.weights, where), where

    def answering(self, logits):
        """(N names of the heads that answer, N probabilities of their likeliest classes)."""
        return fuse.answering(self.probabilities(logits), self.names, self.answer_from)


def cascade(manifest, first, second, specialists):
    """({output: N×C}, N bool: whether another network than the first was asked), by the manifest's numbers.

    specialists: {head: N×C} of the networks for one head.
    """
    numbers = Numbers(manifest)
    logits, where = numbers.joined(first, second)
    answering, sure = numbers.answering(logits)
    for head, told in manifest["cascade"].get("specialists", {}).items():
        one, other = told["weights"]
        mine = (answering == head) & (sure < told["asked_below"])
        where = where | mine
        logits[head] = np.where(mine[:, None], one * logits[head] + other * specialists[head], logits[head])
    return logits, where


def run(options):
    """Writes paths and probabilities (temperatures of the manifest) of photos spread over the test part as JSON."""
    folder, root = Path(options.models), Path(options.photos)
    manifest = json.loads((folder / "manifest.json").read_text())
    rows = data.read_rows(root)
    paths = sorted(row["path"] for row, part in zip(rows, data.split(rows, 1)) if part == "test")
    paths = paths[:: len(paths) // PHOTOS][:PHOTOS]
    photos = np.stack([views.centre_view(root / path, manifest["input"]["size"][0]) for path in paths])
    files = folder / manifest["file"], folder / manifest["cascade"]["file"]
    first, second = (
        {head: found for head, found in answers.of_graph(file, photos, "f32").items() if head in manifest["heads"]} for file in files
    )
    specialists = {
        head: answers.of_graph(folder / told["file"], photos, "f32")[head]
        for head, told in manifest["cascade"].get("specialists", {}).items()
    }
    logits, where = cascade(manifest, first, second, specialists)
    entries = []
    for row, path in enumerate(paths):
        heads = {}
        for head, entry in manifest["heads"].items():
            names, silent = labels_of(entry)
            temperature = manifest["calibration"].get(head, {}).get("temperature", 1)
            probabilities = measures.softmax(logits[head][row : row + 1], temperature)[0]
            best = [i for i in np.argsort(-probabilities, kind="stable") if i != silent][:LISTED]
            heads[head] = [[names[i], round(float(probabilities[i]), 4)] for i in best]
        entries.append({"path": path, "second": bool(where[row]), "heads": heads})
    lines = ",\n".join("  " + json.dumps(entry, separators=(",", ":")) for entry in entries)
    digests = f'"sha256": "{manifest["sha256"]}", "second_sha256": "{manifest["cascade"]["sha256"]}"'
    Path(options.reference).write_text(f'{{{digests}, "photos": [\n{lines}\n]}}\n')
    print(f"{len(entries)} photos, {int(where.sum())} of them seen by both, {options.reference}")
