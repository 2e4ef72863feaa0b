"""Emits NN_name.cc: the codec of a schema file's messages."""

from cpp_code import BANNER, Code
from emit_read import emit_public_read, emit_read
from emit_write import emit_encode, emit_write


def emit_source(source, header, plans):
    code = Code()
    code.lines(
        BANNER.format(source=source),
        f'#include "{header}"',
        "",
        '#include "protocol/messages/field_forms.h"',
        "",
        "namespace braid::protocol {",
        "namespace {",
        "",
    )
    for plan in plans:
        emit_read(code, plan)
        emit_write(code, plan)
    code.lines("}  // namespace", "")
    for plan in plans:
        emit_public_read(code, plan)
        emit_encode(code, plan)
    code.line("}  // namespace braid::protocol")
    return code.text()
