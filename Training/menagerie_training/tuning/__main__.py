"""python -m menagerie_training.tuning: tunes EdgeTPU's last stages. It continues from RUN/checkpoint.pt.

First run `candidates features --looks draw0 … --held 11`, the same for the validation part's `size0`, and then
`candidates heads`.
"""

import argparse
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--gallery", default=".cache/gallery")
parser.add_argument("--features", default=".cache/features/backbones", help="files of the draws")
parser.add_argument("--validation", default=".cache/features/held", help="files of size0 with activations")
parser.add_argument("--heads", default=".cache/heads", help="what `candidates heads` wrote")
parser.add_argument("--backbones", default="../shared/models/backbones")
parser.add_argument("--run", default=".cache/tuned")
parser.add_argument("--draws", nargs="+", default=["draw0"])
parser.add_argument("--parts", nargs="+", default=["train"], help="train val test, for the weights that ship")
parser.add_argument("--held", type=int, default=11)
parser.add_argument("--batch", type=int, default=48)
parser.add_argument("--rate", type=float, default=3e-4, help="peak rate of the last stage")
parser.add_argument("--decay", type=float, default=0.999, help="of the average of weights over steps")
parser.add_argument("--steps", type=int, default=12000, help="of the whole run")
parser.add_argument("--minutes", type=float, default=1e9, help="of this call")
parser.add_argument("--every", type=float, default=4, help="minutes between checkpoints")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--threads", type=int, default=1)

if __name__ == "__main__":
    import torch

    from ..backbones import edgetpu
    from ..candidates import heads
    from ..candidates.__main__ import EDGETPU
    from ..gallery.pack import Gallery
    from .trainer import Trainer

    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    gallery = Gallery(options.gallery)
    tower = edgetpu.load(Path(options.backbones) / EDGETPU)[0]
    fitted = [torch.load(Path(options.heads) / f"heads_{name}.pt", weights_only=False) for name in ("both", "edgetpu")]
    Trainer(gallery, heads.truths(gallery), tower, *fitted, options).fit()
