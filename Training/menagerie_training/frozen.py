"""Runs the part of the network that training does not change, once for each crop."""

import numpy as np
import torch

from . import export


class Frozen:
    """Crops → (activations after `held` stages of `tower` N×H×W×C, features of both towers N×2560), both float16.

    net: the network at the start of the training. PyTorch runs it on a GPU. On a CPU OpenVINO runs it, in bf16 if the
    CPU has that, which takes less than half of PyTorch's time.
    """

    def __init__(self, net, tower, held, size, device, batch=64):
        self.device, self.batch = device, batch
        if device == "cuda":
            self.net, self.tower, self.held = net, tower, held
            return
        import openvino

        core = openvino.Core()
        model = core.read_model(export.build_frozen(net, tower, held).SerializeToString())
        model.reshape([batch, 3, size, size])
        hint = {"INFERENCE_PRECISION_HINT": "bf16", "INFERENCE_NUM_THREADS": torch.get_num_threads()}
        self.request = core.compile_model(model, "CPU", hint | {"ENABLE_CPU_PINNING": "NO"}).create_infer_request()

    @torch.no_grad()
    def __call__(self, x):
        """x: `batch`×3×S×S float32, x/127.5 − 1."""
        if self.device == "cuda":
            x = x.bfloat16()
            middle = self.net.towers[self.tower][: self.held](x)
            features = self.net(x)["features"]
        else:
            middle, features = (torch.from_numpy(value) for value in self.request.infer([x.numpy()]).to_tuple())
        middle = middle.permute(0, 2, 3, 1).to(torch.float16).contiguous()
        return middle.cpu().numpy(), features.to(torch.float16).cpu().numpy().astype(np.float16)
