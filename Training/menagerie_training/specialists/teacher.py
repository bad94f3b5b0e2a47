"""The served networks' answers to the photos of one kind. A specialist learns from them, and is later added to them."""

from pathlib import Path

import numpy as np
import torch

from .. import measures
from ..candidates import features, heads
from ..cascade import fit, fuse

#: The weight of the first weights' log-probabilities relative to the cascade's.
FIRST = {"cats": 1.5, "dogs": 0.3}
#: L2 penalty of the second stage's head.
PENALTY = {"cats": 3e-3, "dogs": 3e-2}
#: It is above 1, since both have seen most of the photos and are surer of them than of others.
TEMPERATURE = 1.5


def probabilities(file, count, width):
    """N×width float32 probabilities of all photos of the gallery, nan for photos that the file does not have."""
    found = np.full((count, width), np.nan, np.float32)
    if file and Path(file).exists():
        stored = np.load(file)
        found[stored["positions"]] = stored["probabilities"]
    return found


def joined(cascade, first, head):
    """Log-probabilities N×C of the cascade (C classes, the last `another_breed`) with those of the first weights (C − 1).

    The first weights have no class for other breeds, so its probability comes from the cascade alone.
    """
    log = np.log(measures.softmax(cascade) + 1e-9)
    log[:, :-1] += FIRST[head] * np.log(measures.softmax(first) + 1e-9)
    # The breeds are scaled so that the sum of their probabilities stays that of the cascade.
    inside, before = np.exp(log[:, :-1]).sum(1), measures.softmax(cascade)[:, :-1].sum(1)
    log[:, :-1] += np.log((before + 1e-9) / (inside + 1e-30))[:, None]
    return log


def cascade(gallery, options, seen, truth):
    """(N×C logits of both stages together, positions).

    The second stage's head is fitted on the training part alone, and the weights on the validation part. Both stages
    always answer, so that the result is at least as good as the served cascade.
    """
    head = options.head
    told = {name: truth[name] for name in (head, "other_" + head)}
    stage, _ = fit.fit_stage(seen, 1, told, [options.draw], {head: (PENALTY[head],)})
    chosen = np.flatnonzero(seen.look("size0")[1])
    first = seen.look("size0")[0][head][chosen].astype(np.float32)
    second = stage.answer(*seen.stage(1, "size0", chosen))[head]
    val = (gallery.part[chosen] == "val") & (truth[head][chosen] >= 0)
    one, other = fuse.weigh(first[val], second[val], truth[head][chosen][val])
    print(f"weights of the stages: {one:.3f} {other:.3f}")
    return one * first + other * second, chosen


def run(gallery, options):
    """Writes RUN/teacher.npz: positions, probabilities, and the logits `cascade` and `first`."""
    truth, head = heads.truths(gallery, options.cleaning), options.head
    options.seen, options.second, options.network = "", "", "vit"
    logits, chosen = cascade(gallery, options, fit.Seen(gallery, options), truth)
    found, there = features.load("first", "size0", options.cache, len(gallery.rows))
    keep = there[chosen]
    chosen, logits = chosen[keep], logits[keep]
    first = found[head][chosen].astype(np.float32)
    log = joined(logits, first, head)
    for part in ("train", "val", "test"):
        mine = (gallery.part[chosen] == part) & (truth[head][chosen] >= 0)
        count = len(gallery.heads[head])
        shares = {
            name: measures.top(values[mine][:, :count], truth[head][chosen][mine])
            for name, values in (("cascade", logits), ("first", first), ("both", log))
        }
        print(part, int(mine.sum()), {name: round(value, 4) for name, value in shares.items()})
    Path(options.run).mkdir(parents=True, exist_ok=True)
    np.savez(Path(options.run) / "teacher.npz", positions=chosen, cascade=logits, first=first,
             probabilities=torch.as_tensor(log / TEMPERATURE).softmax(1).numpy())
