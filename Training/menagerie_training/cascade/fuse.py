"""Decides whether the first stage is sure enough, and joins the logits of both stages if it is not.

This computes for arrays of N photos what the service does photo by photo (`Cascade` in
Sources/Recognition/Heads/Cascade).
"""

import numpy as np
import torch

from .. import measures

#: Outputs that both stages have.
OUTPUTS = ("presence", "kinds", "cats", "dogs", "zoo", "objects", "fruit")


def probabilities(logits, warm, names):
    """{head: N×classes}: the probabilities of the classes that can be an answer, without `none` and other breeds."""
    found = {}
    for head, values in logits.items():
        kept = len(names[head]) - (head in ("zoo", "fruit", "drawings"))
        found[head] = measures.softmax(values, warm.get(head, 1))[:, :kept]
    return found


def answering(shares, names, answer_from):
    """(N names of the heads that answer, N probabilities of their likeliest classes), as the service decides.

    answer_from: the thresholds of zoo, fruit, the kind person, and of drawings if there is that head.
    """
    count = len(shares["presence"])
    head, sure = np.full(count, "objects", object), shares["objects"].max(1).astype(np.float64)
    other = np.ones(count, bool)
    for place, name in enumerate(("cats", "dogs")):
        mine = shares["presence"].argmax(1) == place
        other &= ~mine
        head[mine], sure[mine] = name, shares[name].max(1)[mine]
    zoo, fruit = shares["zoo"].max(1), shares["fruit"].max(1)
    for name, best, rest in (("zoo", zoo, fruit), ("fruit", fruit, zoo)):
        reached = best >= answer_from[name]
        # If zoo and fruit are equally sure, zoo answers.
        beats = (best > rest) | (rest < answer_from["fruit" if name == "zoo" else "zoo"]) | ((best == rest) & (name == "zoo"))
        mine = other & reached & beats
        head[mine], sure[mine] = name, best[mine]
    person = shares["kinds"].argmax(1) == names["kinds"].index("person")
    mine = other & person & (shares["kinds"].max(1) >= answer_from["kinds"])
    head[mine], sure[mine] = "kinds", shares["kinds"].max(1)[mine]
    if "drawings" in shares:
        mine = shares["drawings"].sum(1) >= answer_from["drawings"]
        head[mine], sure[mine] = "drawings", shares["drawings"].max(1)[mine]
    return head, sure


def asked(shares, names, answer_from, below):
    """N bool: whether the second stage is asked, since presence or the answering head is less sure than `below`."""
    head, sure = answering(shares, names, answer_from)
    limits = np.array([below.get(name, 0) for name in head])
    return (shares["presence"].max(1) < below["presence"]) | (sure < limits)


def joined(first, second, weights, where):
    """{output: N×C}: a·first + b·second where `where` (N bool) is true, else first. weights[output]: (a, b)."""
    found = {}
    for head, (one, other) in weights.items():
        both = one * first[head] + other * second[head]
        found[head] = np.where(where[:, None], both, first[head])
    return found


def weigh(first, second, truth):
    """(a, b) with the least −log P(truth), both above 0. truth: N int, or N×C bool of the possible classes."""
    first, second = (torch.as_tensor(np.ascontiguousarray(values, np.float32)) for values in (first, second))
    mask = torch.as_tensor(truth)
    if mask.ndim == 1:
        mask = torch.nn.functional.one_hot(mask.long(), first.shape[1]).bool()
    blocked = torch.where(mask, 0.0, -1e4)
    logs = torch.full((2,), -0.5).requires_grad_()
    with torch.enable_grad():
        optimiser = torch.optim.LBFGS([logs], max_iter=60, line_search_fn="strong_wolfe")

        def closure():
            optimiser.zero_grad()
            one, other = logs.exp()
            log = torch.log_softmax(one * first + other * second, 1)
            loss = -torch.logsumexp(log + blocked, 1).mean() + 1e-3 * logs.square().sum()
            loss.backward()
            return loss

        optimiser.step(closure)
    return tuple(float(value) for value in logs.detach().exp())
