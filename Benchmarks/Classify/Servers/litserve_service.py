"""LitServe: `litserve_service.py PORT MODEL WORKERS BATCH`. Photos come in a form, as LitServe expects files."""

import sys

import litserve
import numpy as np
from classifier import Classifier
from fastapi import Request


class ClassifyAPI(litserve.LitAPI):
    def setup(self, device):
        self.classifier = Classifier(sys.argv[2], threads=1)

    def decode_request(self, request: Request):
        return self.classifier.decode(request["image"].file.read())

    def batch(self, inputs):
        return np.stack(inputs)

    def predict(self, batch):
        # Without batching a single photo has no batch dimension.
        return self.classifier.infer(batch if batch.ndim == 4 else batch[None])

    def unbatch(self, output):
        return output

    def encode_response(self, output):
        return self.classifier.answer(output[0] if isinstance(output, list) else output)


if __name__ == "__main__":
    port, workers, batch = int(sys.argv[1]), int(sys.argv[3]), int(sys.argv[4])
    api = ClassifyAPI(api_path="/classify", max_batch_size=batch, batch_timeout=0.002 if batch > 1 else 0)
    server = litserve.LitServer(api, accelerator="cpu", workers_per_device=workers, fast_queue=True)
    server.run(host="127.0.0.1", port=port, num_api_servers=1, log_level="warning", generate_client_file=False)
