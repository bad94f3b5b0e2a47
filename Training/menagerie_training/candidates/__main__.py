"""python -m menagerie_training.candidates COMMAND: computes features of all photos, fits heads on them, measures
these."""

import argparse
from pathlib import Path

BACKBONES = "../shared/models/backbones"
EDGETPU = "mobilenet_edgetpu_1.0/mobilenet_edgetpu_224_1.0_uint8.tflite"
VIT = "vit_tiny_patch16_224/vit_tiny_f16.npz"


def parser():
    """The arguments of every command."""
    top = argparse.ArgumentParser(prog="menagerie_training.candidates", description=__doc__)
    top.add_argument("--gallery", default=".cache/gallery", help="what menagerie_training.gallery packed")
    top.add_argument("--cache", default=".cache/features")
    top.add_argument("--backbones", default=BACKBONES)
    commands = top.add_subparsers(dest="command", required=True)
    features = commands.add_parser("features", help="what a network sees; goes on where it was stopped")
    features.add_argument("--network", default="backbones", help="`backbones`, `edgetpu`, or an ONNX file (its outputs are kept)")
    features.add_argument("--name", default="backbones")
    features.add_argument("--size", type=int, default=224, help="of the views; backbones enlarge them to their own 224")
    features.add_argument("--precision", default="bf16")
    features.add_argument("--batch", type=int, default=8, help="1 for earlier weights, whose zoo head errs in batches")
    features.add_argument("--looks", nargs="+", required=True, help="draw0 draw1 … size0 size96 size160 size224 size400")
    features.add_argument("--parts", nargs="+", default=["train", "val", "test"])
    features.add_argument("--origins", nargs="+", default=["photos", "sharp", "ingest"])
    features.add_argument("--held", type=int, default=0, help="also keep what is behind so many stages of EdgeTPU")
    heads = commands.add_parser("heads", help="fits heads on frozen features and measures them")
    heads.add_argument("--inputs", nargs="+", default=["edgetpu", "vit", "both"])
    heads.add_argument("--draws", nargs="+", default=["draw0"])
    heads.add_argument("--part", default="val", choices=["val", "test"])
    heads.add_argument("--earlier", default="", help="name of the features of earlier weights, to compare with")
    heads.add_argument("--out", default=".cache/heads")
    return top


def backbones(folder, held=0, alone=False, view=224):
    """The ONNX bytes of both backbones in one graph, or of EdgeTPU `alone`; held, view: see `graph.features`."""
    from ..backbones import edgetpu, graph, vit

    edge, transformer = edgetpu.load(Path(folder) / EDGETPU)[0], None if alone else vit.load(Path(folder) / VIT)[0]
    return graph.features(edge, transformer, held=held, view=view).SerializeToString()


def main():
    """Runs the chosen command."""
    import numpy as np
    import torch

    from ..gallery.pack import Gallery

    options = parser().parse_args()
    torch.set_num_threads(1)
    gallery = Gallery(options.gallery)
    if options.command == "features":
        from . import features

        model = options.network
        if model in ("backbones", "edgetpu"):
            model = backbones(options.backbones, options.held, model == "edgetpu", options.size)
        network = features.Network(model, options.size, options.precision, options.batch)
        chosen = np.isin(gallery.part, options.parts) & np.isin(gallery.origin, options.origins)
        for look in options.looks:
            features.make(gallery, network, options.name, look, np.flatnonzero(chosen), options.cache)
    else:
        from . import heads

        heads.run(gallery, options)


if __name__ == "__main__":
    main()
