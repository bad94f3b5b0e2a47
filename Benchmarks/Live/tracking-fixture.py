#!/usr/bin/env python3
"""Makes Tests/StreamsTests/Tracking/Fixtures/sequences.json: true boxes, the boxes of a detector with the usual
faults, and how well the published ByteTrack of `supervision` follows them, measured by `motmetrics`.

    pip install supervision==0.25.1 motmetrics "numpy<2" "pandas<3"
    Benchmarks/Live/tracking-fixture.py Tests/StreamsTests/Tracking/Fixtures/sequences.json

Everything is generated from fixed seeds. The reference runs only once, so that the tests need no Python.
"""

import json
import random
import sys

import motmetrics
import numpy
import supervision

WIDTH, HEIGHT, RATE = 1280, 720, 30


class Mover:
    """An object that crosses the picture at a steady pace, with a slight wobble."""

    def __init__(self, seed, start, x, y, vx, vy, width, height, frames):
        self.random = random.Random(seed)
        self.start, self.frames = start, frames
        self.x, self.y, self.vx, self.vy = x, y, vx, vy
        self.width, self.height = width, height

    def boxes(self):
        boxes = {}
        for frame in range(self.start, self.start + self.frames):
            step = frame - self.start
            x = self.x + self.vx * step
            y = self.y + self.vy * step
            self.vx += self.random.gauss(0, 0.05)
            self.vy += self.random.gauss(0, 0.03)
            if -self.width / 2 < x < WIDTH - self.width / 2 and -self.height / 2 < y < HEIGHT - self.height / 2:
                boxes[frame] = [round(x, 1), round(y, 1), self.width, self.height]
        return boxes


def visible(box, others):
    """The share of a box that no box in front of it covers, on a grid."""
    xs = numpy.linspace(box[0], box[0] + box[2], 12)
    ys = numpy.linspace(box[1], box[1] + box[3], 12)
    grid = numpy.ones((12, 12), bool)
    for other in others:
        inside_x = (xs >= other[0]) & (xs <= other[0] + other[2])
        inside_y = (ys >= other[1]) & (ys <= other[1] + other[3])
        grid &= ~numpy.outer(inside_y, inside_x)
    return grid.mean()


def observe(truth, frames, seed, drop, clutter, noise):
    """The boxes that a simulated detector finds: with noise, false boxes, missing boxes, low certainty for half-hidden
    objects, and none for hidden ones."""
    dice = random.Random(seed)
    seen = []
    for frame in range(frames):
        present = sorted((number, boxes[frame]) for number, boxes in truth.items() if frame in boxes)
        row = []
        for index, (_, box) in enumerate(present):
            share = visible(box, [other for _, other in present[index + 1 :]])
            if share < 0.3 or dice.random() < drop:
                continue
            confidence = 0.9 * share + dice.gauss(0, 0.05)
            confidence = min(0.99, max(0.12, confidence))
            jitter = [dice.gauss(0, noise * box[2]), dice.gauss(0, noise * box[3])]
            grow = [dice.gauss(0, noise * box[2]), dice.gauss(0, noise * box[3])]
            row.append(
                [
                    round(box[0] + jitter[0], 1),
                    round(box[1] + jitter[1], 1),
                    round(max(4, box[2] + grow[0]), 1),
                    round(max(4, box[3] + grow[1]), 1),
                    round(confidence, 3),
                ]
            )
        while dice.random() < clutter:
            width, height = dice.uniform(20, 120), dice.uniform(20, 120)
            row.append(
                [
                    round(dice.uniform(0, WIDTH - width), 1),
                    round(dice.uniform(0, HEIGHT - height), 1),
                    round(width, 1),
                    round(height, 1),
                    round(dice.uniform(0.12, 0.75), 3),
                ]
            )
        seen.append(row)
    return seen


def sequences():
    frames = 180
    crossings = [
        Mover(1, 0, 20, 300, 7, 0, 120, 90, frames),
        Mover(2, 0, 1140, 320, -7, 0, 120, 90, frames),
        Mover(3, 10, 100, 40, 5, 3, 90, 110, frames),
        Mover(4, 20, 1100, 60, -5, 3, 90, 110, frames),
        Mover(5, 40, 600, 600, 0.5, -4, 100, 80, frames),
    ]
    occlusions = [
        Mover(11, 0, 50, 300, 5, 0, 110, 110, frames),
        Mover(12, 0, 600, 260, 0, 0, 160, 200, frames),
        Mover(13, 0, 1000, 330, -4, 0, 100, 90, frames),
        Mover(14, 30, 300, 310, 3, 0, 90, 90, frames),
    ]
    crowd = [
        Mover(
            20 + index,
            index * 6,
            40 if index % 2 else 1120,
            60 + 70 * (index % 8),
            (4 + index % 3) * (1 if index % 2 else -1),
            0.3 * ((index % 5) - 2),
            70 + 10 * (index % 4),
            60 + 12 * (index % 3),
            frames,
        )
        for index in range(10)
    ]
    fast = [
        Mover(41, 0, 10, 200, 45, 0, 90, 60, 40),
        Mover(42, 40, 1200, 210, -60, 0, 90, 60, 40),
        Mover(43, 80, 10, 400, 30, 4, 80, 60, 60),
        Mover(44, 0, 300, 550, 2, 0, 120, 100, 150),
    ]
    return {
        "crossings": (crossings, frames, 0.05, 0.0, 0.02),
        "occlusions": (occlusions, frames, 0.05, 0.0, 0.02),
        "clutter": (crossings, frames, 0.10, 0.35, 0.03),
        "crowd": (crowd, frames, 0.08, 0.10, 0.03),
        "fast": (fast, 150, 0.03, 0.05, 0.02),
    }


def reference(truth, seen):
    """MOTA, IDF1 and identity switches of supervision's ByteTrack."""
    tracker = supervision.ByteTrack(
        track_activation_threshold=0.5, lost_track_buffer=30, minimum_matching_threshold=0.8, frame_rate=RATE
    )
    accumulator = motmetrics.MOTAccumulator(auto_id=True)
    for frame, row in enumerate(seen):
        boxes = numpy.array([[x, y, x + w, y + h] for x, y, w, h, _ in row], float).reshape(-1, 4)
        found = supervision.Detections(
            xyxy=boxes,
            confidence=numpy.array([confidence for *_, confidence in row], float),
            class_id=numpy.zeros(len(row), int),
        )
        tracked = tracker.update_with_detections(found)
        answer = [[a, b, c - a, d - b] for a, b, c, d in tracked.xyxy]
        present = [(number, boxes[frame]) for number, boxes in sorted(truth.items()) if frame in boxes]
        distances = motmetrics.distances.iou_matrix(
            numpy.array([box for _, box in present], float).reshape(-1, 4),
            numpy.array(answer, float).reshape(-1, 4),
            max_iou=0.5,
        )
        accumulator.update([number for number, _ in present], list(map(int, tracked.tracker_id)), distances)
    summary = motmetrics.metrics.create().compute(
        accumulator, metrics=["mota", "idf1", "num_switches", "num_misses", "num_false_positives"], name="all"
    )
    row = summary.loc["all"]
    return {
        "accuracy": round(float(row["mota"]), 4),
        "identity_f1": round(float(row["idf1"]), 4),
        "identity_switches": int(row["num_switches"]),
        "misses": int(row["num_misses"]),
        "false_alarms": int(row["num_false_positives"]),
    }


def main():
    out = []
    for seed, (name, (movers, frames, drop, clutter, noise)) in enumerate(sequences().items()):
        truth = {number: mover.boxes() for number, mover in enumerate(movers, 1)}
        truth = {number: {f: b for f, b in boxes.items() if f < frames} for number, boxes in truth.items()}
        seen = observe(truth, frames, 100 + seed, drop, clutter, noise)
        measured = reference(truth, seen)
        print(name, measured, file=sys.stderr)
        out.append(
            {
                "name": name,
                "rate": RATE,
                "truth": [
                    [[number, *boxes[frame]] for number, boxes in sorted(truth.items()) if frame in boxes]
                    for frame in range(frames)
                ],
                "seen": seen,
                "reference": measured,
            }
        )
    text = json.dumps({"versions": {"supervision": supervision.__version__}, "sequences": out}, separators=(",", ":"))
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(text.replace('{"name"', '\n{"name"') + "\n")


main()
