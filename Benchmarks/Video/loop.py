"""The usual Python loop: it decodes a film, runs detector and classifier on every n-th picture, and keeps the boxes.

loop.py av|cv2 FILM EVERY DETECTOR_FOLDER CLASSIFIER_FOLDER prints the number of analysed pictures and of boxes.
"""

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import onnxruntime


def model(folder: Path):
    manifest = json.loads((folder / "manifest.json").read_text())
    return onnxruntime.InferenceSession(folder / manifest["file"], providers=["CPUExecutionProvider"]), manifest


def with_av(film, every):
    """Every analysed picture, in BGR."""
    import av

    with av.open(film) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        due = 0.0
        for frame in container.decode(stream):
            if frame.time + 0.1 / every >= due:
                due += 1 / every
                yield frame.to_ndarray(format="bgr24")


def with_cv2(film, every):
    capture = cv2.VideoCapture(film)
    step = capture.get(cv2.CAP_PROP_FPS) / every
    number, due = 0, 0.0
    while capture.grab():
        if number >= due:
            due += step
            yield capture.retrieve()[1]
        number += 1


def centre(picture, side):
    """Scales the short side to the size and crops the middle."""
    height, width = picture.shape[:2]
    scale = side / min(height, width)
    picture = cv2.resize(picture, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
    top, left = (picture.shape[0] - side) // 2, (picture.shape[1] - side) // 2
    return picture[top : top + side, left : left + side]


def boxes(values, detection):
    """Suppresses overlapping boxes, given left, top, right, bottom and the classes of each anchor."""
    values = values.reshape(-1, 4 + len(detection["labels"]))
    scores = values[:, 4:]
    labels = scores.argmax(1)
    confidences = scores[np.arange(len(scores)), labels]
    kept = confidences >= detection["confidence"] / 4
    corners, confidences, labels = values[kept, :4], confidences[kept], labels[kept]
    sizes = np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], 1)
    chosen = cv2.dnn.NMSBoxesBatched(
        sizes.tolist(), confidences.tolist(), labels.tolist(), detection["confidence"] / 4, detection["overlap"])
    return len(chosen)


def main():
    decoder, film, every, detector_folder, classifier_folder = sys.argv[1:]
    detector, boxing = model(Path(detector_folder))
    classifier, naming = model(Path(classifier_folder))
    side, small = boxing["input"]["size"][0], naming["input"]["size"][0]
    mean, deviation = (np.array(boxing["input"][key], np.float32) for key in ("mean", "std"))
    looked = found = 0
    for picture in (with_av if decoder == "av" else with_cv2)(film, float(every)):
        square = cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA).astype(np.float32)
        tensor = ((square - mean) / deviation).transpose(2, 0, 1)[None]
        output = detector.run([boxing["detection"]["output"]], {detector.get_inputs()[0].name: tensor})[0]
        found += boxes(output, boxing["detection"])
        crop = cv2.cvtColor(centre(picture, small), cv2.COLOR_BGR2RGB).astype(np.float32) / 127.5 - 1
        classifier.run(None, {classifier.get_inputs()[0].name: crop.transpose(2, 0, 1)[None]})
        looked += 1
    print(looked, found)


main()
