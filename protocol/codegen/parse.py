"""Parses schema text into the model. Every error names file, line and what to write instead."""

import re

from model import ENTITY_BASES, Field, Message, SchemaFile, Struct, PRIMITIVES
from versions import NONE, parse_versions

_NAME = re.compile(r"[a-z][a-z0-9_]*")


class SchemaError(Exception):
    """A fault in a schema file, for the person who wrote it."""

    def __init__(self, path, line, message):
        super().__init__(f"{path}:{line}: {message}")


class _Line:
    """One non-empty line: its number, nesting depth and words, consumed from the left."""

    def __init__(self, path, number, text):
        self.path = path
        self.number = number
        stripped = text.lstrip(" ")
        indent = len(text) - len(stripped)
        self.words = stripped.split()
        if "\t" in text:
            raise self.error("tabs are not allowed; indent by two spaces")
        if indent % 2:
            raise self.error(f"indented by {indent} spaces; indent by two per level")
        self.depth = indent // 2

    def error(self, message):
        return SchemaError(self.path, self.number, message)

    def take(self, what):
        if not self.words:
            raise self.error(f"the line ends where {what} is expected")
        return self.words.pop(0)

    def expect(self, word):
        found = self.take(f"'{word}'")
        if found != word:
            raise self.error(f"found '{found}' where '{word}' is expected")

    def take_name(self, what):
        name = self.take(what)
        if not _NAME.fullmatch(name):
            raise self.error(f"'{name}' is no name for {what}; write lower_case words joined by '_'")
        return name

    def take_versions(self, what):
        try:
            return parse_versions(self.take(what))
        except ValueError as fault:
            raise self.error(f"{what}: {fault}") from None

    def take_integer(self, what):
        word = self.take(what)
        if not re.fullmatch(r"\d+", word):
            raise self.error(f"'{word}' is no {what}; write a decimal number")
        return int(word)

    def finish(self):
        if self.words:
            raise self.error(f"'{self.words[0]}' is not understood here; remove it")


class _Parser:
    def __init__(self, path, text):
        self._path = path
        self._lines = []
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                self._lines.append(_Line(path, number, line))

    def file(self):
        if not self._lines:
            raise SchemaError(self._path, 1, "the file is empty; start with api, record, data or header")
        head = self._take_line(0)
        kind = head.take("api, record, data or header")
        parsers = {"api": self._api, "record": self._record, "data": self._single, "header": self._single}
        if kind not in parsers:
            raise head.error(f"'{kind}' starts no schema; write api, record, data or header")
        schema = parsers[kind](kind, head)
        schema.path = self._path
        if self._lines:
            raise self._lines[0].error("nothing may follow here; indent the line or remove it")
        return schema

    def _take_line(self, depth):
        line = self._lines.pop(0)
        if line.depth != depth:
            raise line.error(f"nested {line.depth} deep where {depth} is expected")
        return line

    def _section(self, word, head):
        if not self._lines:
            raise head.error(f"the section '{word}' is missing; add it after this line")
        line = self._take_line(0)
        line.expect(word)
        return line

    def _ranges(self, line):
        line.expect("versions")
        versions = line.take_versions("versions")
        line.expect("flexible")
        return versions, line.take_versions("flexible")

    def _api(self, kind, head):
        key = head.take_integer("API key")
        name = head.take_name("the API")
        versions, flexible = self._ranges(head)
        unstable = None
        if head.words and head.words[0] == "unstable":
            head.take("unstable")
            unstable = head.take_integer("version")
        head.expect("listeners")
        listeners = tuple(head.take("listeners").split(","))
        head.finish()
        messages = []
        for section in ("request", "response"):
            line = self._section(section, head)
            line.finish()
            messages.append(self._message(f"{name}_{section}", versions, flexible, line))
        return SchemaFile(kind, name, messages, key, listeners, unstable)

    def _record(self, kind, head):
        number = head.take_integer("record type")
        name = head.take_name("the record")
        head.expect("log")
        log = head.take("the internal topic")
        head.finish()
        messages = []
        for section in ("key", "value"):
            line = self._section(section, head)
            versions, flexible = self._ranges(line)
            line.finish()
            messages.append(self._message(f"{name}_{section}", versions, flexible, line))
        return SchemaFile(kind, name, messages, number, log=log)

    def _single(self, kind, head):
        name = head.take_name(f"the {kind}")
        versions, flexible = self._ranges(head)
        head.finish()
        return SchemaFile(kind, name, [self._message(name, versions, flexible, head)])

    def _message(self, name, versions, flexible, head):
        message = Message(name, versions, flexible, [], {}, head.number)
        while self._lines and self._lines[0].depth == 1 and self._lines[0].words[0] == "struct":
            line = self._take_line(1)
            line.expect("struct")
            struct = Struct(line.take_name("the struct"), line.take_versions("versions"), [], True, line.number)
            line.finish()
            self._add_struct(message, struct, line)
            struct.fields = self._fields(message, 2)
        message.fields = self._fields(message, 1)
        return message

    def _add_struct(self, message, struct, line):
        if struct.name in message.structs:
            raise line.error(f"struct {struct.name} exists already in {message.name}; declare it once with 'struct'")
        message.structs[struct.name] = struct

    def _fields(self, message, depth):
        fields = []
        while self._lines and self._lines[0].depth >= depth:
            line = self._take_line(depth)
            entry = self._field(line)
            fields.append(entry)
            if self._lines and self._lines[0].depth > depth:
                if not entry.is_struct:
                    raise self._lines[0].error(f"{entry.name} is no struct and cannot have fields; unindent the line")
                struct = Struct(entry.type, entry.versions, [], False, line.number)
                self._add_struct(message, struct, line)
                struct.fields = self._fields(message, depth + 1)
        return fields

    def _field(self, line):
        name = line.take_name("the field")
        written = line.take("the type")
        is_array = written.startswith("[") and written.endswith("]")
        kind = written[1:-1] if is_array else written
        if kind not in PRIMITIVES and not _NAME.fullmatch(kind):
            raise line.error(f"'{written}' is no type; write a primitive, a struct's name, or [T]")
        entry = Field(name, kind, is_array, line.take_versions("versions"), line=line.number)
        while line.words:
            self._attribute(entry, line)
        return entry

    def _attribute(self, entry, line):
        word = line.take("an attribute")
        if word == "null":
            entry.nullable = line.take_versions("null")
        elif word == "tag":
            entry.tag = line.take_integer("tag")
            entry.tagged = line.take_versions("tag")
        elif word == "default":
            entry.default = line.take("the default")
        elif word == "ignorable":
            entry.ignorable = True
        elif word == "entity":
            entry.entity = line.take("the entity")
            if entry.entity not in ENTITY_BASES:
                raise line.error(f"'{entry.entity}' is no entity; write one of {', '.join(ENTITY_BASES)}")
        elif word == "key":
            entry.key = True
        elif word == "flexible":
            line.expect("none")
            entry.never_flexible = True
        else:
            raise line.error(
                f"'{word}' is no attribute; write null V, tag N V, default X, ignorable, entity E, key or flexible none"
            )


def parse(path, text):
    """The file's content as a SchemaFile, not yet checked for meaning (check.py does that)."""
    return _Parser(path, text).file()
