"""Checks the messages to Home Assistant with its own MQTT schemas: home_assistant.py MESSAGES.

MESSAGES are lines printed by `mosquitto_sub -v`. Those of device discovery are checked. Runs with the package
homeassistant (Python 3.13, `pip install --no-deps homeassistant==2025.4.4`) and voluptuous, voluptuous-serialize,
voluptuous-openapi==0.0.6, aiohttp, aiohttp-cors, awesomeversion==24.6.0, Jinja2, orjson, PyYAML, python-slugify,
ciso8601, ulid-transform, lru-dict, fnv-hash-fast, httpx, aiozoneinfo, cronsim, async-interrupt, annotatedyaml,
bcrypt, PyJWT, SQLAlchemy, paho-mqtt, webrtc-models, ifaddr. Other modules are replaced by empty ones, since no schema
needs them.
"""

import importlib
import importlib.abc
import importlib.machinery
import json
import pathlib
import sys
from unittest.mock import MagicMock


class Nothing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports an empty module in place of a missing one. As the last finder it is asked only about missing modules."""

    def find_spec(self, name, path=None, target=None):
        return None if name.startswith("homeassistant") else importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__, module.__spec__, module.__name__ = [], spec, spec.name
        return module

    def exec_module(self, module):
        pass


sys.meta_path.append(Nothing())

import voluptuous  # noqa: E402
from homeassistant.components.mqtt import discovery, schemas  # noqa: E402
from homeassistant.const import __version__  # noqa: E402
from homeassistant.helpers import frame  # noqa: E402

# The code reports to a running Home Assistant, but none runs.
frame.report_usage = lambda *_, **__: None


def component(platform: str):
    return importlib.import_module(f"homeassistant.components.mqtt.{platform}").DISCOVERY_SCHEMA


def hold(payload: dict) -> int:
    discovery._replace_all_abbreviations(payload)
    schemas.DEVICE_DISCOVERY_SCHEMA(payload)
    shared = {key: payload[key] for key in discovery.SHARED_OPTIONS if key in payload}
    told = 0
    for name, entity in payload["components"].items():
        platform = entity.pop("platform")
        # An entity without other fields is removed.
        if entity:
            component(platform)({**shared, "device": payload["device"], "origin": payload["origin"], **entity})
            told += 1
            print(f"ok    {platform}.{name}")
    return told


def main():
    try:
        component("binary_sensor")({"unique_id": "x", "state_topic": "a/#/b"})
        sys.exit("FAIL  the schemas refuse nothing")
    except voluptuous.Invalid:
        pass
    lines = [line.split(" ", 1) for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]
    payloads = [text for topic, text in lines if topic.startswith("homeassistant/device/") and text != "(null)"]
    assert payloads, "nothing was told"
    told = max(hold(json.loads(payload)) for payload in payloads)
    print(f"{len(payloads)} messages, {told} entities: Home Assistant {__version__} takes them")


main()
