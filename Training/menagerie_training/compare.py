"""Prints a table of several checkpoints or files, like that of Orion's authors: the cost and the accuracy of each."""

import time
from pathlib import Path

import numpy as np
import torch

from . import answers, export, measures, views, zoo

#: One of this many photos of the training part is asked.
EVERY = 6
HEADS = ("presence", "cats", "dogs", "fruit")


def milliseconds(graph, size, runs=60):
    """The least CPU time for one photo on one thread over several runs, in milliseconds."""
    import openvino

    core = openvino.Core()
    model = core.read_model(graph)
    model.reshape([1, 3, size, size])
    request = core.compile_model(model, "CPU", answers.properties("bf16", graph)).create_infer_request()
    photo = np.zeros((1, 3, size, size), np.float32)
    times = []
    for _ in range(runs):
        start = time.process_time()
        request.infer([photo])
        times.append(time.process_time() - start)
    return min(times) * 1000


def row(name, model, pack, options):
    """One line of the table."""
    if str(model).endswith(".onnx"):
        graph = Path(model).read_bytes()
    else:
        graph = export.build(answers.load_checkpoint(model), zoo.composition(pack)).SerializeToString()
    right, scores = {head: [] for head in HEADS}, {}
    for part in ("train", "val", "test"):
        positions, photos = views.centre_views(pack, options.cache, part, options.size)
        step = EVERY if part == "train" else 1
        logits = answers.of_graph(graph, photos[::step], "bf16")
        for head in HEADS:
            truth = pack.labels[head][positions[::step]]
            known = truth >= 0
            answered = logits[head][known][:, : len(pack.heads[head])]
            right[head].append(measures.top(answered, truth[known]))
            if part == "test":
                scores[head] = measures.classification(answered, truth[known])
    cells = [name, f"{len(graph) / 1e6:.1f} MB", f"{milliseconds(graph, options.size):.1f}"]
    cells += [" / ".join(f"{share * 100:.1f}" for share in right[head]) for head in HEADS]
    cells += [f"{scores[head]['macro_f1'] * 100:.1f}, {scores[head]['auc'] * 100:.2f}" for head in ("cats", "dogs")]
    return "| " + " | ".join(cells) + " |"


def run(pack, options):
    """Prints the table in Markdown; `options.models` are `name=file`."""
    torch.set_grad_enabled(False)
    print("| | size | CPU-ms | " + " | ".join(HEADS) + " | cats: F1, AUC | dogs: F1, AUC |")
    print("|---" * (3 + len(HEADS) + 2) + "|")
    for entry in options.models:
        name, model = entry.split("=", 1)
        print(row(name, model, pack, options), flush=True)
