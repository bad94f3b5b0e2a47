"""Records the exported file's answers to 100 photos, for the test that compares Swift's answers with Python's."""

import json
from pathlib import Path

import numpy as np

from . import answers, measures, views

PHOTOS = 100
#: The number of classes that are listed for each head, the likeliest first.
LISTED = 3


def run(pack, options):
    """Writes paths and probabilities (temperatures of the manifest) of photos spread over the test part as JSON."""
    folder = Path(options.model)
    manifest = json.loads((folder / "manifest.json").read_text())
    size = manifest["input"]["size"][0]
    paths = sorted(pack.rows[p]["path"] for p in pack.where("test"))
    paths = paths[:: len(paths) // PHOTOS][:PHOTOS]
    photos = np.stack([views.centre_view(pack.data / p, size) for p in paths])
    logits = answers.of_graph(folder / manifest["file"], photos, "f32")
    entries = []
    for row, path in enumerate(paths):
        heads = {}
        for head in manifest["heads"]:
            temperature = manifest["calibration"].get(head, {}).get("temperature", 1)
            probabilities = measures.softmax(logits[head][row : row + 1], temperature)[0]
            entry = manifest["heads"][head]
            names, silent = (entry["labels"], entry.get("background")) if isinstance(entry, dict) else (entry, None)
            best = [i for i in np.argsort(-probabilities, kind="stable") if i != silent][:LISTED]
            heads[head] = [[names[i], round(float(probabilities[i]), 4)] for i in best]
        entries.append({"path": path, "heads": heads})
    lines = ",\n".join("  " + json.dumps(entry, separators=(",", ":")) for entry in entries)
    text = f'{{"sha256": "{manifest["sha256"]}", "photos": [\n{lines}\n]}}\n'
    Path(options.out).write_text(text)
    print(f"{len(entries)} photos, {options.out}")
