"""python -m menagerie_training.cascade COMMAND: features of both stages, heads, the rule, the files, the report."""

import argparse
from pathlib import Path

from .second import NETWORKS, of


def parser():
    """The arguments of every command."""
    top = argparse.ArgumentParser(prog="menagerie_training.cascade", description=__doc__)
    top.add_argument("--gallery", default=".cache/gallery", help="what menagerie_training.gallery packed")
    top.add_argument("--cache", default=".cache/features")
    top.add_argument("--backbones", default="../shared/models/backbones")
    top.add_argument("--first", default=".cache/version5.onnx", help="the network of version 5")
    top.add_argument("--network", choices=NETWORKS, default="vit", help="of the second stage")
    top.add_argument("--second", default="", help="file of its weights instead of the public ones: what `tuned` wrote")
    top.add_argument("--seen", default="", help="name of the second stage's own features, where they are apart from the first's")
    top.add_argument("--cleaning", default="cleaning.csv")
    top.add_argument("--out", default=".cache/cascade", help="folder for what is fitted")
    commands = top.add_subparsers(dest="command", required=True)
    seen = commands.add_parser("features", help="what both stages see; goes on where it was stopped")
    seen.add_argument("--looks", nargs="+", required=True, help="draw0 draw1 … size0 size96 size160 size224 size400")
    seen.add_argument("--parts", nargs="+", default=["train", "val", "test"])
    seen.add_argument("--origins", nargs="+", default=["photos", "sharp", "ingest", "zoo_more"])
    seen.add_argument("--groups", nargs="+", default=[], help="of these groups alone")
    seen.add_argument("--every", type=int, default=1, help="of these photos so many-th")
    seen.add_argument("--name", default="pair")
    seen.add_argument("--alone", action="store_true", help="the first network alone, or another earlier one given as --first")
    seen.add_argument("--held", type=int, default=0, help="ViT-Tiny alone, in f32, and what is behind so many of its blocks")
    seen.add_argument("--taught", action="store_true", help="with --held: beside it what teaches it, see `distil`")
    tune = commands.add_parser("tune", help="tunes ViT-Tiny's last blocks on what `features --held` kept; goes on where it was")
    distil = commands.add_parser("distil", help="as tune, for the view of 192 px as it is, taught by ViT-Tiny at 224 px and EdgeTPU")
    for tuning, name, run, blocks in ((tune, "held", "second", 8), (distil, "held192", "second192", 6)):
        tuning.add_argument("--features", default=f".cache/features/{name}")
        tuning.add_argument("--run", default=f".cache/{run}")
        tuning.add_argument("--held", type=int, default=blocks, help="blocks that stay as they are")
        tuning.add_argument("--draws", nargs="+", default=["draw0", "draw1"])
        tuning.add_argument("--parts", nargs="+", default=["train"])
        tuning.add_argument("--kept", type=float, default=0.5, help="of the tokens, in all but the last quarter of the steps")
        tuning.add_argument("--batch", type=int, default=64)
        tuning.add_argument("--rate", type=float, default=1.5e-4, help="peak rate of the last norm")
        tuning.add_argument("--decay", type=float, default=0.997, help="of the average of weights over steps")
        tuning.add_argument("--steps", type=int, default=2000, help="of the whole run")
        tuning.add_argument("--minutes", type=float, default=1e9, help="of this call")
        tuning.add_argument("--every", type=float, default=3, help="minutes between checkpoints")
        tuning.add_argument("--seed", type=int, default=1)
        tuning.add_argument("--threads", type=int, default=2)
    tuned = commands.add_parser("tuned", help="a share of what was tuned: the file for --second, and what it sees for --seen")
    tuned.add_argument("--features", default=".cache/features/held")
    tuned.add_argument("--run", default=".cache/second")
    tuned.add_argument("--shares", type=float, nargs="+", default=[1.0], help="how far from the start to what was tuned; of "
                       "several each is measured on the validation part, and nothing written")
    tuned.add_argument("--looks", nargs="+", default=["draw0", "size0"])
    tuned.add_argument("--name", default="tuned")
    tuned.add_argument("--threads", type=int, default=2)
    fit = commands.add_parser("fit", help="heads, weights of both stages, temperatures, thresholds; measured on the test part")
    fit.add_argument("--draws", nargs="+", default=["draw0", "draw1"])
    fit.add_argument("--share", type=float, default=0.4, help="of the photos that the second stage may see")
    curve = commands.add_parser("curve", help="the second stage's heads on growing shares of the training photos")
    curve.add_argument("--draws", nargs="+", default=["draw0"])
    holds = commands.add_parser("calibration", help="objects' numbers from more photos; how well probabilities hold")
    holds.add_argument("--models", default="../Models/menagerie")
    ship = commands.add_parser("export", help="heads fitted on every photo, the two files and the manifest")
    ship.add_argument("--draws", nargs="+", default=["draw0", "draw1"])
    ship.add_argument("--models", default="../Models/menagerie")
    ship.add_argument("--version", default="6")
    ship.add_argument("--untuned", default="", help="beside --second: name of the untuned network's features, for what proves a species")
    again = commands.add_parser("rezoo", help="the zoo's heads fitted anew on every photo, in the files that ship")
    again.add_argument("--draws", nargs="+", default=["draw0", "size0"])
    again.add_argument("--models", default="../Models/menagerie")
    again.add_argument("--version", required=True)
    everyday = commands.add_parser("everyday", help="rows of objects for common animals that ImageNet does not have, in the files that ship")
    everyday.add_argument("--draws", nargs="+", default=["draw0", "size0"])
    everyday.add_argument("--models", default="../Models/menagerie")
    everyday.add_argument("--version", required=True)
    rounded = commands.add_parser("quantise", help="the second file in int8")
    rounded.add_argument("--float-file", default=".cache/cascade/second.onnx", help="what export wrote as the second file")
    rounded.add_argument("--models", default="../Models/menagerie")
    rounded.add_argument("--version", default="7")
    seven = commands.add_parser("seven_bits", help="a file's weights in seven bits, for processors without VNNI")
    seven.add_argument("--models", default="../Models/menagerie")
    seven.add_argument("--second", action="store_true", help="the second file instead of the first")
    seven.add_argument("--version", default="10")
    report = commands.add_parser("report", help="REPORT.md and its plots")
    report.add_argument("--models", default="../Models/menagerie")
    report.add_argument("--earlier", nargs="*", default=[], help="name=features of earlier weights, to compare with")
    report.add_argument("--preface", default="")
    report.add_argument("--version", default="8")
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
    torch.set_num_threads(getattr(options, "threads", 1))
    Path(options.out).mkdir(parents=True, exist_ok=True)
    if options.command == "agreement":
        from . import agreement

        agreement.run(options)
        return
    gallery = Gallery(options.gallery)
    if options.command == "features":
        from ..candidates import features
        from . import pair

        second, file = of(options)
        net = None if options.alone else second.load(file)[0]
        if options.taught:
            network = pair.Taught(second, net, options.held, options.backbones)
        else:
            network = pair.held(second, net, options.held) if options.held else pair.Pair(options.first, second, net)
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
