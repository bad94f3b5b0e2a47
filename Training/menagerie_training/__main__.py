"""Command line: python -m menagerie_training COMMAND. README.md says how long each command takes."""

import argparse
import importlib
import os
import sys

#: The C library keeps large blocks of memory instead of returning them after each layer. Otherwise page faults would
#: cost more than the arithmetic.
MALLOC = {
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4294967296:"
    "glibc.malloc.trim_threshold=8589934592",
    # Waiting threads sleep. If they spun, on a shared machine they would take time from the thread that they wait for.
    "OMP_WAIT_POLICY": "PASSIVE",
}

TFLITE = "../shared/models/third_party/mobilenet_v2_tf2_ptq.tflite"
SECOND = "../shared/models/third_party/mobilenetv2_int8.onnx"


def parser():
    """The arguments of every command."""
    top = argparse.ArgumentParser(prog="menagerie_training", description=__doc__)
    top.add_argument("--photos", default="../shared/data", help="folder with photos.csv and photos/")
    top.add_argument("--cache", default=".cache", help="folder for packed photos (2.4 GB)")
    top.add_argument("--seed", type=int, default=1)
    top.add_argument("--threads", type=int, default=2)
    commands = top.add_subparsers(dest="command", required=True)
    commands.add_parser("data", help="index, split and pack the photos")

    clean = commands.add_parser("clean", help="find wrong labels by cross-validation")
    start = commands.add_parser("start", help="two public networks side by side, with heads fitted on both")
    start.add_argument("--second", default=SECOND, help="the second network")
    start.add_argument("--out", default=".cache/start.pt")
    train = commands.add_parser("train", help="fine-tune; continues from RUN/checkpoint.pt")
    train.add_argument("--run", default=".cache/run")
    train.add_argument("--tower", required=True, choices=["first", "second"], help="the one that is tuned")
    train.add_argument("--held", type=int, default=8, help="leading stages of the tower that stay as they are")
    train.add_argument("--anchor", type=float, default=1.0, help="weight of the divergence from the start's answers")
    train.add_argument("--size", type=int, default=192, help="pixels of the training crops")
    train.add_argument("--batch", type=int, default=64)
    train.add_argument("--rate", type=float, default=1.2e-4, help="peak learning rate of the tower; heads take twice it")
    train.add_argument("--decay", type=float, default=0.998, help="of the average of weights over steps")
    train.add_argument("--steps", type=int, default=8000)
    train.add_argument("--minutes", type=float, default=0, help="instead of steps: working time of the whole run")
    train.add_argument("--every", type=float, default=5, help="minutes between checkpoints")
    train.add_argument("--validate", type=int, default=3, help="checkpoints between validations")
    evaluate = commands.add_parser("evaluate", help="measure a checkpoint, an ONNX file or the original network")
    evaluate.add_argument("--model", required=True, help="a .pt or .onnx file, or `original`")
    evaluate.add_argument("--sizes", type=int, nargs="+", default=[192])
    evaluate.add_argument("--looks", nargs="+", default=["plain"], help="views to average: see answers.LOOKS")
    evaluate.add_argument("--part", default="test", choices=["train", "val", "test"])
    evaluate.add_argument("--calibration", default="", help="calibration.json, for temperatures")
    evaluate.add_argument("--save", default="", help="beginning of file names for logits and measures")
    calibrate = commands.add_parser("calibrate", help="temperatures, thresholds, status of the zoo's species")
    calibrate.add_argument("--out", default="calibration.json")
    calibrate.add_argument("--logits", default="", help="beginning of files of `evaluate --save`, instead of computing")
    export = commands.add_parser("export", help="ONNX file and manifest")
    export.add_argument("--calibration", default="calibration.json")
    export.add_argument("--version", default="5")
    export.add_argument("--out", default="../Models/menagerie")
    export.add_argument("--quantised", default="", help="file of the command quantise, instead of float16 weights")
    refit = commands.add_parser("refit", help="what is served of what was trained: weights part of the way, heads fitted")
    refit.add_argument("--out", default=".cache/final.pt")
    refit.add_argument("--share", type=float, default=0.7, help="how far from the start to what was trained the weights go")
    quantise = commands.add_parser("quantise", help="ONNX file in int8, and what that costs")
    quantise.add_argument("--out", default="menagerie_int8.onnx")
    refit.add_argument("--models", nargs="+", required=True, help="checkpoints, one of each tower that was tuned")
    for command in (calibrate, export, quantise):
        command.add_argument("--model", required=True, help="a checkpoint")
    for command in (calibrate, export, quantise, refit, start):
        command.add_argument("--size", type=int, default=192)
    probe = commands.add_parser("probe", help="only a head, on frozen features, 80/20 split")
    probe.add_argument("--head", default="fruit", choices=["fruit", "zoo", "cats", "dogs", "presence"])
    probe.add_argument("--iterations", type=int, default=50)
    agreement = commands.add_parser("agreement", help="answers to 100 photos, for the Swift test")
    agreement.add_argument("--model", default="../Models/menagerie", help="an exported folder")
    agreement.add_argument("--out", default="../Tests/Reference/menagerie.json")
    report = commands.add_parser("report", help="Markdown and plots from saved logits")
    report.add_argument("--models", nargs="+", required=True, help="name=logits.npz, ours first")
    report.add_argument("--calibration", default="calibration.json")
    report.add_argument("--preface", default="", help="Markdown file to begin with")
    report.add_argument("--out", default="../Models/menagerie")
    compare = commands.add_parser("compare", help="table of several models: accuracy of each part, size, time")
    compare.add_argument("--models", nargs="+", required=True, help="name=checkpoint or name=ONNX file")
    compare.add_argument("--size", type=int, default=192)
    curve = commands.add_parser("curve", help="accuracy of a linear layer on growing shares of the photos")
    for command in (train, refit):
        command.add_argument("--start", default=".cache/start.pt", help="checkpoint of the command start")
    for command in (clean, start, train, refit, evaluate, report, curve):
        command.add_argument("--cleaning", default="cleaning.csv", help="verdicts of the command clean")
    for command in (clean, start, evaluate, probe, curve):
        command.add_argument("--tflite", default=TFLITE)
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
        return
    module = importlib.import_module(f".{options.command}", __package__)
    module.run(pack, options)


if __name__ == "__main__":
    main()
