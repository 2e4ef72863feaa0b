"""Checks that a parsed schema makes sense, and computes what the generator relies on."""

import re

from model import ENTITY_BASES, FIXED_SIZES, INTEGER_RANGES
from parse import SchemaError
from versions import Versions


def check(schema):
    """Raises SchemaError for the first fault; returns the schema."""
    for message in schema.messages:
        _MessageCheck(schema.path, message).run()
    if schema.unstable is not None and schema.unstable != schema.messages[0].versions.last:
        raise SchemaError(schema.path, 1, "only the highest version can be unstable; correct 'unstable'")
    return schema


def struct_order(message):
    """The message's structs, each after those that its fields use."""
    ordered = {}

    def visit(fields):
        for entry in fields:
            if entry.is_struct and entry.type not in ordered:
                struct = message.structs[entry.type]
                visit(struct.fields)
                ordered[entry.type] = struct

    visit(message.fields)
    return list(ordered.values())


def is_flexible(message, version):
    return version in message.flexible


def smallest_element_size(message, entry, version):
    """The fewest bytes that one element (or one present value) of the field's type can take."""
    flexible = is_flexible(message, version) and not entry.never_flexible
    if entry.type in FIXED_SIZES:
        return FIXED_SIZES[entry.type]
    if entry.type == "string":
        return 1 if flexible else 2
    if not entry.is_struct:
        return 1 if flexible else 4
    return smallest_struct_size(message, message.structs[entry.type].fields, version)


def smallest_struct_size(message, fields, version):
    """The fewest bytes that a struct with these fields can take in that version."""
    flexible = is_flexible(message, version)
    size = 1 if flexible else 0  # the tag section
    for entry in fields:
        if version not in entry.versions or version in entry.tagged:
            continue
        if entry.is_array:
            size += 1 if flexible else 4
        elif entry.is_struct and version in entry.nullable:
            size += 1
        else:
            size += smallest_element_size(message, entry, version)
    return size


class _MessageCheck:
    def __init__(self, path, message):
        self._path = path
        self._message = message

    def run(self):
        message = self._message
        if message.versions.empty or message.versions.last > 100:
            raise self._error(message, "state a closed range of valid versions, such as versions 0-5")
        if not message.flexible.empty and message.flexible.first > message.versions.last:
            raise self._error(message, "no valid version is flexible; write flexible none")
        self._check_recursion(message.fields, ())
        used = {struct.name for struct in struct_order(message)}
        for struct in message.structs.values():
            if struct.name not in used:
                raise self._error(struct, f"struct {struct.name} is never used; remove it")
            self._check_fields(struct.fields, struct.versions)
        self._check_fields(message.fields, message.versions)

    def _error(self, place, message):
        return SchemaError(self._path, place.line, message)

    def _check_recursion(self, fields, above):
        for entry in fields:
            if not entry.is_struct:
                continue
            if entry.type not in self._message.structs:
                raise self._error(entry, f"'{entry.type}' is neither a primitive nor a struct of this message; declare it")
            if entry.type in above:
                raise self._error(entry, f"struct {entry.type} contains itself; nesting must have a fixed depth")
            self._check_recursion(self._message.structs[entry.type].fields, above + (entry.type,))

    def _check_fields(self, fields, outer):
        names, tags = set(), set()
        for entry in fields:
            if entry.name in names:
                raise self._error(entry, f"field {entry.name} exists already in this struct; rename one")
            names.add(entry.name)
            self._check_versions(entry, outer)
            if entry.tag is not None:
                self._check_tag(entry, tags)
            self._check_default(entry)
            if entry.entity and ENTITY_BASES[entry.entity] != entry.type:
                raise self._error(entry, f"entity {entry.entity} needs type {ENTITY_BASES[entry.entity]}")
            if entry.is_array:
                self._check_element_size(entry)

    def _check_versions(self, entry, outer):
        if entry.versions.empty:
            raise self._error(entry, f"{entry.name} exists in no version; remove it")
        valid = self._message.versions
        if not outer.covers(entry.versions & Versions(0, max(valid.last, outer.last))):
            raise self._error(entry, f"versions {entry.versions} reach beyond {outer} around it; narrow them")
        if not entry.versions.covers(entry.nullable):
            raise self._error(entry, f"null {entry.nullable} reaches beyond versions {entry.versions}; narrow it")
        nullable_type = entry.is_array or entry.is_struct or entry.type in ("string", "bytes", "records")
        if not entry.nullable.empty and not nullable_type:
            raise self._error(entry, f"a {entry.type} cannot be null; remove 'null'")

    def _check_tag(self, entry, tags):
        if entry.tag in tags:
            raise self._error(entry, f"tag {entry.tag} exists already in this struct; take the next free one")
        tags.add(entry.tag)
        if entry.tagged != entry.versions:
            raise self._error(entry, f"tag {entry.tag} must cover all versions of the field ({entry.versions})")
        if not self._message.flexible.covers(entry.tagged):
            raise self._error(entry, f"tag {entry.tag} reaches below the flexible versions; narrow it")

    def _check_default(self, entry):
        if entry.default is None:
            return
        if entry.default == "null":
            if entry.nullable.empty:
                raise self._error(entry, "default null needs 'null V'; add it or remove the default")
        elif entry.is_array or entry.type not in (*INTEGER_RANGES, "bool", "float64"):
            raise self._error(entry, f"a {entry.type} can only default to null; remove the default")
        elif entry.type == "bool":
            if entry.default != "true":
                raise self._error(entry, "a bool defaults to false; write default true or nothing")
        elif entry.type in INTEGER_RANGES:
            low, high = INTEGER_RANGES[entry.type]
            if not re.fullmatch(r"-?\d+", entry.default) or not low <= int(entry.default) <= high:
                raise self._error(entry, f"default {entry.default} is no {entry.type}; write a decimal number in range")

    def _check_element_size(self, entry):
        for version in entry.versions & self._message.versions:
            if smallest_element_size(self._message, entry, version) == 0:
                raise self._error(entry, f"an element of {entry.name} can have 0 bytes in version {version}; "
                                         "such an array has no bound, give the struct a field")
