"""One list of all photos (photos.csv, sharp.csv, the list of ingest.py, zoo_more.csv) with the labels of every head and
the split.

The photos of photos.csv are split by `data.split`, so that measures of earlier weights stay comparable. A sharper
version of a photo is in the same part as the small one, and so are near-duplicates. All other photos are split in the
same way.
"""

import csv
from pathlib import Path

import numpy as np

from .. import data, labels
from . import kinds

#: The lists from which rows come.
ORIGINS = ("photos", "sharp", "ingest", "zoo_more")
#: Photos of these classes in zoo_more.csv surely show the species. Photos of other classes may show a related species.
SURE = set(
    "snowy_owl great_grey_owl indian_peafowl green_iguana musk_ox markhor pallass_cat moose domestic_rabbit".split()
)


class Rows(list):
    """Rows as dictionaries: path (absolute), name (as in the list), group, class, source, origin, dup, same_as, zoo."""


def read(folder, ingested=None):
    """The rows of all lists. folder: the data folder; ingested: what ingest.py wrote, optional.

    Ingested photos that are also in sharp.csv are left out. The digest in their name tells which these are.
    """
    folder, rows = Path(folder), Rows()
    known = set()
    for origin, root, file in (
        ("photos", folder, folder / "photos.csv"),
        ("sharp", folder, folder / "sharp.csv"),
        ("ingest", Path(ingested or folder), Path(ingested) / "photos.csv" if ingested else None),
        ("zoo_more", folder, folder / "zoo_more.csv"),
    ):
        if file is None or not file.exists():
            continue
        with open(file, newline="") as stream:
            for row in csv.DictReader(stream):
                stem = Path(row["path"]).stem
                if origin == "sharp":
                    known.add(stem)
                if origin == "ingest" and stem in known:
                    continue
                entry = {key: row.get(key) or "" for key in ("group", "class", "source", "dup", "same_as", "zoo", "zoo_match")}
                if origin == "zoo_more":
                    entry["source"] = row["repository"]
                    entry["zoo_match"] = "exact" if row["zoo"] in SURE else "species, not looked up"
                rows.append(entry | {"path": str(root / row["path"]), "name": row["path"], "origin": origin})
    return rows


def groups(rows, near=()):
    """The number of the near-duplicate group of each row, N int. near: further pairs of positions."""
    parent = list(range(len(rows)))

    def root(position):
        while parent[position] != position:
            parent[position] = parent[parent[position]]
            position = parent[position]
        return position

    first = {}
    for position, row in enumerate(rows):
        for key in (("name", row["name"]), ("dup", row["dup"]), ("name", row["same_as"])):
            if not key[1]:
                continue
            if key in first:
                parent[root(position)] = root(first[key])
            else:
                first[key] = position
    for one, other in near:
        parent[root(one)] = root(other)
    return np.array([root(position) for position in range(len(rows))])


def split(rows, group, seed=1):
    """`train`, `val` or `test` of each row.

    photos.csv keeps its split, except for near-duplicates of a training photo. These go to the training part, so that
    no photo that earlier weights have seen counts as unseen. Groups without a photo of photos.csv are split by
    `data.split` separately.
    """
    small = [position for position, row in enumerate(rows) if row["origin"] == "photos"]
    parts = dict(zip(small, data.split([rows[position] | {"path": rows[position]["name"]} for position in small], seed)))
    rank = {"train": 0, "val": 1, "test": 2}
    by_group = {}
    for position, part in parts.items():
        by_group[group[position]] = min(by_group.get(group[position], "test"), part, key=rank.get)
    rest = [position for position in range(len(rows)) if group[position] not in by_group]
    told = [{**rows[p], "path": rows[p]["name"], "dup": str(group[p])} for p in rest]
    answer = [by_group.get(number, "train") for number in group]
    for position, part in zip(rest, data.split(told, seed)):
        answer[position] = part
    return np.array(answer)


def species(row, names):
    """The zoo species of a row, from the column of sharp.csv if it has one. "" removes the species of the class.

    Photos of camels show either of two species (`genus mixed`), so they get no label.
    """
    if row["zoo_match"] == "genus mixed":
        return ""
    return row["zoo"] or (names.get(row["class"]) if row["group"] == "animal" else None)


def targets(rows, folder):
    """{head: N int16, −1 none} and {head: class names}; `kinds` is N×13 bool."""
    heads = data.head_classes(folder)
    zoo, dog_names = labels.zoo_names(), set(heads["dogs"])
    numbers = {head: np.full(len(rows), -1, np.int16) for head in heads}
    mask = np.zeros((len(rows), len(kinds.KINDS)), bool)
    for position, row in enumerate(rows):
        for head, name in labels.targets(row, dog_names, heads["objects"], zoo).items():
            numbers[head][position] = heads[head].index(name)
        told = species(row, zoo)
        if told == "":
            numbers["zoo"][position] = -1
        elif told in heads["zoo"]:
            numbers["zoo"][position] = heads["zoo"].index(told)
        found = kinds.kinds(row, heads["objects"])
        for kind in found:
            mask[position, kinds.KINDS.index(kind)] = True
        if found == {"cat"} or found == {"dog"} or not found & {"cat", "dog"}:
            name = next(iter(found)) if len(found) == 1 and found & {"cat", "dog"} else "other"
            numbers["presence"][position] = labels.PRESENCE.index(name)
    return numbers | {"kinds": mask}, heads | {"kinds": list(kinds.KINDS)}
