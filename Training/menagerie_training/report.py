"""Writes the evaluation report as Markdown and SVG plots. It uses saved logits (`evaluate --save`)."""

import json
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image

from . import batches, evaluate, measures

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

plt.rcParams["svg.hashsalt"] = "menagerie"


def load(file):
    """(positions, logits) from a file of `evaluate --save`."""
    stored = np.load(file)
    return stored["positions"], {name: stored[name].astype(np.float32) for name in stored.files if name != "positions"}


def reliability(path, pack, positions, logits, temperatures):
    """Reliability diagram of cats and dogs after temperature scaling (15 bins)."""
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.2))
    for axis, head in zip(axes, ("cats", "dogs")):
        truth = pack.labels[head][positions]
        known = truth >= 0
        probabilities = measures.softmax(logits[head][known], temperatures.get(head, 1))[:, : len(pack.heads[head])]
        error, bins = measures.calibration_error(probabilities, truth[known])
        confidence, accuracy, photos = zip(*bins)
        axis.plot([0, 1], [0, 1], color="0.7")
        axis.scatter(confidence, accuracy, s=np.sqrt(photos) * 6)
        axis.set(title=f"{head}: expected calibration error {error:.1%}", xlabel="confidence", ylabel="accuracy")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def matrix(path, pack, positions, logits, head):
    """Confusion matrix of a head, rows normalised."""
    truth = pack.labels[head][positions]
    known = truth >= 0
    names = pack.heads[head]
    table = measures.confusion(logits[head][known][:, : len(names)].argmax(1), truth[known], len(names))
    shares = table / np.maximum(table.sum(1, keepdims=True), 1)
    figure, axis = plt.subplots(figsize=(6, 5.4))
    axis.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    axis.set(xlabel="answer", ylabel="label", title=f"{head}: {known.sum()} photos")
    if len(names) <= 30:
        axis.set_xticks(range(len(names)), names, rotation=90, fontsize=6)
        axis.set_yticks(range(len(names)), names, fontsize=6)
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)


def percent(value):
    """A share as a percentage with one decimal."""
    return "–" if value is None or np.isnan(value) else f"{value * 100:.1f} %"


def measures_table(models):
    """The table of top-1 (top-3): a row for each subset, a column for each model. models: {name: measure() result}."""
    names = list(dict.fromkeys(name for result in models.values() for name in result if name != "abstention"))
    lines = ["| measure | photos | " + " | ".join(models) + " |", "|---|---|" + "---|" * len(models)]
    for name in names:
        photos = next(r[name]["photos"] for r in models.values() if name in r)
        cells = [
            f"{percent(r[name]['top1'])} ({percent(r[name]['top3'])})" if name in r else "–" for r in models.values()
        ]
        lines.append(f"| {name}, top-1 (top-3) | {photos} | " + " | ".join(cells) + " |")
    for name in ("cats", "dogs", "presence"):
        for key, title in (("macro_f1", "macro F1"), ("auc", "ROC-AUC"), ("precision", "precision"), ("ece", "ECE")):
            cells = [percent(r[name][key]) if name in r else "–" for r in models.values()]
            lines.append(f"| {name}, {title} | | " + " | ".join(cells) + " |")
    cells = [percent(r["abstention"]["auroc"]) if "abstention" in r else "–" for r in models.values()]
    lines.append("| abstention, AUROC | | " + " | ".join(cells) + " |")
    return lines


def by_source(pack, positions, logits, least=15):
    """Top-1 of cats and dogs by source."""
    lines = ["| head | source | photos | top-1 |", "|---|---|---|---|"]
    for head in ("cats", "dogs"):
        truth = pack.labels[head][positions]
        sources = np.array([pack.rows[p]["source"] for p in positions])
        for source in sorted(set(sources[truth >= 0])):
            mine = (truth >= 0) & (sources == source)
            if mine.sum() >= least:
                score = measures.top(logits[head][mine][:, : len(pack.heads[head])], truth[mine])
                lines.append(f"| {head} | {source} | {mine.sum()} | {percent(score)} |")
    return lines


def by_size(pack, positions, logits):
    """Top-1 of cats and dogs by the short side of the photo's file, in quarters of the photos."""
    lines = ["| head | short side, pixels | photos | top-1 |", "|---|---|---|---|"]
    for head in ("cats", "dogs"):
        truth = pack.labels[head][positions]
        known = np.flatnonzero(truth >= 0)
        sides = np.array([short_side(pack.data / pack.rows[positions[i]]["path"]) for i in known])
        limits = np.unique(np.quantile(sides, [0, 0.25, 0.5, 0.75, 1]).astype(int))
        for low, high in zip(limits, limits[1:]):
            mine = known[(sides >= low) & (sides < high + (high == limits[-1]))]
            if len(mine):
                score = measures.top(logits[head][mine][:, : len(pack.heads[head])], truth[mine])
                lines.append(f"| {head} | {low}–{high - (high != limits[-1])} | {len(mine)} | {percent(score)} |")
    return lines


def short_side(path):
    """Pixels of the photo's shorter side."""
    with Image.open(path) as image:
        return min(image.size)


def run(pack, options):
    """Writes REPORT.md and its plots to `options.out`.

    options.models: `name=file.npz` of the test part. The plots and lists are about the first model.
    """
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    calibration = json.loads(Path(options.calibration).read_text())
    temperatures = evaluate.load_temperatures(options.calibration)
    doubted = batches.doubted(pack, options.cleaning)
    loaded = dict(entry.split("=", 1) for entry in options.models)
    loaded = {name: load(file) for name, file in loaded.items()}
    ours = next(iter(loaded))
    results = {
        name: evaluate.measure(pack, positions, logits, doubted, temperatures if name == ours else None)
        for name, (positions, logits) in loaded.items()
    }
    positions, logits = loaded[ours]
    reliability(out / "reliability.svg", pack, positions, logits, temperatures)
    for head in ("cats", "dogs"):
        matrix(out / f"confusion_{head}.png", pack, positions, logits, head)
    lines = ["# Evaluation", "", Path(options.preface).read_text().strip() if options.preface else "", ""]
    lines += ["## Measures on the test split", "", *measures_table(results), ""]
    lines += ["## Accuracy by source", "", *by_source(pack, positions, logits), ""]
    lines += ["## Accuracy by size of the photo", "", *by_size(pack, positions, logits), "", "## Most confused", ""]
    for head in ("cats", "dogs"):
        truth = pack.labels[head][positions]
        pairs = measures.confused_pairs(logits[head][truth >= 0], truth[truth >= 0], pack.heads[head])
        lines.append(f"- {head}: " + ", ".join(f"{a} → {b} ({n})" for a, b, n in pairs))
    lines += ["", "![Reliability](reliability.svg)", "", "![Cats](confusion_cats.png)", "", "![Dogs](confusion_dogs.png)"]
    lines += ["", "## Zoo", "", "| species | status | by | photos | accuracy |", "|---|---|---|---|---|"]
    for species, entry in calibration["zoo"].items():
        accuracy = percent(entry["accuracy"]) if entry["accuracy"] is not None else "–"
        lines.append(f"| {species} | {entry['status']} | {entry['by'] or '–'} | {entry['photos']} | {accuracy} |")
    (out / "REPORT.md").write_text("\n".join(lines) + "\n")
    print(f"{out}/REPORT.md")
