#!/usr/bin/env python3
"""Sends mutated models of every format to a running service, and reports the results.

    python3 Tests/Drivers/model_mutants.py [--count N of each format] [--seed S] [--binary FILE] [--formats onnx,…]

The service starts with its own folder of models. Each mutant goes into it and is loaded over HTTP: limits, trial in a
helper process, load. Every answer must be a 200 or a 422, and the service must survive. Otherwise the exit status is
1.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "Tests" / "Fuzz" / "Corpus" / "models"
EXTREMES = [0, 1, 2, 3, 127, 128, 255, 256, 65535, 1 << 16, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
            1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 50_000, 1_000_000_000]


# Protocol buffers: ONNX, Core ML, TensorFlow.

def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(number, value):
    return varint(number << 3) + varint(value)


def field(number, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def parse(data):
    """The fields of a message as [number, wire type, value]. None if the bytes are not a message."""
    fields, position = [], 0

    def read():
        nonlocal position
        value = shift = 0
        while True:
            if position >= len(data) or shift > 63:
                raise ValueError
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    try:
        while position < len(data):
            tag = read()
            number, kind = tag >> 3, tag & 7
            size = {1: 8, 5: 4}.get(kind)
            if number == 0:
                return None
            if kind == 0:
                fields.append([number, 0, read()])
                continue
            if kind == 2:
                size = read()
            if size is None or position + size > len(data):
                return None
            fields.append([number, kind, data[position:position + size]])
            position += size
    except ValueError:
        return None
    return fields


def write(fields):
    out = bytearray()
    for number, kind, value in fields:
        out += varint(number << 3 | kind)
        if kind == 0:
            out += varint(value)
        else:
            out += (varint(len(value)) if kind == 2 else b"") + value
    return bytes(out)


def mutate_message(data, chance, depth=0):
    fields = parse(data)
    if not fields or depth > 12:
        return mutate_bytes(data, chance)
    for _ in range(chance.choice([1, 1, 1, 2])):
        index = chance.randrange(len(fields))
        number, kind, value = fields[index]
        what = chance.random()
        if kind == 2 and value and what < 0.75:
            nested = parse(value) if len(value) > 1 else None
            fields[index] = [number, 2, mutate_message(value, chance, depth + 1) if nested else
                             mutate_bytes(value, chance)]
        elif kind == 0 and what < 0.75:
            fields[index] = [number, 0, chance.choice(EXTREMES + [value + 1, max(0, value - 1)])]
        elif what < 0.85:
            del fields[index]
        elif what < 0.93:
            fields.insert(chance.randrange(len(fields) + 1), list(fields[index]))
        else:
            fields[index] = [chance.randrange(1, 40), kind, value]
        if not fields:
            break
    return write(fields)


def mutate_bytes(data, chance):
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 4])):
        if not data:
            return bytes([chance.randrange(256)])
        position = chance.randrange(len(data))
        what = chance.random()
        if what < 0.4:
            data[position] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        elif what < 0.6 and len(data) >= 4:
            position = min(position, len(data) - 4) & ~3
            data[position:position + 4] = struct.pack("<I", chance.choice(EXTREMES) & 0xFFFFFFFF)
        elif what < 0.7:
            del data[position:position + chance.randrange(1, 9)]
        elif what < 0.8:
            data[position:position] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 9)))
        elif what < 0.9:
            end = min(len(data), position + chance.randrange(1, 65))
            other = chance.randrange(len(data))
            data[other:other] = data[position:end]
        else:
            del data[position:]
    return bytes(data)


def mutate_flat(data, chance):
    """Changes numbers in place. An insertion would move the rest of the FlatBuffer and make it unreadable."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 3])):
        position = chance.randrange(8, len(data) - 4)
        if chance.random() < 0.5:
            data[position] = chance.choice([0, 1, 2, 4, 8, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        else:
            position &= ~3
            near = struct.unpack_from("<I", data, position)[0] + chance.choice([-8, -4, -1, 1, 4, 8])
            struct.pack_into("<I", data, position, chance.choice(EXTREMES + [near] * 20) & 0xFFFFFFFF)
    return bytes(data)


# XML: OpenVINO.

def mutate_text(data, chance):
    text = data.decode("latin-1")
    for _ in range(chance.choice([1, 1, 2, 3])):
        what = chance.random()
        numbers = list(re.finditer(r"\d+", text))
        tags = list(re.finditer(r"<[^>]*>", text))
        if what < 0.5 and numbers:
            at = chance.choice(numbers)
            text = text[:at.start()] + str(chance.choice(EXTREMES + [-1])) + text[at.end():]
        elif what < 0.65 and tags:
            at = chance.choice(tags)
            text = text[:at.start()] + text[at.end():]
        elif what < 0.8 and tags:
            at, to = chance.choice(tags), chance.choice(tags)
            text = text[:to.start()] + at.group() + text[to.start():]
        elif what < 0.9:
            words = ["MatMul", "Const", "Parameter", "Result", "ReduceMean", "Loop", "Tile", "Broadcast", "f16", "string",
                     "i4", "boolean", "dynamic", "opset1", "opset15", "extension", "&lt;", "&#0;", "true", ""]
            quoted = list(re.finditer(r'"[^"]*"', text))
            if quoted:
                at = chance.choice(quoted)
                text = text[:at.start()] + '"' + chance.choice(words) + '"' + text[at.end():]
        else:
            return mutate_bytes(text.encode("latin-1"), chance)
    return text.encode("latin-1")


# Seeds that are made here, since the corpus has no such files.

def ir_seed():
    def port(number, kind, shape, name=None):
        names = f' names="{name}"' if name else ""
        return f'<port id="{number}" precision="{kind}"{names}>' + "".join(f"<dim>{n}</dim>" for n in shape) + "</port>"

    def layer(number, kind, data, inputs, outputs):
        return (f'<layer id="{number}" name="layer {number}" type="{kind}" version="opset1">'
                + (f"<data {data}/>" if data else "") + (f"<input>{''.join(inputs)}</input>" if inputs else "")
                + (f"<output>{''.join(outputs)}</output>" if outputs else "") + "</layer>")

    image = [1, 3, 8, 8]
    layers = [
        layer(0, "Parameter", 'shape="1,3,8,8" element_type="f32"', [], [port(0, "FP32", image, "image")]),
        layer(1, "Const", 'element_type="i64" shape="2" offset="0" size="16"', [], [port(0, "I64", [2])]),
        layer(2, "ReduceMean", 'keep_dims="false"', [port(0, "FP32", image), port(1, "I64", [2])],
              [port(2, "FP32", [1, 3])]),
        layer(3, "Const", 'element_type="f32" shape="3,2" offset="16" size="24"', [], [port(0, "FP32", [3, 2])]),
        layer(4, "MatMul", 'transpose_a="false" transpose_b="false"', [port(0, "FP32", [1, 3]), port(1, "FP32", [3, 2])],
              [port(2, "FP32", [1, 2], "logits")]),
        layer(5, "Result", "", [port(0, "FP32", [1, 2])], []),
    ]
    edges = "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>'
                    for a, b, c, d in [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 4, 0), (3, 0, 4, 1), (4, 2, 5, 0)])
    text = f'<?xml version="1.0"?><net name="tiny" version="11"><layers>{"".join(layers)}</layers><edges>{edges}</edges></net>'
    return text.encode(), struct.pack("<2q6f", 2, 3, 1, -0.5, 0.25, 2, -1, 0.125)


def tensorflow_seed():
    def shape(sizes):
        return b"".join(field(2, integer(1, size)) for size in sizes)

    def attribute(name, value):
        return field(5, field(1, name) + field(2, value))

    def node(name, operation, inputs, *attributes):
        return field(1, field(1, name) + field(2, operation) + b"".join(field(3, i) for i in inputs) + b"".join(attributes))

    def constant(name, kind, sizes, content):
        return node(name, "Const", [], attribute("dtype", integer(6, kind)),
                    attribute("value", field(8, integer(1, kind) + field(2, shape(sizes)) + field(4, content))))

    floats, integers = attribute("T", integer(6, 1)), attribute("Tidx", integer(6, 3))
    return (node("image", "Placeholder", [], attribute("dtype", integer(6, 1)), attribute("shape", field(7, shape([1, 8, 8, 3]))))
            + constant("axes", 3, [2], struct.pack("<2i", 1, 2))
            + node("mean", "Mean", ["image", "axes"], floats, integers, attribute("keep_dims", integer(5, 0)))
            + constant("weights", 1, [3, 2], struct.pack("<6f", 1, -0.5, 0.25, 2, -1, 0.125))
            + node("logits", "MatMul", ["mean", "weights"], floats, attribute("transpose_a", integer(5, 0)),
                   attribute("transpose_b", integer(5, 0)))
            + field(4, integer(1, 1395)))


def onnx_seeds():
    def node(operation, inputs, output, *attributes):
        return field(1, b"".join(field(1, i) for i in inputs) + field(2, output) + field(4, operation) + b"".join(attributes))

    def ints(name, *values):
        return field(5, field(1, name) + b"".join(integer(8, v) for v in values) + integer(20, 7))

    def tensor(name, kind, dims, content):
        return field(5, b"".join(integer(1, n) for n in dims) + integer(2, kind) + field(8, name) + field(9, content))

    def value(number, name, dims):
        return field(number, field(1, name) + field(2, field(1, integer(1, 1) + field(2, b"".join(field(1, integer(1, n)) for n in dims)))))

    chance = random.Random(1)
    kernel = struct.pack("<108f", *(chance.uniform(-1, 1) for _ in range(108)))
    graph = (node("Conv", ["x", "k"], "c", ints("kernel_shape", 3, 3), ints("pads", 1, 1, 1, 1), ints("strides", 2, 2))
             + node("Relu", ["c"], "r") + node("Reshape", ["r", "s"], "q") + node("Tile", ["q", "t"], "u")
             + node("ReduceMean", ["u"], "m", ints("axes", 2)) + node("ConstantOfShape", ["z"], "o")
             + node("MatMul", ["m", "w"], "n") + node("Add", ["n", "o"], "y") + field(2, "graph")
             + tensor("k", 1, [4, 3, 3, 3], kernel) + tensor("s", 7, [3], struct.pack("<3q", 1, 4, -1))
             + tensor("t", 7, [3], struct.pack("<3q", 1, 1, 2)) + tensor("z", 7, [2], struct.pack("<2q", 1, 2))
             + tensor("w", 1, [4, 2], kernel[:32]) + value(11, "x", [1, 3, 8, 8]) + value(12, "y", [1, 2]))
    return [integer(1, 8) + field(8, integer(2, 17)) + field(7, graph)]


class FlatTable(list):
    """A table: (number, kind, value) of each field. Kinds: i32, u8, and ref to a table, a list of tables, or bytes."""


class FlatVector:
    """The elements of a vector as the bytes of the file."""

    def __init__(self, kind, values):
        self.content = struct.pack(f"<{len(values)}{kind}", *values)
        self.count = len(values)


def flat_buffer(root):
    """Writes a FlatBuffer. Each table comes before the objects that it refers to, since offsets only point forward."""
    out = bytearray(b"\0\0\0\0TFL3")

    def align(size=4):
        out.extend(b"\0" * (-len(out) % size))

    def put(thing, patch):
        align(8)
        if isinstance(thing, FlatTable):
            count = max((number for number, _, _ in thing), default=-1) + 1
            list_position = len(out)
            out.extend(struct.pack("<2H", 4 + 2 * count, 4 + 4 * count) + b"\0\0" * count)
            align()
            table = len(out)
            out.extend(struct.pack("<i", table - list_position) + b"\0\0\0\0" * count)
            struct.pack_into("<I", out, patch, table - patch)
            for slot, (number, kind, value) in enumerate(thing):
                position = table + 4 + 4 * slot
                struct.pack_into("<H", out, list_position + 4 + 2 * number, position - table)
                if kind == "ref":
                    put(value, position)
                else:
                    struct.pack_into("<B" if kind == "u8" else "<i", out, position, value)
            return
        struct.pack_into("<I", out, patch, len(out) - patch)
        if isinstance(thing, list):
            start = len(out) + 4
            out.extend(struct.pack("<I", len(thing)) + b"\0\0\0\0" * len(thing))
            for index, item in enumerate(thing):
                put(item, start + 4 * index)
        elif isinstance(thing, FlatVector):
            out.extend(struct.pack("<I", thing.count) + thing.content)
        else:
            out.extend(struct.pack("<I", len(thing)) + thing + b"\0")

    put(root, 0)
    return bytes(out)


def tflite_seed():
    def tensor(name, kind, shape, buffer):
        return FlatTable([(0, "ref", FlatVector("i", shape)), (1, "u8", kind), (2, "i32", buffer), (3, "ref", name)])

    def operator(code, inputs, outputs, kind, options):
        return FlatTable([(0, "i32", code), (1, "ref", FlatVector("i", inputs)), (2, "ref", FlatVector("i", outputs)),
                          (3, "u8", kind), (4, "ref", options)])

    tensors = [tensor(b"image", 0, [1, 8, 8, 3], 0), tensor(b"axes", 2, [2], 1), tensor(b"mean", 0, [1, 3], 0),
               tensor(b"weights", 0, [2, 3], 2), tensor(b"logits", 0, [1, 2], 0)]
    operators = [operator(0, [0, 1], [2], 27, FlatTable([(0, "u8", 0)])),
                 operator(1, [2, 3], [4], 8, FlatTable([(0, "u8", 0)]))]
    buffers = [FlatTable(), FlatTable([(0, "ref", struct.pack("<2i", 1, 2))]),
               FlatTable([(0, "ref", struct.pack("<6f", 1, -0.5, 0.25, 2, -1, 0.125))])]
    codes = [FlatTable([(0, "u8", code), (2, "i32", 1), (3, "i32", code)]) for code in (40, 9)]
    graph = FlatTable([(0, "ref", tensors), (1, "ref", FlatVector("i", [0])), (2, "ref", FlatVector("i", [4])),
                       (3, "ref", operators), (4, "ref", b"main")])
    return flat_buffer(FlatTable([(0, "i32", 3), (1, "ref", codes), (2, "ref", [graph]), (3, "ref", b"tiny"),
                                  (4, "ref", buffers)]))


def mutants(form, count, chance):
    """Yields each mutant as {file name: bytes} of its folder. The first one is an unchanged seed."""
    corpus = sorted(CORPUS.iterdir())
    seeds = {
        "onnx": [path.read_bytes() for path in corpus if path.name.startswith("onnx-")] + onnx_seeds() * 20,
        "coreml": [path.read_bytes() for path in corpus if path.name.startswith("layer-")],
        "tensorflow": [tensorflow_seed()], "tflite": [tflite_seed()], "openvino": [ir_seed()],
    }[form]
    for number in range(count):
        seed = chance.choice(seeds)
        if form == "openvino":
            text, binary = seed
            if number:
                binary = mutate_bytes(binary, chance) if chance.random() < 0.25 else binary
                text = mutate_text(text, chance) if chance.random() < 0.9 else text
            yield {"net.xml": text, "net.bin": binary}
            continue
        ending = {"onnx": "onnx", "coreml": "mlmodel", "tensorflow": "pb", "tflite": "tflite"}[form]
        mutate = mutate_bytes if chance.random() < 0.15 else mutate_flat if form == "tflite" else mutate_message
        yield {f"net.{ending}": mutate(seed, chance) if number else seed}


class Service:
    def __init__(self, binary, folder, seconds):
        self.models = folder / "models"
        self.models.mkdir()
        os.symlink(ROOT / "Models" / "menagerie", self.models / "menagerie")
        self.log = folder / "log"
        settings = {"recognition.models_directory": self.models, "recognition.trial_s": seconds,
                    "recognition.trial_memory_mb": 768, "security.requests_per_minute": 0}
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data-dir", folder / "data"]
            + [word for name, value in settings.items() for word in ("--set", f"{name}={value}")],
            stdout=self.log.open("w"), stderr=subprocess.STDOUT)
        while not (found := re.search(r"Listening .*address=\S*:(\d+)", self.log.read_text())):
            if self.process.poll() is not None:
                sys.exit(self.log.read_text())
            time.sleep(0.1)
        self.port = int(found.group(1))

    def request(self, method, target):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, target)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    def peak(self):
        return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text()).group(1)) >> 10


def kind_of(text):
    """The reason of a refusal, with names and numbers replaced, so that refusals of one kind are equal."""
    detail = json.loads(text).get("detail", "")
    reason = detail.partition("cannot be served: ")[2] or detail
    reason = re.sub(r"“[^”]*”|\"[^\"]*\"|'[^']*'|\[[^]]*\]|\S*/\S*|\d+", "…", reason)
    return re.split(r"[.:,;]", reason)[0][:60]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--binary", default=str(ROOT / ".build" / os.environ.get("CONFIGURATION", "debug") / "menagerie"))
    parser.add_argument("--formats", default="onnx,tflite,coreml,openvino,tensorflow")
    parser.add_argument("--seconds", type=int, default=20, help="that a model may take")
    parser.add_argument("--details", action="store_true", help="every kind of refusal")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="menagerie-mutants-"))
    service = Service(options.binary, folder, options.seconds)
    failed = False
    for form in options.formats.split(","):
        chance = random.Random(f"{options.seed} {form}")
        outcomes, kinds, lock = collections.Counter(), collections.Counter(), threading.Lock()
        start = time.time()
        source = mutants(form, options.count, chance)

        def work(name):
            nonlocal failed
            place = service.models / name
            while True:
                with lock:
                    files = next(source, None)
                if files is None or service.process.poll() is not None:
                    return
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                for file, content in files.items():
                    (place / file).write_bytes(content)
                try:
                    status, text = service.request("POST", f"/models/{name}/load")
                except (OSError, http.client.HTTPException) as error:
                    status, text = repr(error), b"{}"
                with lock:
                    outcomes[status] += 1
                    if status == 422:
                        kinds[kind_of(text)] += 1
                    elif status != 200:
                        failed = True
                        keep = folder / "failed" / f"{form}-{sum(outcomes.values())}"
                        shutil.copytree(place, keep)
                        print(f"{form}: {status} {text[:200]}: {keep}", file=sys.stderr)

        threads = [threading.Thread(target=work, args=(f"mutant_{form}_{n}",)) for n in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alive = service.process.poll() is None
        failed |= not alive
        print(f"{form}: {sum(outcomes.values())} mutants in {time.time() - start:.0f} s, "
              + ", ".join(f"{count} × {status}" for status, count in sorted(outcomes.items(), key=str))
              + f"; the service {'lives' if alive else 'is gone'}, its peak {service.peak() if alive else 0} MiB", flush=True)
        for kind, count in kinds.most_common(None if options.details else 8):
            print(f"    {count:5} {kind}", flush=True)
        if not alive:
            break
    if service.process.poll() is None:
        metrics = service.request("GET", "/metrics")[1].decode()
        print("\n".join(re.findall(r"^menagerie_model_trials_total.*$", metrics, re.M)))
        service.process.terminate()
        service.process.wait()
    if failed:
        print(f"what failed, and the log, lie in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
