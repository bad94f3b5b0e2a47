"""What the service tells Home Assistant, as Home Assistant's own code reads it: discovery.py PAYLOADS.

PAYLOADS has a line for each message, `topic payload`, as evening.py writes them. Needs `homeassistant` 2024.11 or later and
paho-mqtt, and so Python 3.12 or later.
"""

import json
import pathlib
import sys

from homeassistant.components.mqtt import binary_sensor, event, image, sensor
from homeassistant.components.mqtt.const import SUPPORTED_COMPONENTS
from homeassistant.components.mqtt.discovery import MQTTDiscoveryPayload, _replace_all_abbreviations
from homeassistant.components.mqtt.schemas import DEVICE_DISCOVERY_SCHEMA, MQTT_ORIGIN_INFO_SCHEMA

PLATFORMS = {"sensor": sensor, "binary_sensor": binary_sensor, "image": image, "event": event}
# What Home Assistant hands down from the device to each component.
SHARED = ("device", "origin", "availability_topic", "qos", "encoding", "command_topic", "state_topic")

checked, removed = 0, 0
for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    topic, payload = line.split(" ", 1)
    if payload == "(null)":
        continue
    discovery = MQTTDiscoveryPayload(json.loads(payload))
    _replace_all_abbreviations(discovery, component_only=False)
    for component in discovery["components"].values():
        _replace_all_abbreviations(component, component_only=True)
    known = DEVICE_DISCOVERY_SCHEMA(discovery)
    MQTT_ORIGIN_INFO_SCHEMA(known["origin"])
    for component in known["components"].values():
        platform = component["platform"]
        assert platform in SUPPORTED_COMPONENTS, platform
        if len(component) == 1:
            removed += 1
            continue
        one = {**{name: known[name] for name in SHARED if name in known}, **component}
        one.pop("platform")
        PLATFORMS[platform].DISCOVERY_SCHEMA(one)
        checked += 1
print(f"Home Assistant takes {checked} entities and {removed} removals.")
assert checked > 0
