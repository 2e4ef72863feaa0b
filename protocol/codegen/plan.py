"""What the emitters of one message share: its C++ names, and in which versions and form each struct is met."""

import re

from check import struct_order
from model import Struct
from names import member_name, pascal_case

FORMS = ("classic", "flexible")

_SCALARS = {
    "bool": "bool",
    "int8": "std::int8_t",
    "int16": "std::int16_t",
    "uint16": "std::uint16_t",
    "int32": "std::int32_t",
    "int64": "std::int64_t",
    "float64": "double",
    "uuid": "Uuid",
    "string": "std::string_view",
    "bytes": "ByteView",
    "records": "ByteView",
}
_ENTITIES = {"producer_id": "ProducerId", "broker_id": "BrokerId"}

ALWAYS, NEVER = "true", "false"


def guard(domain, versions):
    """The C++ condition for `version` to be in `versions`, given that it is in `domain`; may be ALWAYS or NEVER."""
    inside = {version for version in domain if version in versions}
    if inside == set(domain):
        return ALWAYS
    if not inside:
        return NEVER
    terms = []
    if versions.first > min(domain):
        terms.append(f"version >= {versions.first}")
    if versions.last < max(domain):
        terms.append(f"version <= {versions.last}")
    return " && ".join(terms)


_OPPOSITES = {">=": "<", "<=": ">", "==": "!="}


def negated(condition):
    """The opposite of a C++ condition, as a person would write it."""
    if "&&" in condition:
        return f"!({condition})"
    comparison = re.fullmatch(r"(\S+) (>=|<=|==) (.+)", condition)
    if comparison:
        return f"{comparison[1]} {_OPPOSITES[comparison[2]]} {comparison[3]}"
    return condition[1:] if condition.startswith("!") else f"!{condition}"


def is_error_code(entry):
    """Kafka's definitions have no type for error codes; the name tells."""
    return entry.type == "int16" and (entry.name == "error_code" or entry.name.endswith("_error_code"))


class Plan:
    """One message. `structs` are its nested ones in order of definition and then the message itself."""

    def __init__(self, kind, message):
        self.message = message
        # Kafka's own word for such a class; protocol/records has types of its own by the plain names.
        self.name = pascal_case(message.name) + ("Data" if kind == "data" else "")
        self.root = Struct(message.name, message.versions, message.fields)
        self.structs = [*struct_order(message), self.root]
        self._domains = {(struct.name, form): set() for struct in self.structs for form in FORMS}
        for form in FORMS:
            wanted = form == "flexible"
            versions = {v for v in message.versions if (v in message.flexible) == wanted}
            self._reach(self.root, form, versions)

    def _reach(self, struct, form, versions):
        self._domains[struct.name, form] |= versions
        for entry in struct.fields:
            if entry.is_struct:
                nested = self.message.structs[entry.type]
                self._reach(nested, form, {version for version in versions if version in entry.versions})

    def domain(self, struct, form):
        """The versions in which that struct is met in that form."""
        return self._domains[struct.name, form]

    def forms(self, struct):
        return [form for form in FORMS if self.domain(struct, form)]

    def struct_of(self, entry):
        return self.message.structs[entry.type]

    def cpp_name(self, struct):
        """At namespace level: a nested class with member initialisers cannot be used inside the class around it."""
        return self.name if struct is self.root else self.name + pascal_case(struct.name)

    def element_type(self, entry):
        if entry.is_struct:
            return self.cpp_name(self.struct_of(entry))
        if entry.entity in _ENTITIES:
            return _ENTITIES[entry.entity]
        return "ErrorCode" if is_error_code(entry) else _SCALARS[entry.type]

    def member_type(self, entry):
        inner = self.element_type(entry)
        if entry.is_array:
            inner = f"std::span<const {inner}>"
        return f"std::optional<{inner}>" if not entry.nullable.empty else inner

    def default(self, entry):
        """The member's initialiser, or None where the type's own is right."""
        optional = not entry.nullable.empty
        if entry.default == "null":
            return None
        if optional:
            return f"{self.member_type(entry).removeprefix('std::optional<')[:-1]}{{}}"
        if entry.is_array or entry.is_struct or entry.type in ("uuid", "string", "bytes", "records"):
            return None
        kind = self.element_type(entry)
        if kind == "bool":
            return entry.default or "false"
        if kind == "double":
            return entry.default or "0.0"
        value = integer_literal(entry)
        if kind == "ErrorCode":
            return "ErrorCode::kNone" if value == "0" else f"static_cast<ErrorCode>({value})"
        return f"{kind}{{{value}}}" if entry.entity in _ENTITIES else value

    def is_default(self, entry, place):
        """A C++ expression: does `place` hold the field's default?"""
        if entry.default == "null":
            return f"!{place}.has_value()"
        if not entry.nullable.empty:
            return f"{place}.has_value() && {self._value_is_default(entry, f'(*{place})')}"
        return self._value_is_default(entry, place)

    def _value_is_default(self, entry, place):
        if entry.is_array or entry.type in ("string", "bytes", "records"):
            return f"{place}.empty()"
        if entry.is_struct:
            return f"is_default({place})"
        if entry.type == "uuid":
            return f"{place}.unset()"
        if entry.type == "bool":
            return place if entry.default == "true" else f"!{place}"
        if entry.entity in _ENTITIES:
            return f"{place}.value == {integer_literal(entry)}"
        return f"{place} == {self.default(entry)}"

    def guard(self, struct, form, versions):
        return guard(self.domain(struct, form), versions)

    def present(self, struct, form):
        """(field, condition or None) for the untagged fields met in that form, in order on the wire."""
        for entry in struct.fields:
            condition = self.guard(struct, form, entry.versions)
            if entry.tag is None and condition != NEVER:
                yield entry, None if condition == ALWAYS else condition

    def tagged(self, struct):
        """(field, condition or None) for the tagged fields of the flexible form, by rising tag."""
        found = []
        for entry in struct.fields:
            condition = self.guard(struct, "flexible", entry.versions)
            if entry.tag is not None and condition != NEVER:
                found.append((entry, None if condition == ALWAYS else condition))
        return sorted(found, key=lambda pair: pair[0].tag)

    def has_records(self, struct=None):
        """Does the struct (the message, by default) hold record batches at any depth?"""
        fields = (struct or self.root).fields
        return any(e.type == "records" or (e.is_struct and self.has_records(self.struct_of(e))) for e in fields)


def integer_literal(entry):
    value = int(entry.default or "0")
    return "(-9223372036854775807 - 1)" if value == -(2**63) else str(value)


def member(entry):
    return member_name(entry.name)
