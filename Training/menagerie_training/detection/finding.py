"""Finds boxes in a picture as the service does: it resizes the whole photo, and suppresses boxes within each class."""

import numpy as np
import openvino
from PIL import Image

from . import boxes, network


class Finder:
    """A detector's file run by OpenVINO on one thread.

    stretched: whether a photo is stretched to the square. Otherwise it keeps its shape, centred (`centred`) or at the
    top left, and `level` fills the rest.
    """

    def __init__(self, model, stretched=False, size=network.SIZE, level=0, centred=True, precision="f32"):
        core = openvino.Core()
        loaded = model if isinstance(model, openvino.Model) else core.read_model(model)
        self.model = core.compile_model(
            loaded, "CPU", {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": precision, "NUM_STREAMS": 1}
        )
        self.request = self.model.create_infer_request()
        self.stretched, self.size, self.level, self.centred = stretched, size, level, centred

    def place(self, picture):
        """(square for the network, shift, factor). (x − shift) / factor gives the picture's coordinates."""
        rows, columns = picture.shape[:2]
        size = self.size
        wide, high = size, size
        if not self.stretched:
            factor = size / max(rows, columns)
            wide, high = max(1, round(columns * factor)), max(1, round(rows * factor))
        small = np.asarray(Image.fromarray(picture).resize((wide, high), Image.BILINEAR))
        shift = ((size - wide) // 2, (size - high) // 2) if self.centred and not self.stretched else (0, 0)
        square = np.full((size, size, 3), self.level, np.uint8)
        square[shift[1] : shift[1] + high, shift[0] : shift[0] + wide] = small
        return square, np.array(shift * 2, np.float32), np.array([wide / columns, high / rows] * 2, np.float32)

    def raw(self, square):
        """The network's output for a square: P×4 corners in the square's pixels, P×classes probabilities."""
        x = square[..., ::-1].astype(np.float32)
        x = (x - np.array(network.MEAN, np.float32)) / np.array(network.DEVIATION, np.float32)
        answer = self.request.infer({0: np.ascontiguousarray(x.transpose(2, 0, 1)[None])})
        values = next(iter(answer.values()))[0]
        return values[:, :4], values[:, 4:]

    def candidates(self, picture, threshold=0.01):
        """(boxes in the picture's pixels, classes, probabilities) of all points with at least the threshold."""
        square, shift, factor = self.place(picture)
        edges, shares = self.raw(square)
        found = np.flatnonzero(shares.max(1) >= threshold)
        edges = (edges[found] - shift) / factor
        edges = np.clip(edges, 0, np.array([picture.shape[1], picture.shape[0]] * 2, np.float32))
        return edges, shares[found].argmax(1), shares[found].max(1)

    def __call__(self, picture, threshold=0.01, overlap=0.5, limit=100):
        return suppress(*self.candidates(picture, threshold), overlap, limit)


def suppress(edges, labels, shares, overlap=0.5, limit=100):
    """Non-maximum suppression: drops a box that overlaps a surer box of its class by more than `overlap`."""
    order = np.argsort(-shares, kind="stable")[:400]
    edges, labels, shares = edges[order], labels[order], shares[order]
    both = boxes.overlaps(edges, edges) > overlap
    both &= labels[:, None] == labels[None]
    gone = np.zeros(len(order), bool)
    for index in range(len(order)):
        if not gone[index]:
            gone[index + 1 :] |= both[index, index + 1 :]
    kept = np.flatnonzero(~gone)[:limit]
    return edges[kept], labels[kept], shares[kept]
