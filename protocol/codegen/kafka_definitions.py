"""Reads Kafka's message definitions (JSON inside a jar) into the model: facts only, descriptions are dropped."""

import json
import re
import zipfile

from model import ENTITY_BASES, PRIMITIVES, Field, Message, Struct
from names import snake_case
from versions import ALL, FOREVER, NONE, Versions, parse_versions

_ENTITIES = {
    "topicName": "topic",
    "groupId": "group",
    "transactionalId": "transactional_id",
    "producerId": "producer_id",
    "brokerId": "broker_id",
}
_ZERO_DEFAULTS = {"", "0", "false", "0.0"}


def load_definitions(jar_path):
    """Every definition of the jar as a dictionary, by name."""
    definitions = {}
    with zipfile.ZipFile(jar_path) as jar:
        for entry in sorted(jar.namelist()):
            if entry.startswith("common/message/") and entry.endswith(".json"):
                text = jar.read(entry).decode("utf-8")
                definition = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
                definitions[definition["name"]] = definition
    return definitions


def is_removed(definition):
    return definition["validVersions"] == "none"


def _default(spec, kind, is_array, nullable):
    """The default as schema text has it: None for zero or empty. A JSON null states nothing, the word "null" does."""
    value = spec.get("default")
    if value is None:
        return "null" if kind == "records" and not nullable.empty else None
    text = str(value).lower() if isinstance(value, bool) or str(value) in ("False", "True") else str(value)
    if text == "null":
        return "null"
    if kind in ("string", "bytes") or is_array or kind not in PRIMITIVES:
        if text:
            raise ValueError(f"{spec['name']}: default '{text}' of type {spec['type']} is not understood")
        return None
    if kind.startswith(("int", "uint")):
        text = str(int(text, 0))
    return None if text in _ZERO_DEFAULTS else text


class MessageReader:
    """Turns one JSON definition into a Message."""

    def __init__(self, definition):
        self._definition = definition
        self._valid = parse_versions(definition["validVersions"])
        self._structs = {}
        self._shared = {struct["name"]: struct for struct in definition.get("commonStructs", [])}

    def message(self):
        definition = self._definition
        flexible = parse_versions(definition["flexibleVersions"]) & Versions(0, FOREVER)
        if not flexible.empty:
            flexible = Versions(max(flexible.first, self._valid.first), FOREVER)
        for name, struct in self._shared.items():
            versions = self._clip(parse_versions(struct["versions"]), ALL)
            fields = self._fields(struct["fields"], versions)
            self._add_struct(Struct(self._struct_name(name), versions, fields, shared=True))
        fields = self._fields(definition["fields"], ALL)
        return Message(snake_case(definition["name"]), self._valid, flexible, fields, self._structs)

    def _clip(self, versions, outer):
        """`versions` within `outer` and the valid range. An end at or beyond the newest version stays open."""
        inside = versions & outer & self._valid
        if inside.empty:
            return NONE
        return Versions(inside.first, min(versions.last, outer.last))

    def _struct_name(self, name):
        """The struct's own name, without the message's name in front of it."""
        prefix = self._definition["name"]
        known = set(self._shared) | set(_nested_type_names(self._definition["fields"]))
        short = name[len(prefix) :]
        if name.startswith(prefix) and short[:1].isupper() and short not in known:
            return snake_case(short)
        return snake_case(name)

    def _add_struct(self, struct):
        known = self._structs.get(struct.name)
        if known and known != struct:
            raise ValueError(f"{self._definition['name']}: two different structs are called {struct.name}")
        self._structs[struct.name] = struct

    def _fields(self, specs, outer):
        fields = (self._field(spec, outer) for spec in specs)
        return [entry for entry in fields if entry is not None]

    def _field(self, spec, outer):
        tagged = parse_versions(spec["taggedVersions"]) if "tag" in spec else NONE
        # A tagged field may leave `versions` out: it then exists where it is tagged.
        stated = parse_versions(spec["versions"]) if "versions" in spec else tagged
        versions = self._clip(stated, outer)
        if versions.empty:
            return None
        is_array = spec["type"].startswith("[]")
        kind = spec["type"].removeprefix("[]")
        if kind not in PRIMITIVES:
            kind = self._struct(kind, spec, versions)
        entity = _ENTITIES[spec["entityType"]] if "entityType" in spec else None
        if entity and ENTITY_BASES[entity] != kind:
            raise ValueError(f"{spec['name']}: entity {entity} has type {kind}")
        nullable = self._clip(parse_versions(spec.get("nullableVersions", "none")), versions)
        return Field(
            name=snake_case(spec["name"]),
            type=kind,
            is_array=is_array,
            versions=versions,
            nullable=nullable,
            tag=spec.get("tag"),
            tagged=self._clip(tagged, versions),
            default=_default(spec, kind, is_array, nullable),
            ignorable=bool(spec.get("ignorable", False)),
            entity=entity,
            key=bool(spec.get("mapKey", False)),
            never_flexible=spec.get("flexibleVersions") == "none",
        )

    def _struct(self, type_name, spec, versions):
        name = self._struct_name(type_name)
        if type_name not in self._shared:
            if "fields" not in spec:
                raise ValueError(f"{self._definition['name']}.{spec['name']}: no fields and no common struct {type_name}")
            self._add_struct(Struct(name, versions, self._fields(spec["fields"], versions)))
        return name


def _nested_type_names(specs):
    for spec in specs:
        if "fields" in spec:
            yield spec["type"].removeprefix("[]")
            yield from _nested_type_names(spec["fields"])
