"""Emits what is known about all APIs and errors: api_key.h, api_table.cc, error_code.h, error_code.cc."""

from cpp_code import BANNER, Code
from facts import pascal_from_capitals
from names import pascal_case

_NEVER = "kNeverFlexible"


def emit_api_key(schemas):
    code = Code()
    code.lines(
        BANNER.format(source="protocol/schema/*"), "#pragma once", "", "#include <cstdint>", "", "namespace braid::protocol {", "",
        "/// The request types that this project has messages for.",
    )
    with code.block("enum class ApiKey : std::int16_t", "};"):
        for schema in schemas:
            code.line(f"k{pascal_case(schema.name)} = {schema.key},")
    code.lines("", "}  // namespace braid::protocol")
    return code.text()


def emit_api_table(schemas, rows):
    """`rows`: apis.tsv."""
    by_key = {row["key"]: row for row in rows}
    code = Code()
    code.lines(BANNER.format(source="protocol/schema/*"), '#include "protocol/messages/api.h"', "", "namespace braid::protocol {", "")
    with code.block("std::span<const Api> all_apis()"):
        with code.block("static constexpr Api kAll[] =", "};"):
            for schema in schemas:
                row = by_key.get(str(schema.key))
                if row is None:
                    raise ValueError(f"{schema.path}: key {schema.key} is missing in apis.tsv; add its row")
                code.line(f"{{{_api_row(schema, row)}}},")
        code.line("return kAll;")
    code.lines("", "}  // namespace braid::protocol")
    return code.text()


def _api_row(schema, row):
    message = schema.messages[0]
    stable = message.versions.last - (1 if schema.unstable is not None else 0)
    name = pascal_case(schema.name)
    fields = {
        "key": f"ApiKey::k{name}",
        "name": f'"{name}"',
        "version_min": message.versions.first,
        "version_max": stable,
        "version_max_unstable": message.versions.last,
        "flexible_from": _NEVER if message.flexible.empty else message.flexible.first,
        "on_broker": _boolean("broker" in schema.listeners),
        "on_controller": _boolean("controller" in schema.listeners),
        "cluster_action": _boolean(row["cluster_action"] == "y"),
        "forwarded_to_controller": _boolean(row["forwarded_to_controller"] == "y"),
        "throttle_time_from": _version_or_never(row["throttle_time_ms_since"]),
        "client_throttles_from": _version_or_never(row["client_throttles_since"]),
    }
    return ", ".join(f".{field} = {value}" for field, value in fields.items())


def _boolean(value):
    return "true" if value else "false"


def _version_or_never(text):
    return "kNoVersion" if text == "-" else text


def emit_error_code_header(rows):
    code = Code()
    code.lines(
        BANNER.format(source="protocol/schema/errors.tsv"), "#pragma once", "", "#include <cstdint>", "#include <string_view>", "",
        "namespace braid::protocol {", "",
        "/// Kafka's error codes. A message may carry a code that has no name here.",
    )
    with code.block("enum class ErrorCode : std::int16_t", "};"):
        for row in rows:
            code.line(f"k{pascal_from_capitals(row['name'])} = {row['code']},")
    code.lines(
        "",
        '/// Kafka\'s name, such as "NOT_LEADER_OR_FOLLOWER"; "" for a code without one.',
        "std::string_view name(ErrorCode code);",
        "/// Clients try again after it.",
        "bool is_retriable(ErrorCode code);",
        "/// Clients fetch metadata before they try again.",
        "bool refreshes_metadata(ErrorCode code);",
        "",
        "}  // namespace braid::protocol",
    )
    return code.text()


def emit_error_code_source(rows):
    code = Code()
    code.lines(
        BANNER.format(source="protocol/schema/errors.tsv"), '#include "protocol/messages/error_code.h"', "", "namespace braid::protocol {",
        "",
    )
    with code.block("std::string_view name(ErrorCode code)"):
        with code.block("switch (code)"):
            for row in rows:
                code.line(f'case ErrorCode::k{pascal_from_capitals(row["name"])}: return "{row["name"]}";')
        code.line('return "";')
    code.line()
    for function, column in (("is_retriable", "retriable"), ("refreshes_metadata", "refreshes_metadata")):
        with code.block(f"bool {function}(ErrorCode code)"):
            with code.block("switch (code)"):
                for row in rows:
                    if row[column] == "y":
                        code.line(f"case ErrorCode::k{pascal_from_capitals(row['name'])}:")
                code.line("  return true;")
                code.line("default: return false;")
        code.line()
    code.line("}  // namespace braid::protocol")
    return code.text()
