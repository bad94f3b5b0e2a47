"""Every snippet of the page runs against the service, and every answer is as the document describes it."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from document import FILE, Document
from server import PACKAGE

HERE = PACKAGE / "Tests/OpenAPI"
#: A WebSocket, which no snippet opens, and what only a service with an authority of its own has (`serve --lan`).
UNSTAGED = re.compile("^/(live|authority.crt)$")
OPERATIONS = [
    pytest.param(name, marks=pytest.mark.skip(reason="it is a WebSocket, or of serve --lan"))
    if UNSTAGED.match(operation.path) else name
    for name, operation in Document.read().operations.items()
]
SECONDS = 120


@pytest.fixture(scope="session")
def texts(stage):
    """{"listBreeds": {"curl": "…", "python": "…", "javascript": "…", "swift": "…"}, …}"""
    written = subprocess.run(
        ["node", HERE / "snippets.mjs", FILE, stage.recorder.url], capture_output=True, check=True, timeout=SECONDS)
    return json.loads(written.stdout)


@pytest.fixture(scope="session")
def swift_program(texts, tmp_path_factory):
    """All Swift snippets as one program that runs the one it is told."""
    if not shutil.which("swiftc"):
        pytest.skip("needs swiftc")
    folder = tmp_path_factory.mktemp("swift")
    head, functions, cases = set(), [], []
    for name, each in texts.items():
        imports, _, body = each["swift"].partition("\n\n")
        head.add(imports)
        functions.append(f"func {name}() async throws {{\n{body}\n}}")
        cases.append(f'case "{name}": try await {name}()')
    assert len(head) == 1
    source = "\n\n".join([
        head.pop(), *functions, "switch CommandLine.arguments[1] {", *cases, 'default: fatalError("no such call")', "}"])
    (folder / "main.swift").write_text(source)
    built = subprocess.run(
        ["swiftc", "-swift-version", "6", "-warnings-as-errors", "-o", folder / "snippets", folder / "main.swift"],
        capture_output=True, text=True, timeout=600)
    assert built.returncode == 0, built.stderr
    return folder / "snippets"


def run(stage, operation, command, **options):
    """Runs a snippet, and returns what is not as the document promises."""
    stage.prepare(operation)
    result = subprocess.run(
        command, cwd=stage.folder, capture_output=True, text=True, timeout=SECONDS,
        env={**os.environ, "NO_PROXY": "*", "API_KEY": stage.key}, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(stage.recorder.exchanges) == 1
    answer = stage.recorder.exchanges[0]
    assert stage_operation(operation, answer) == operation.id
    assert answer.status == operation.success
    assert operation.complaints(answer.status, answer.headers, answer.body) == []


def stage_operation(operation, answer) -> str:
    return operation.document.operation(answer.method, answer.path).id


@pytest.mark.parametrize("name", OPERATIONS)
def test_curl(stage, document, texts, name):
    run(stage, document.operations[name], ["bash", "-euc", texts[name]["curl"]])


@pytest.mark.parametrize("name", OPERATIONS)
def test_python(stage, document, texts, name):
    run(stage, document.operations[name], [sys.executable, "-W", "error::SyntaxWarning", "-c", texts[name]["python"]])


@pytest.mark.parametrize("name", OPERATIONS)
def test_javascript(stage, document, texts, name):
    run(stage, document.operations[name], ["node", "--input-type=module"], input=texts[name]["javascript"])


@pytest.mark.parametrize("name", OPERATIONS)
def test_swift(stage, document, swift_program, name):
    run(stage, document.operations[name], [swift_program, name])
