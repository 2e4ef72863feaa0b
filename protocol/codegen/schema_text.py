"""Prints a SchemaFile as schema text; the inverse of parse.py."""

from versions import NONE


def field_line(entry):
    """One field as text, without indentation."""
    words = [entry.name, f"[{entry.type}]" if entry.is_array else entry.type, str(entry.versions)]
    if not entry.nullable.empty:
        words += ["null", str(entry.nullable)]
    if entry.tag is not None:
        words += ["tag", str(entry.tag), str(entry.tagged)]
    if entry.default is not None:
        words += ["default", entry.default]
    if entry.ignorable:
        words.append("ignorable")
    if entry.entity:
        words += ["entity", entry.entity]
    if entry.key:
        words.append("key")
    if entry.never_flexible:
        words += ["flexible", "none"]
    return " ".join(words)


def _body_lines(message, fields, depth):
    for entry in fields:
        yield "  " * depth + field_line(entry)
        nested = message.structs[entry.type] if entry.is_struct else None
        if nested and not nested.shared:
            yield from _body_lines(message, nested.fields, depth + 1)


def _message_lines(message, depth):
    for struct in message.structs.values():
        if struct.shared:
            yield "  " * depth + f"struct {struct.name} {struct.versions}"
            yield from _body_lines(message, struct.fields, depth + 1)
    yield from _body_lines(message, message.fields, depth)


def _ranges(message):
    return f"versions {message.versions}  flexible {message.flexible if message.flexible != NONE else 'none'}"


def schema_text(schema):
    """The whole file, ending in a newline."""
    messages = schema.messages
    if schema.kind == "api":
        unstable = f"  unstable {schema.unstable}" if schema.unstable is not None else ""
        lines = [
            f"api {schema.key} {schema.name}  {_ranges(messages[0])}{unstable}  listeners {','.join(schema.listeners)}"
        ]
        for section, message in zip(("request", "response"), messages):
            lines += [section, *_message_lines(message, 1)]
    elif schema.kind == "record":
        lines = [f"record {schema.key} {schema.name}  log {schema.log}"]
        for section, message in zip(("key", "value"), messages):
            lines += [f"{section}  {_ranges(message)}", *_message_lines(message, 1)]
    else:
        lines = [f"{schema.kind} {schema.name}  {_ranges(messages[0])}", *_message_lines(messages[0], 1)]
    return "\n".join(lines) + "\n"
