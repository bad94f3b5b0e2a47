"""The OpenAPI document, and what it says of a request and its answer."""

import copy
import json
import re
from dataclasses import dataclass
from functools import cached_property

import jsonschema
from server import PACKAGE

FILE = PACKAGE / "Sources/API/Resources/openapi.json"
CHECKER = jsonschema.Draft202012Validator.FORMAT_CHECKER
#: Which headers say nothing that an interface has to promise: those of HTTP itself and of the connection.
GENERAL = {
    "accept-ranges", "access-control-allow-origin", "access-control-expose-headers", "age", "allow", "alt-svc",
    "cache-control", "connection", "content-encoding", "content-length", "content-type", "date", "keep-alive",
    "last-modified", "referrer-policy", "server", "strict-transport-security", "transfer-encoding", "vary",
    "x-content-type-options",
}


@dataclass(frozen=True)
class Operation:
    document: "Document"
    id: str
    method: str
    path: str
    description: dict

    @cached_property
    def pattern(self) -> re.Pattern:
        return re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(self.path)) + "$")

    @property
    def parameters(self) -> list[dict]:
        return [self.document.resolved(each) for each in self.description.get("parameters", [])]

    @property
    def success(self) -> int:
        """The status that a right request is answered with."""
        return min(int(status) for status in self.description["responses"] if status.startswith("2"))

    def response(self, status: int) -> dict:
        return self.document.resolved(self.description["responses"][str(status)])

    def complaints(self, status: int, headers: dict[str, str], body: bytes) -> list[str]:
        """In what an answer is not as described; schemas are closed for this, so that no member goes unmentioned."""
        if str(status) not in self.description["responses"]:
            return [f"the status {status} is not described"]
        described = self.response(status)
        found = []
        fields = {name.lower(): value for name, value in headers.items()}
        known = {name.lower(): self.document.resolved(each) for name, each in described.get("headers", {}).items()}
        for name, value in fields.items():
            if name in known:
                found += self.document.errors(_number(value, known[name]["schema"]), known[name]["schema"], f"{name}: ")
            elif name not in GENERAL:
                found.append(f"the header {name} is not described")
        found += [f"the header {each} is missing" for each in {"x-request-id"} & known.keys() - fields.keys()]
        content = described.get("content")
        if not content:
            return found + ([f"there is a body of {len(body)} bytes"] if body else [])
        media = fields.get("content-type", "").split(";")[0].strip()
        described_type = content.get(media) or content.get(media.split("/")[0] + "/*")
        if described_type is None:
            return found + [f"the media type {media} is not described"]
        if is_json(media):
            found += self.document.errors(json.loads(body), self.document.closed(described_type["schema"]))
        return found


class Document:
    def __init__(self, text: str):
        self.json = json.loads(text)

    @classmethod
    def read(cls) -> "Document":
        return cls(FILE.read_text())

    @cached_property
    def operations(self) -> dict[str, Operation]:
        methods = ("get", "put", "post", "patch", "delete")
        return {
            each["operationId"]: Operation(self, each["operationId"], method.upper(), path, each)
            for path, item in self.json["paths"].items() for method, each in item.items() if method in methods}

    def operation(self, method: str, path: str) -> Operation | None:
        """The one that answers a path without its query; literal segments win over named ones."""
        found = [each for each in self.operations.values() if each.method == method and each.pattern.match(path)]
        return min(found, key=lambda each: each.path.count("{"), default=None)

    def resolved(self, node: dict) -> dict:
        while "$ref" in node:
            reference = node["$ref"]
            node = self.json
            for key in reference.removeprefix("#/").split("/"):
                node = node[key]
        return node

    def errors(self, value, schema: dict, place: str = "") -> list[str]:
        validator = jsonschema.Draft202012Validator(
            {**schema, "components": self.json["components"]}, format_checker=CHECKER)
        return [f"{place}{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(value)]

    def closed(self, schema: dict, inside: frozenset[str] = frozenset()) -> dict:
        """The schema without room for undeclared members. References are expanded, except a schema's references to
        itself, which stay open."""
        reference = schema.get("$ref")
        if reference in inside:
            return schema
        inside |= {reference} if reference else set()
        schema = copy.deepcopy(self.resolved(schema))
        for keyword in ("allOf", "anyOf", "oneOf"):
            if keyword in schema:
                # What one part of allOf does not know another may.
                schema[keyword] = [
                    self.resolved(part) if keyword == "allOf" else self.closed(part, inside) for part in schema[keyword]]
        for keyword in ("items", "additionalProperties"):
            if isinstance(schema.get(keyword), dict):
                schema[keyword] = self.closed(schema[keyword], inside)
        for name, child in schema.get("properties", {}).items():
            schema["properties"][name] = self.closed(child, inside)
        if "properties" in schema or "allOf" in schema:
            schema.setdefault("unevaluatedProperties", False)
        return schema


def is_json(media: str) -> bool:
    return media == "application/json" or media.endswith("+json")


def _number(text: str, schema: dict):
    return int(text) if schema.get("type") == "integer" and text.lstrip("-").isdigit() else text
