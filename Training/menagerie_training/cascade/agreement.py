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
        """({output: N×C}, N bool: whether the second network was asked), without specialists."""
        where = fuse.asked(self.probabilities(first), self.names, self.answer_from, self.below)
        return fuse.joined(first, second, self.weights, where), where

    def answering(self, logits):
        """(N names of the heads that answer, N probabilities of their likeliest classes)."""
        return fuse.answering(self.probabilities(logits), self.names, self.answer_from)


def looks(file, photos, head):
    """The logits of a specialist's file for N views and for their mirror images."""
    return [answers.of_graph(file, np.ascontiguousarray(seen), "f32")[head] for seen in (photos, photos[:, :, ::-1])]


def cascade(manifest, first, second, specialists):
    """({output: N×C}, N bool: whether another network than the first was asked), by the manifest's numbers.

    specialists: {head: two N×C} of the networks for one head: of the views and of their mirror images.
    """
    numbers, rules = Numbers(manifest), manifest["cascade"].get("specialists", {})
    probabilities = numbers.probabilities(first)
    answering, sure = numbers.answering(first)
    where = fuse.asked(probabilities, numbers.names, numbers.answer_from, numbers.below)
    is_certain = probabilities["presence"].max(1) >= numbers.below["presence"]
    alone, before = dict(first), {}
    for head, told in rules.items():
        one, other = told["first_weights"]
        before[head] = is_certain & (answering == head) & (sure < told["asked_below"])
        alone[head] = np.where(before[head][:, None], one * first[head] + other * specialists[head][0], first[head])
        unsure = numbers.probabilities({head: alone[head]})[head].max(1) < told["sure_from"]
        where = np.where(before[head], unsure, where)
    logits = {name: np.where(where[:, None], a * first[name] + b * second[name], alone[name])
              for name, (a, b) in numbers.weights.items()}
    answering, sure = numbers.answering(logits)
    for head, told in rules.items():
        one, other = told["weights"]
        mine = where & (answering == head) & (before[head] | (sure < told["asked_below"]))
        logits[head] = np.where(mine[:, None], one * logits[head] + other * sum(specialists[head]) / 2, logits[head])
    return logits, np.any([where, *before.values()], 0)


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
        head: looks(folder / told["file"], photos, head)
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
