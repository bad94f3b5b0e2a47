#!/usr/bin/env python3
"""Uses the Open Inference Protocol v2 with the real client of Triton.

    pip install 'tritonclient[http]' numpy pillow
    menagerie serve --port 8080 &
    python3 Tests/Drivers/triton_client.py localhost:8080 Tests/Photos/cat.jpg
"""
import sys

import numpy as np
import tritonclient.http as triton
from PIL import Image, ImageOps
from tritonclient.utils import InferenceServerException


def tensor_of(name, levels, binary):
    request = triton.InferInput(name, list(levels.shape), "UINT8")
    request.set_data_from_numpy(levels, binary_data=binary)
    return request


def main():
    address, path = sys.argv[1:3]
    client = triton.InferenceServerClient(address, network_timeout=60)
    assert client.is_server_live() and client.is_server_ready()
    server = client.get_server_metadata()
    assert server["name"] == "menagerie" and "binary_tensor_data" in server["extensions"], server

    name = sys.argv[3] if len(sys.argv) > 3 else "menagerie"
    assert client.is_model_ready(name)
    model = client.get_model_metadata(name)
    version = model["versions"][-1]
    assert client.is_model_ready(name, version)
    print(model)
    tensor = model["inputs"][0]
    height, width = tensor["shape"][1:3]
    photo = ImageOps.exif_transpose(Image.open(path)).convert("RGB")
    levels = np.asarray(ImageOps.fit(photo, (width, height)))[None]

    def ask(batch, binary_in, binary_out, datatype="UINT8", version=""):
        request = triton.InferInput(tensor["name"], list(batch.shape), datatype)
        request.set_data_from_numpy(batch, binary_data=binary_in)
        outputs = [triton.InferRequestedOutput(o["name"], binary_data=binary_out) for o in model["outputs"]]
        return client.infer(name, [request], outputs=outputs, request_id="7", model_version=version)

    first = model["outputs"][0]["name"]
    binary = ask(levels, True, True)
    assert binary.get_response()["id"] == "7"
    expected = binary.as_numpy(first)
    assert expected.dtype == np.float32 and expected.shape[0] == 1
    for binary_in, binary_out in [(False, True), (True, False), (False, False)]:
        answer = ask(levels, binary_in, binary_out).as_numpy(first)
        assert np.array_equal(answer, expected), (binary_in, binary_out)
    assert np.array_equal(ask(levels, True, True, version=version).as_numpy(first), expected)
    batch = np.concatenate([levels, levels[:, :, ::-1], levels])
    several = ask(batch, True, True).as_numpy(first)
    assert several.shape[0] == 3 and np.array_equal(several[0], expected[0])
    assert np.array_equal(several[2], expected[0]) and not np.array_equal(several[1], expected[0])

    file = np.array([open(path, "rb").read()], dtype=np.object_)
    assert ask(file, True, True, "BYTES").as_numpy(first).shape == expected.shape

    # Without `outputs` the answer has every tensor. With class_count it has a tensor's likeliest classes.
    request = triton.InferInput(tensor["name"], list(levels.shape), "UINT8")
    request.set_data_from_numpy(levels)
    assert np.array_equal(client.infer(name, [request]).as_numpy(first), expected)
    classes = client.infer(name, [request], outputs=[triton.InferRequestedOutput(first, class_count=3)])
    print(classes.as_numpy(first))

    def fails(call, status):
        try:
            call()
        except InferenceServerException as error:
            assert str(error.status()) == status, (error.status(), status)
            assert error.message(), error
            return
        raise AssertionError(f"no error {status}")

    fails(lambda: client.get_model_metadata("unicorn"), "404")
    fails(lambda: ask(levels[:, 1:], True, True), "400")
    fails(lambda: ask(levels.astype(np.float32), True, True, "FP32"), "400")

    # The network's own floating-point input: 1×3×192×192, x/127.5-1. The network first rounds it to 256 levels that lie
    # between these values. The last bit of a value may therefore change the results by a step or two.
    if name == "menagerie":
        floats = np.ascontiguousarray((levels.astype(np.float32) / np.float32(127.5) - 1).transpose(0, 3, 1, 2))
        answer = ask(floats, True, True, "FP32").as_numpy(first)
        assert answer.shape == expected.shape and np.corrcoef(answer, expected)[0, 1] > 0.99, (answer, expected)
        assert np.array_equal(ask(floats, False, False, "FP32").as_numpy(first), answer)

    # Compressed requests and answers, binary and JSON.
    for coding in ("gzip", "deflate"):
        for binary in (True, False):
            packed = client.infer(
                name, [tensor_of(tensor["name"], levels, binary)],
                outputs=[triton.InferRequestedOutput(first, binary_data=binary)],
                request_compression_algorithm=coding, response_compression_algorithm=coding)
            assert np.array_equal(packed.as_numpy(first), expected), (coding, binary)

    config = client.get_model_config(name)
    assert config["name"] == name and config["input"][0]["dims"] == [height, width, 3], config
    assert [o["name"] for o in config["output"]] == [o["name"] for o in model["outputs"]]
    statistics = client.get_inference_statistics(name)["model_stats"][0]
    assert statistics["name"] == name and statistics["inference_count"] >= 10, statistics
    assert statistics["inference_stats"]["compute_infer"]["ns"] > 0 and statistics["last_inference"] > 0
    assert any(each["name"] == name for each in client.get_inference_statistics()["model_stats"])
    assert client.get_inference_statistics(name, version)["model_stats"][0]["version"] == version
    wrong = triton.InferInput("nothing", list(levels.shape), "UINT8")
    wrong.set_data_from_numpy(levels)
    fails(lambda: client.infer(name, [wrong]), "400")
    fails(lambda: client.infer(name, [request], outputs=[triton.InferRequestedOutput("nothing")]), "400")
    assert any(item["name"] == name and item["state"] == "READY" for item in client.get_model_repository_index())
    print("all well")


main()
