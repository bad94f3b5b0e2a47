"""python -m menagerie_training.specialists COMMAND: a network for the breeds of one kind of animal, all layers tuned."""

import argparse


def parser():
    """The arguments of every command."""
    top = argparse.ArgumentParser(prog="menagerie_training.specialists", description=__doc__)
    top.add_argument("--gallery", default=".cache/gallery", help="what menagerie_training.gallery packed")
    top.add_argument("--backbones", default="../shared/models/backbones")
    top.add_argument("--cleaning", default="cleaning.csv")
    top.add_argument("--head", choices=["cats", "dogs"], required=True)
    top.add_argument("--run", required=True, help="folder of the run")
    top.add_argument("--seed", type=int, default=1)
    commands = top.add_subparsers(dest="command", required=True)
    teach = commands.add_parser("teacher", help="what the cascade and the first weights say of the photos; asks for their features")
    teach.add_argument("--cache", default=".cache/features", help="of `cascade features`")
    teach.add_argument("--draw", default="draw0", help="look by which the second stage's head is fitted")
    train = commands.add_parser("train", help="tunes the network; goes on where it was stopped")
    train.add_argument("--teacher", default="", help="what `teacher` wrote")
    train.add_argument("--parts", nargs="+", default=["train"])
    train.add_argument("--sizes", type=int, nargs="+", default=[128, 160, 192], help="pixels of the views, one after the other")
    train.add_argument("--shares", type=float, nargs="+", default=[0.35, 0.4, 0.25], help="of the time for each size")
    train.add_argument("--minutes", type=float, required=True, help="of CPU, of the whole run over all calls; a file RUN/MINUTES overrides it")
    train.add_argument("--held", type=int, default=0, help="first stages that stay: 6 cost 30 %% of the time, and learn at a tenth of the rate")
    train.add_argument("--batch", type=int, default=32)
    train.add_argument("--rate", type=float, default=1.2e-4, help="peak rate of the last stage")
    train.add_argument("--decay", type=float, default=0.998, help="of the average of weights over steps")
    train.add_argument("--every", type=float, default=5, help="minutes by the clock between checkpoints")
    train.add_argument("--judged-size", type=int, default=192)
    train.add_argument("--every-judged", type=int, default=1, help="of the validation photos so many-th")
    train.add_argument("--threads", type=int, default=1)
    measure = commands.add_parser("measure", help="alone and with the cascade, on the validation and the test part")
    measure.add_argument("--teacher", required=True, help="what `teacher` wrote")
    measure.add_argument("--looks", type=look, nargs="+", default=[(192, 0)], help="SIZE or SIZE:VIEW, the view that is enlarged")
    ship = commands.add_parser("export", help="the file, in int8 with weights of seven bits, and how far it is from floating point")
    ship.add_argument("--out", required=True, help="the ONNX file; beside it, in floats, OUT.float")
    ship.add_argument("--look", type=look, default=(192, 0), help="SIZE or SIZE:VIEW, as for `measure`")
    ship.add_argument("--photos", type=int, default=256, help="of the training part, which set the ranges")
    ship.add_argument("--float", action="store_true", help="no int8, weights in float16")
    beside = commands.add_parser("ship", help="the manifest's entry: weights beside the cascade, and below which certainty it is asked")
    beside.add_argument("--models", default="../Models/menagerie", help="holds HEAD.onnx, which `export` wrote")
    return top


def look(told):
    """(size, view) of SIZE or SIZE:VIEW."""
    size, _, view = told.partition(":")
    return int(size), int(view or 0)


def main():
    """Runs the chosen command."""
    import importlib

    import torch

    from ..gallery.pack import Gallery

    options = parser().parse_args()
    torch.set_num_threads(getattr(options, "threads", 1))
    importlib.import_module(f".{options.command}", __package__).run(Gallery(options.gallery), options)


if __name__ == "__main__":
    main()
