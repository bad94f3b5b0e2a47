"""The document is valid, whole, and its examples are what its schemas say."""

import json

from document import is_json
from openapi_spec_validator import OpenAPIV31SpecValidator


def media(document):
    """Every media type of every request and answer: (where, media type, its description)."""
    for operation in document.operations.values():
        body = document.resolved(operation.description.get("requestBody", {}))
        for name, each in body.get("content", {}).items():
            yield f"{operation.id} request {name}", name, each
        for status in operation.description["responses"]:
            for name, each in operation.response(int(status)).get("content", {}).items():
                yield f"{operation.id} {status} {name}", name, each


def examples(document, node) -> list:
    found = [node["example"]] if "example" in node else []
    return found + [document.resolved(each)["value"] for each in node.get("examples", {}).values()]


def test_document_is_openapi(document):
    assert [error.message for error in OpenAPIV31SpecValidator(document.json).iter_errors()] == []


def test_examples_are_what_their_schemas_say(document):
    wrong, count = [], 0
    for where, _, each in media(document):
        for example in examples(document, each):
            count += 1
            wrong += document.errors(example, document.closed(each["schema"]), f"{where} ")
    parts = document.json["components"]
    described = [(name, each) for kind in ("parameters", "headers") for name, each in parts[kind].items()]
    described += [(f"{operation.id} {each['name']}", each)
                  for operation in document.operations.values() for each in operation.parameters]
    for where, each in described:
        for example in examples(document, each):
            count += 1
            wrong += document.errors(example, each["schema"], f"{where} ")
    schemas = list(parts["schemas"].items())
    while schemas:
        where, schema = schemas.pop()
        for example in schema.get("examples", []):
            count += 1
            wrong += document.errors(example, schema, f"{where} ")
        schemas += [(f"{where}.{name}", each) for name, each in schema.get("properties", {}).items()]
    assert wrong == []
    assert count > 150


def test_every_json_body_has_an_example_and_a_schema_that_says_something(document):
    bare = [where for where, name, each in media(document) if is_json(name) and not examples(document, each)]
    assert bare == []
    empty = [where for where, name, each in media(document)
             if is_json(name) and document.resolved(each["schema"]) == {"type": "object"}]
    assert empty == []


def test_everything_is_explained(document):
    silent = []
    for operation in document.operations.values():
        silent += [operation.id] if not operation.description.get("summary") else []
        silent += [f"{operation.id} {each['name']}" for each in operation.parameters if not each.get("description")]
        silent += [f"{operation.id} {status}" for status in operation.description["responses"]
                   if operation.response(int(status)).get("description", "Done.") == "Done."]
    assert silent == []


def test_every_answer_names_its_request(document):
    without = [f"{operation.id} {status}" for operation in document.operations.values()
               for status in operation.description["responses"]
               if "X-Request-Id" not in operation.response(int(status)).get("headers", {})]
    assert without == []


def test_problems_have_the_status_of_their_answer(document):
    wrong = []
    for operation in document.operations.values():
        for status in operation.description["responses"]:
            content = operation.response(int(status)).get("content", {})
            for example in examples(document, content.get("application/problem+json", {})):
                if example["status"] != int(status):
                    wrong.append(f"{operation.id} {status}: {json.dumps(example)}")
    assert wrong == []
