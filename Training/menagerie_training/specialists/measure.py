"""Measures a specialist on photos on which neither it nor the cascade was trained: alone, and added to the cascade.

The weights for the sum are found on the validation part.
"""

import json
from pathlib import Path

import numpy as np
import torch

from .. import calibrate, measures
from ..candidates import heads
from ..cascade import fuse
from ..gallery import law
from . import classes, specialist

#: The compared certainties of the cascade below which the specialist is asked.
ASKED = (0.5, 0.6, 0.7, 0.8, 0.9, 1.01)


def load(run):
    """(the averaged network of RUN/checkpoint.pt, names of its further breeds)."""
    from ..backbones import edgetpu

    state = torch.load(Path(run) / "checkpoint.pt", weights_only=True)
    net = specialist.Specialist(edgetpu.tower(), len(state["average"]["head.bias"]))
    net.load_state_dict(state["average"])
    return net.eval().to(memory_format=torch.channels_last), state["names"]


def views(gallery, positions, size, view):
    """Yields the service's views of `view` px, enlarged to `size`. With view 0 they have `size` px at once."""
    from PIL import Image

    for position in positions:
        found = law.resized(gallery.photo(position), 0, view or size)
        yield found if len(found) == size else np.asarray(Image.fromarray(found).resize((size, size), Image.BILINEAR))


def logits(net, gallery, positions, breeds, size, view=0):
    """N×(breeds + 1) logits of the photos at `positions`, each the mean over the photo and its mirror image."""
    found = []
    for start in range(0, len(positions), 256):
        seen = list(views(gallery, positions[start : start + 256], size, view))
        mean = (specialist.answers(net, seen) + specialist.answers(net, [view[:, ::-1] for view in seen])) / 2
        found.append(classes.folded(mean, breeds))
    return torch.cat(found).numpy()


class Measured:
    """The truth for the photos of a part, and the groups of photos that are measured separately."""

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


def named(size, view):
    """The name of a look in the table."""
    return f"specialist {size}" + (f" of {view}" if view else "")


def run(gallery, options):
    """Prints a table of every combination. Writes RUN/measures.json and RUN/answers_PART.npz.

    The first weights were trained on most of these photos (from the same sources). So they are shown, but nothing is
    fitted with them.
    """
    truth, head, run = heads.truths(gallery, options.cleaning), options.head, Path(options.run)
    net, _ = load(options.run)
    stored = np.load(options.teacher)
    answers, judged, known = {}, {}, {}
    for part in ("val", "test"):
        rows = np.flatnonzero(gallery.part[stored["positions"]] == part)
        rows = rows[(truth[head][stored["positions"][rows]] >= 0) | truth["other_" + head][stored["positions"][rows]]]
        mine = stored["positions"][rows]
        judged[part] = Measured(gallery, truth, head, mine)
        known[part] = judged[part].truth >= 0
        found = {"cascade": stored["cascade"][rows], "first": stored["first"][rows]}
        found |= {named(*look): logits(net, gallery, mine, judged[part].count, *look) for look in options.looks}
        answers[part] = found
        np.savez(run / f"answers_{part}.npz", positions=mine, **found)
    told = judged["val"].truth[known["val"]]
    weights = {}
    for name in map(lambda look: named(*look), options.looks):
        pair = fuse.weigh(log(answers["val"]["cascade"][known["val"]]), log(answers["val"][name][known["val"]]), told)
        both = pair[0] * log(answers["val"]["cascade"]) + pair[1] * log(answers["val"][name])
        weights[name] = *pair, calibrate.temperature(both[known["val"]], told)
    table = {}
    for part, found in answers.items():
        rows, count = dict(found), judged[part].count
        for name, (one, other, warm) in weights.items():
            rows[f"cascade + {name}"] = (one * log(found["cascade"]) + other * log(found[name])) / warm
        table[part] = {name: judged[part].row(values) for name, values in rows.items()}
        main = f"cascade + {named(*options.looks[0])}"
        sure = measures.softmax(found["cascade"])[:, :count].max(1)
        for below in ASKED:
            where = sure < below
            mixed = np.where(where[:, None], rows[main], log(found["cascade"]))
            table[part][f"asked below {below}: {where[known[part]].mean():.0%}"] = judged[part].row(mixed)
        for name in ("cascade", main):
            shares = measures.softmax(rows[name])[known[part]][:, :count]
            print(f"{part}: calibration error of {name} {measures.calibration_error(shares, judged[part].truth[known[part]])[0]:.4f}")
    for part, lines in table.items():
        for name, row in lines.items():
            print(f"{part:5s} {name:34s}", " | ".join(f"{key} {a:.4f} / {b:.4f} ({n})" for key, (a, b, n) in row.items()))
    print("weights of cascade and specialist, temperature:", weights)
    (run / "measures.json").write_text(json.dumps({"table": table, "weights": weights}, indent=1))
