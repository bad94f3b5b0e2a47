"""Makes the shipped weights: a mean of the public start and a tuned checkpoint, without the class that only tuning has.

    python -m menagerie_training.detection.release START CHECKPOINT FOLDER [SHARE]

START is the folder of the public network, CHECKPOINT is a file of tuning.Trainer, SHARE is the tuned part (0.25).
"""

import sys

import torch

from . import boxes, export, network


def mixed(start, tuned, share):
    """The start with every weight moved towards the tuned one. Rows of classes that the start lacks are left out."""
    state = start.state_dict()
    classes = start.classes
    for name, value in state.items():
        other = tuned[name]
        if other.shape != value.shape:
            other = torch.cat([other[:classes], other[len(boxes.LABELS):]])
        state[name] = torch.lerp(value.float(), other.float(), share).to(value.dtype)
    start.load_state_dict(state)
    return start.eval()


def main(start, checkpoint, folder, share="0.25"):
    tuned = torch.load(checkpoint, weights_only=False)["mean"]
    export.write(mixed(network.start(start), tuned, float(share)), folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
