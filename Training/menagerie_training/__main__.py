"""Command line: python -m menagerie_training COMMAND. See README.md for what each costs in time."""

import argparse
import os
import sys

#: Large blocks of memory are kept instead of given back after each layer: page faults cost more than the arithmetic.
MALLOC = {
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4294967296:"
    "glibc.malloc.trim_threshold=8589934592",
}


def parser():
    """The arguments of every command."""
    top = argparse.ArgumentParser(prog="menagerie_training", description=__doc__)
    top.add_argument("--photos", default="../shared/data", help="folder with photos.csv and photos/")
    top.add_argument("--cache", default=".cache", help="folder for packed photos (2.4 GB)")
    top.add_argument("--seed", type=int, default=1)
    top.add_argument("--threads", type=int, default=2)
    commands = top.add_subparsers(dest="command", required=True)
    commands.add_parser("data", help="index, split and pack the photos")

    train = commands.add_parser("train", help="fine-tune; continues from RUN/checkpoint.pt")
    train.add_argument("--tflite", default="../shared/models/third_party/mobilenet_v2_tf2_ptq.tflite")
    train.add_argument("--run", default=".cache/run")
    train.add_argument("--branch", type=int, default=8, help="stages in the shared trunk, 1…18")
    train.add_argument("--size", type=int, default=160, help="pixels of the training crops")
    train.add_argument("--batch", type=int, default=64)
    train.add_argument("--rate", type=float, default=5e-4, help="peak learning rate of the tower; heads take twice it")
    train.add_argument("--decay", type=float, default=0.998, help="of the average of weights over steps")
    train.add_argument("--steps", type=int, default=8000)
    train.add_argument("--minutes", type=float, default=0, help="instead of steps: working time of the whole run")
    train.add_argument("--every", type=float, default=5, help="minutes between checkpoints")
    train.add_argument("--workers", type=int, default=1)
    train.add_argument("--cleaning", default="cleaning.csv", help="verdicts of the command clean")
    return top


def main():
    """Runs the chosen command."""
    options = parser().parse_args()
    if not all(os.environ.get(key) == value for key, value in MALLOC.items()):
        os.environ.update(MALLOC)
        os.execv(sys.executable, [sys.executable, "-m", "menagerie_training", *sys.argv[1:]])
    import torch

    from . import data

    torch.set_num_threads(options.threads)
    if options.command == "data":
        data.build(options.photos, options.cache, options.seed, options.threads)
        return
    pack = data.Pack(options.photos, options.cache)
    if options.command == "train":
        from . import batches, train

        print(f"{batches.apply_cleaning(pack, options.cleaning)} labels changed by {options.cleaning}")
        train.Trainer(pack, options).fit()


if __name__ == "__main__":
    main()
