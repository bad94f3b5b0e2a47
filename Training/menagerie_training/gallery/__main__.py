"""python -m menagerie_training.gallery --photos DATA --cache CACHE [--ingested FOLDER] [--labels]: packs all photos."""

import argparse

from . import pack

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--photos", default="../shared/data")
parser.add_argument("--cache", default=".cache/gallery")
parser.add_argument("--ingested", help="what sources/ingest.py wrote")
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--labels", action="store_true", help="only labels and split, of photos that are packed")
if __name__ == "__main__":
    options = parser.parse_args()
    if options.labels:
        pack.label(options.photos, options.cache, options.ingested)
    else:
        pack.build(options.photos, options.cache, options.ingested, options.workers)
