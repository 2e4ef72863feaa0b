"""Emits NN_name_json.cc: the messages as JSON text, and their entries in the registry. For tests and tools only."""

from cpp_code import BANNER, Code
from plan import guard, member


def entry_name(plan):
    """The registry entry's C++ name."""
    return f"kRegistered{plan.name}"


def emit_json(source, header, schema, plans):
    code = Code()
    code.lines(
        BANNER.format(source=source),
        f'#include "{header}"',
        "",
        '#include "protocol/messages/json_text.h"',
        '#include "protocol/messages/registry.h"',
        "",
        "namespace braid::protocol {",
        "namespace {",
        "",
    )
    for plan in plans:
        for struct in plan.structs:
            _emit_is_default(code, plan, struct)
            _emit_struct(code, plan, struct)
    code.lines("}  // namespace", "")
    kinds = {"api": ("kRequest", "kResponse"), "record": ("kData", "kData"), "data": ("kData",), "header": ("kHeader",)}
    for plan, kind in zip(plans, kinds[schema.kind]):
        key = schema.key if schema.kind == "api" else -1
        code.line(f"extern const RegisteredMessage {entry_name(plan)};")
        code.line(
            f"constinit const RegisteredMessage {entry_name(plan)} = "
            f'register_message<{plan.name}>("{plan.message.name}", MessageKind::{kind}, {key}, '
            f"[](const {plan.name}& x, std::int16_t version, JsonText& out) {{ to_json(x, version, out); }});"
        )
    code.line("}  // namespace braid::protocol")
    return code.text()


def emit_registry(plans):
    code = Code()
    code.lines(BANNER.format(source="protocol/schema/*"), '#include "protocol/messages/registry.h"', "", "namespace braid::protocol {", "")
    for plan in plans:
        code.line(f"extern const RegisteredMessage {entry_name(plan)};")
    code.line()
    with code.block("std::span<const RegisteredMessage* const> registered_messages()"):
        with code.block("static constexpr const RegisteredMessage* kAll[] =", "};"):
            for plan in plans:
                code.line(f"&{entry_name(plan)},")
        code.line("return kAll;")
    code.lines("", "}  // namespace braid::protocol")
    return code.text()


def _emit_struct(code, plan, struct):
    domain = set().union(*(plan.domain(struct, form) for form in plan.forms(struct)))
    unused = "[[maybe_unused]] "
    with code.block(f"void to_json({unused}const {plan.cpp_name(struct)}& x, {unused}std::int16_t version, JsonText& out)"):
        code.line("out.begin_object();")
        for entry in struct.fields:
            conditions = []
            present = guard(domain, entry.versions)
            if present == "false":
                continue
            if present != "true":
                conditions.append(present)
            if entry.tag is not None:  # like Kafka's own JSON, which leaves out tags that are not sent
                conditions.append(f"!({plan.is_default(entry, 'x.' + member(entry))})")
            with code.guarded(" && ".join(conditions) or None):
                code.line(f'out.key("{entry.name}");')
                _emit_value(code, entry)
        code.line("out.end_object();")
    code.line()


def _emit_is_default(code, plan, struct):
    terms = [f"({plan.is_default(entry, 'x.' + member(entry))})" for entry in struct.fields]
    with code.block(f"[[maybe_unused]] bool is_default([[maybe_unused]] const {plan.cpp_name(struct)}& x)"):
        code.line(f"return {' && '.join(terms) or 'true'};")
    code.line()


def _emit_value(code, entry):
    place = f"x.{member(entry)}"
    if entry.nullable.empty:
        _emit_present(code, entry, place)
        return
    with code.block(f"if ({place}.has_value())"):
        _emit_present(code, entry, f"(*{place})")
    with code.block("else"):
        code.line("out.null();")


def _emit_present(code, entry, place):
    value = "to_json({}, version, out);" if entry.is_struct else "out.value({});"
    if entry.is_array:
        code.line("out.begin_array();")
        code.line(f"for (const auto& item : {place}) {value.format('item')}")
        code.line("out.end_array();")
    else:
        code.line(value.format(place))
