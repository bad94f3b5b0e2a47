"""python -m menagerie_training.cascade COMMAND: what both stages see, heads, the rule, the files, the report."""

import argparse
from pathlib import Path

VIT = "vit_tiny_patch16_224/vit_tiny_f16.npz"


def parser():
    """The arguments of every command."""
    top = argparse.ArgumentParser(prog="menagerie_training.cascade", description=__doc__)
    top.add_argument("--gallery", default=".cache/gallery", help="what menagerie_training.gallery packed")
    top.add_argument("--cache", default=".cache/features")
    top.add_argument("--backbones", default="../shared/models/backbones")
    top.add_argument("--first", default=".cache/version5.onnx", help="the network of version 5")
    top.add_argument("--cleaning", default="cleaning.csv")
    top.add_argument("--out", default=".cache/cascade", help="folder for what is fitted")
    commands = top.add_subparsers(dest="command", required=True)
    seen = commands.add_parser("features", help="what both stages see; goes on where it was stopped")
    seen.add_argument("--looks", nargs="+", required=True, help="draw0 draw1 … size0 size96 size160 size224 size400")
    seen.add_argument("--parts", nargs="+", default=["train", "val", "test"])
    seen.add_argument("--origins", nargs="+", default=["photos", "sharp", "ingest"])
    seen.add_argument("--groups", nargs="+", default=[], help="of these groups alone")
    seen.add_argument("--every", type=int, default=1, help="of these photos so many-th")
    seen.add_argument("--name", default="pair")
    seen.add_argument("--alone", action="store_true", help="the first network alone, or another earlier one given as --first")
    fit = commands.add_parser("fit", help="heads, weights of both stages, temperatures, thresholds; measured on the test part")
    fit.add_argument("--draws", nargs="+", default=["draw0", "draw1"])
    fit.add_argument("--share", type=float, default=0.4, help="of the photos that the second stage may see")
    holds = commands.add_parser("calibration", help="objects' numbers from more photos; how well probabilities hold")
    holds.add_argument("--models", default="../Models/menagerie")
    ship = commands.add_parser("export", help="heads fitted on every photo, the two files and the manifest")
    ship.add_argument("--draws", nargs="+", default=["draw0", "draw1"])
    ship.add_argument("--models", default="../Models/menagerie")
    ship.add_argument("--version", default="6")
    rounded = commands.add_parser("quantise", help="the second file in int8")
    rounded.add_argument("--float-file", default=".cache/cascade/second.onnx", help="what export wrote as the second file")
    rounded.add_argument("--models", default="../Models/menagerie")
    rounded.add_argument("--version", default="7")
    report = commands.add_parser("report", help="REPORT.md and its plots")
    report.add_argument("--models", default="../Models/menagerie")
    report.add_argument("--earlier", nargs="*", default=[], help="name=features of earlier weights, to compare with")
    report.add_argument("--preface", default="")
    agreement = commands.add_parser("agreement", help="answers to 100 photos, for the test that compares Swift's with them")
    agreement.add_argument("--models", default="../Models/menagerie")
    agreement.add_argument("--photos", default="../shared/data")
    agreement.add_argument("--reference", default="../Tests/Reference/menagerie.json")
    return top


def main():
    """Runs the chosen command."""
    import importlib

    import numpy as np
    import torch

    from ..gallery.pack import Gallery

    options = parser().parse_args()
    torch.set_num_threads(1)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    if options.command == "agreement":
        from . import agreement

        agreement.run(options)
        return
    gallery = Gallery(options.gallery)
    if options.command == "features":
        from ..backbones import vit
        from ..candidates import features
        from . import pair

        transformer = None if options.alone else vit.load(Path(options.backbones) / VIT)[0]
        network = pair.Pair(options.first, transformer)
        chosen = np.flatnonzero(np.isin(gallery.part, options.parts) & np.isin(gallery.origin, options.origins))
        if options.groups:
            groups = np.array([row["group"] for row in gallery.rows])
            chosen = chosen[np.isin(groups[chosen], options.groups)]
        chosen = chosen[:: options.every]
        for look in options.looks:
            features.make(gallery, network, options.name, look, chosen, options.cache)
    else:
        importlib.import_module(f".{options.command}", __package__).run(gallery, options)


if __name__ == "__main__":
    main()
