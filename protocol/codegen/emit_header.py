"""Emits NN_name.h: the structs of a schema file's messages and the declarations of their codec.

These headers are included more than any other, so they include little: the compiler's time for a message is mostly headers.
"""

from cpp_code import BANNER, Code
from names import pascal_case
from plan import member

_INCLUDES = """#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"
#include "protocol/messages/entity.h"
#include "protocol/messages/error_code.h"
"""


def emit_header(source, schema, plans):
    code = Code()
    code.line(BANNER.format(source=source))
    code.lines(*_INCLUDES.splitlines(), "", "namespace braid::protocol {", "", "class Arena;", "class Reader;", "class Writer;", "")
    for plan in plans:
        for struct in plan.structs:
            _emit_struct(code, schema, plan, struct)
        _emit_declarations(code, plan)
    code.line("}  // namespace braid::protocol")
    return code.text()


def _emit_struct(code, schema, plan, struct):
    is_root = struct is plan.root
    if is_root and schema.kind == "api":
        code.line(f"/// API key {schema.key}, versions {plan.message.versions}, flexible {plan.message.flexible}.")
    elif is_root:
        code.line(f"/// Versions {plan.message.versions}, flexible {plan.message.flexible}.")
    with code.block(f"struct {plan.cpp_name(struct)}", "};"):
        if is_root:
            for nested in plan.structs[:-1]:
                code.line(f"using {pascal_case(nested.name)} = {plan.cpp_name(nested)};")
            if len(plan.structs) > 1:
                code.line()
            if schema.kind == "api":
                code.line(f"static constexpr std::int16_t kApiKey = {schema.key};")
            code.lines(
                f"static constexpr std::int16_t kVersionMin = {plan.message.versions.first};",
                f"static constexpr std::int16_t kVersionMax = {plan.message.versions.last};",
            )
            if struct.fields:
                code.line()
        for entry in struct.fields:
            default = plan.default(entry)
            default = "{}" if default is None else f" = {default}"
            versions = str(entry.versions)
            code.line(f"{plan.member_type(entry)} {member(entry)}{default};  // {versions}")
    code.line()


def _emit_declarations(code, plan):
    code.lines(
        f"void read(Reader& in, std::int16_t version, Arena& arena, {plan.name}& out);",
        f"std::size_t encoded_size(const {plan.name}& x, std::int16_t version);",
    )
    if plan.has_records():
        code.line(f"std::size_t external_size(const {plan.name}& x, std::int16_t version);")
    code.line(f"void encode(const {plan.name}& x, std::int16_t version, Writer& out);")
    code.line()
