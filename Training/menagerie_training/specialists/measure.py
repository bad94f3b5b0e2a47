"""A specialist beside the cascade on photos that neither was trained on: alone, and added with weights of the validation part."""

import json
from pathlib import Path

import numpy as np
import torch

from .. import calibrate, measures
from ..candidates import heads
from ..cascade import fuse
from ..gallery import law
from . import classes, specialist

#: Of the cascade that is served: the second stage is asked below this certainty of the head. Printed for the specialist as well.
ASKED = (0.5, 0.6, 0.7, 0.8, 0.9, 1.01)


def load(run):
    """(the averaged network of RUN/checkpoint.pt, names of its further breeds)."""
    from ..backbones import edgetpu

    state = torch.load(Path(run) / "checkpoint.pt", weights_only=True)
    net = specialist.Specialist(edgetpu.tower(), len(state["average"]["head.bias"]))
    net.load_state_dict(state["average"])
    return net.eval().to(memory_format=torch.channels_last), state["names"]


def views(gallery, positions, size, view):
    """The served views of `view` px, enlarged to `size`; view 0: as large as the network asks."""
    from PIL import Image

    for position in positions:
        found = law.resized(gallery.photo(position), 0, view or size)
        yield found if len(found) == size else np.asarray(Image.fromarray(found).resize((size, size), Image.BILINEAR))


def logits(net, gallery, positions, breeds, size, view=0, mirror=False):
    """N×(breeds + 1) of the photos at `positions`; mirror: the mean of two looks."""
    found = []
    for start in range(0, len(positions), 256):
        seen = list(views(gallery, positions[start : start + 256], size, view))
        part = specialist.answers(net, seen)
        if mirror:
            part = (part + specialist.answers(net, [look[:, ::-1].copy() for look in seen])) / 2
        found.append(classes.folded(part, breeds))
    return torch.cat(found).numpy()


class Measured:
    """Answers of several networks, N×C each, on the photos of a part; those of the specialist and of the teacher's sources."""

    def __init__(self, gallery, truth, head, positions):
        self.truth, self.count = truth[head][positions], len(gallery.heads[head])
        origin = gallery.origin[positions]
        clean = np.array([gallery.rows[p]["source"] == "batogov/cat-breeds-classifier" for p in positions])
        kinds = {"Oxford's 12": clean, "small": origin == "photos", "real size": origin != "photos"}
        self.parts = {"all": np.ones(len(positions), bool)} | {name: mask for name, mask in kinds.items() if mask.any()}

    def row(self, found):
        """{part: (top-1, top-3, photos)} of the photos whose breed the head has."""
        found, known = found[:, : self.count], self.truth >= 0
        return {
            name: (measures.top(found[known & mask], self.truth[known & mask]),
                   measures.top(found[known & mask], self.truth[known & mask], 3), int((known & mask).sum()))
            for name, mask in self.parts.items() if (known & mask).any()
        }


def log(values):
    """Log-probabilities of logits."""
    return np.log(measures.softmax(values) + 1e-12)


def run(gallery, options):
    """Prints a table of every combination, and writes RUN/measures.json."""
    truth, head = heads.truths(gallery, options.cleaning), options.head
    net, _ = load(options.checkpoint or options.run)
    stored = np.load(options.teacher)
    place = {int(position): number for number, position in enumerate(stored["positions"])}
    table, weights, sources, judged = {}, {}, {}, {}
    for part in ("val", "test"):
        mine = np.array([p for p in stored["positions"] if gallery.part[p] == part])
        mine = mine[(truth[head][mine] >= 0) | truth["other_" + head][mine]]
        rows = np.array([place[int(p)] for p in mine])
        judged[part] = Measured(gallery, truth, head, mine)
        found = {"cascade": stored["cascade"][rows], "first": stored["first"][rows]}
        for size, view in options.looks:
            name = f"specialist {size}" + (f" of {view}" if view else "")
            found[name] = logits(net, gallery, mine, judged[part].count, size, view)
        name = f"specialist {options.looks[0][0]}" + (f" of {options.looks[0][1]}" if options.looks[0][1] else "")
        found["mirrored"] = logits(net, gallery, mine, judged[part].count, *options.looks[0], mirror=True)
        sources[part] = found
    main, other = name, np.where(judged["val"].truth >= 0, judged["val"].truth, judged["val"].count)
    for name in [*(name for name in sources["val"] if name.startswith("specialist")), "mirrored"]:
        weights[name] = fuse.weigh(log(sources["val"]["cascade"]), log(sources["val"][name]), other)
    for part, found in sources.items():
        together = {
            f"cascade + {name}": pair[0] * log(found["cascade"]) + pair[1] * log(found[name]) for name, pair in weights.items()}
        table[part] = {name: judged[part].row(values) for name, values in (found | together).items()}
        best = f"cascade + {main}"
        sure = measures.softmax(found["cascade"])[:, : judged[part].count].max(1)
        for below in ASKED:
            where = sure < below
            known = judged[part].truth >= 0
            mixed = np.where(where[:, None], together[best], weights[main][0] * log(found["cascade"]))
            table[part][f"asked below {below} ({where[known].mean():.0%})"] = judged[part].row(mixed)
        if part == "val":
            warm = calibrate.temperature(together[best], other)
        error, _ = measures.calibration_error(
            measures.softmax(together[best], warm)[judged[part].truth >= 0][:, : judged[part].count],
            judged[part].truth[judged[part].truth >= 0])
        print(f"{part}: temperature {warm:.3f}, calibration error {error:.4f}")
    for part, lines in table.items():
        for name, row in lines.items():
            print(f"{part:5s} {name:32s}", " | ".join(f"{key} {a:.4f} / {b:.4f} ({n})" for key, (a, b, n) in row.items()))
    print("weights", weights)
    (Path(options.run) / "measures.json").write_text(json.dumps({"table": table, "weights": weights}, indent=1))
    for part, found in sources.items():
        np.savez(Path(options.run) / f"answers_{part}.npz", **found)
