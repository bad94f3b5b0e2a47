"""Writes REPORT.md: the cascade's accuracy on photos on which nothing was fitted, beside earlier weights."""

import json
from pathlib import Path

import numpy as np
import torch

from .. import measures, report
from ..candidates import features, heads as candidates, table
from ..gallery import law
from . import calibration, fit

HEADS = ("presence", "cats", "dogs", "zoo", "objects", "fruit")


def stored(found, chosen, names):
    """The stored logits of an earlier network, with zeros for a head that it does not have."""
    return {
        head: found[head][chosen].astype(np.float32) if head in found else np.zeros((len(chosen), len(names[head])))
        for head in HEADS
    }


class Columns:
    """Rows of `candidates.table` for each version and size, on the same photos."""

    def __init__(self, gallery, options):
        self.gallery, self.out = gallery, Path(options.out)
        self.seen = fit.Seen(gallery, options)
        self.truth = candidates.truths(gallery, options.cleaning)
        self.judges = {part: candidates.Judge(gallery, part, self.truth) for part in ("val", "test")}
        self.stages = torch.load(self.out / "stages.pt", weights_only=False)
        self.rules = fit.loaded(json.loads((self.out / "rules.json").read_text()), gallery.heads)
        self.asked = {}

    def ours(self, size):
        """(column, logits, positions) of the cascade on the test part at one size."""
        judge = self.judges["test"]
        chosen = judge.photos(self.seen.look(f"size{size}")[1])
        first, second = fit.answers(self.seen, self.stages, f"size{size}", chosen)
        joined = self.rules.together(first, second)
        self.asked[size] = float(self.rules.asked(first).mean())
        limits = [self.rules.abstain["cats"], self.rules.abstain["dogs"]]
        return judge.measure(joined, chosen, self.rules.warm, limits)[0], joined, chosen

    def theirs(self, found, there, size, warm, limits):
        """A column of earlier weights on the same photos."""
        judge = self.judges["test"]
        chosen = judge.photos(there & self.seen.look(f"size{size}")[1])
        row = judge.measure(stored(found, chosen, self.gallery.heads), chosen, warm, limits)[0]
        missing = tuple(head for head in HEADS if head not in found)
        return {name: value for name, value in row.items() if not name.startswith(missing)} if missing else row

    def numbers(self, found, there):
        """(temperatures, thresholds) of earlier weights, found on the validation part. Both are None without its
        logits."""
        chosen = self.judges["val"].photos(there)
        if not len(chosen):
            return None, None
        return self.judges["val"].measure(stored(found, chosen, self.gallery.heads), chosen)[1:]


def goals(version, ours, earlier, extra):
    """The issue's table: rows of (measure, goal, {column: text})."""
    columns = {version: ours} | earlier

    def cell(column, *names):
        return " / ".join(f"{100 * column[name][0]:.1f}" if name in column else "–" for name in names)

    rows = [
        ("presence, real size / small, %", "≥ 98.5 / 98.5", ("presence, real", "presence, small")),
        ("other things named as a breed without abstaining, real size, %", "≤ 0.7", ("strangers named as a breed, real",)),
        ("cats: Oxford's 12; all 20 top-1 / top-3, %", "≥ 94; ≥ 90 / 98", ("cats, Oxford's 12", "cats", "cats, top-3")),
        ("dogs: 120 top-1 / top-3, %", "≥ 89 / 98", ("dogs", "dogs, top-3")),
        ("zoo, photos of species, real size, %", "≥ 93", ("zoo, real",)),
        ("objects: top-1 / top-5, %", "≥ 80 / 95", ("objects", "objects, top-5")),
        ("calibration error: presence, cats, dogs, zoo, objects, fruit, %", "≤ 3 each", tuple(f"{h}, ECE" for h in HEADS)),
    ]
    lines = ["| measure | goal | " + " | ".join(columns) + " |", "|---" * (2 + len(columns)) + "|"]
    for title, goal, names in rows:
        lines.append(f"| {title} | {goal} | " + " | ".join(cell(column, *names) for column in columns.values()) + " |")
    for title, goal, text in extra:
        lines.append(f"| {title} | {goal} | {text} |" + " |" * (len(columns) - 1))
    return lines


def sizes_apart(columns):
    """The accuracy of each head at 400 px minus that at 160 px, in percentage points."""
    return {
        head: 100 * (columns[400][head][0] - columns[160][head][0]) for head in HEADS if head in columns[160]
    }


def confusions(gallery, truth, logits, chosen):
    """The most frequent mistakes of cats and dogs, as lines."""
    for head in ("cats", "dogs"):
        told = truth[head][chosen]
        pairs = measures.confused_pairs(logits[head][told >= 0], told[told >= 0], gallery.heads[head])
        yield f"- {head}: " + ", ".join(f"{a} → {b} ({n})" for a, b, n in pairs)


def run(gallery, options):
    """Writes REPORT.md and its plots to `options.models`."""
    made, models = Columns(gallery, options), Path(options.models)
    sizes = [size for size in law.SIZES if len(made.judges["test"].photos(made.seen.look(f"size{size}")[1]))]
    results = {size: made.ours(size) for size in sizes}
    ours, logits, chosen = results[0]
    earlier, small = {}, {}
    sources = {"5": made.seen.look("size0")} | {
        name: features.load(file, "size0", options.cache, len(gallery.rows))
        for name, file in (entry.split("=", 1) for entry in options.earlier)
    }
    for name, (found, there) in sources.items():
        warm, limits = made.numbers(found, there)
        earlier[name] = made.theirs(found, there, 0, warm, limits)
        if name == "5":
            for size in sizes:
                small[size] = made.theirs(*made.seen.look(f"size{size}"), size, warm, limits)
    species = json.loads((made.out / "status.json").read_text())
    counted = [entry["status"] for entry in species.values()]
    bytes_ = sum((models / name).stat().st_size for name in ("menagerie.onnx", "second.onnx"))
    extra = [
        ("species recognised / approximate / not yet", "≥ 30", f"{counted.count('recognised')} / {counted.count('approximate')} "
         f"/ {counted.count('not_yet')}"),
        ("both files, MB", "≤ 24 with the detector", f"{bytes_ / 1e6:.1f}"),
        ("photos that the second stage saw, %", "–", f"{100 * made.asked[0]:.1f}"),
    ]
    lines = ["# Evaluation", "", Path(options.preface).read_text().strip() if options.preface else "", ""]
    lines += ["## Against the goals", "", *goals(options.version, ours, earlier, extra), ""]
    lines += ["## All measures, on the same photos", "",
              table.markdown({f"version {options.version}": ours} | {f"version {name}": row for name, row in earlier.items()}), ""]
    lines += ["## The same photos at other sizes", "",
              "Each photo brought to a short side of so many pixels, JPEG 90, then served; `as is` is what was measured above.", ""]
    titles = {size: f"{size} px" if size else "as is" for size in sizes}
    wide = {f"{options.version}, {titles[size]}": results[size][0] for size in sizes} | {f"5, {titles[size]}": small[size] for size in small}
    lines += [table.markdown(wide), ""]
    if {160, 400} <= set(sizes):
        apart = sizes_apart({size: results[size][0] for size in sizes})
        lines += ["Accuracy at 400 px less that at 160 px, in points: "
                  + ", ".join(f"{head} {value:+.1f}" for head, value in apart.items()) + ".", ""]
    stored = made.out / "calibration.json"
    if stored.exists():
        lines += ["## Calibration", "",
                  "Of photos that no temperature was found on: each tenth of validation and test part at the temperature of the "
                  "other nine, of `objects` with the photos of the training part, whose labels neither stage learnt. The fifth "
                  "column is what probabilities that hold would show of as many photos, the last what is left without chance.",
                  "", *calibration.markdown(json.loads(stored.read_text())), ""]
    lines += ["## Most confused", "", *confusions(gallery, made.truth, logits, chosen), ""]
    report.reliability(models / "reliability.svg", gallery, chosen, logits, made.rules.warm)
    for head in ("cats", "dogs"):
        report.matrix(models / f"confusion_{head}.png", gallery, chosen, logits, head)
    lines += ["![Reliability](reliability.svg)", "", "![Cats](confusion_cats.png)", "", "![Dogs](confusion_dogs.png)", ""]
    lines += ["## Zoo", "", "By the second stage alone, cross-validated over all photos of a species.", "",
              "| species | status | by | photos | right |", "|---|---|---|---|---|"]
    for name, entry in species.items():
        right = report.percent(entry["accuracy"]) if entry["accuracy"] is not None else "–"
        lines.append(f"| {name} | {entry['status']} | {entry['by'] or '–'} | {entry['photos']} | {right} |")
    (models / "REPORT.md").write_text("\n".join(lines) + "\n")
    print(f"{models}/REPORT.md")
