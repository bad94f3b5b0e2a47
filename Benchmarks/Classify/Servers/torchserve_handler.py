"""TorchServe's handler. The environment has the model's folder and the path of `classifier.py`."""

import os
import sys

import numpy as np

sys.path.insert(0, os.environ["CLASSIFY_SERVERS"])

from classifier import Classifier  # noqa: E402


class ClassifyHandler:
    """One handler per worker process. TorchServe passes it a batch of requests at a time."""

    def initialize(self, context):
        self.classifier = Classifier(os.environ["CLASSIFY_MODEL"], threads=1)

    def handle(self, requests, context):
        photos = [self.classifier.decode(bytes(row.get("body") or row.get("data"))) for row in requests]
        return [self.classifier.answer(logits) for logits in self.classifier.infer(np.stack(photos))]
