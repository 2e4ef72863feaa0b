"""Emits the decoding half of NN_name.cc: one straight-line function per struct and form."""

from check import smallest_element_size
from plan import ALWAYS, guard, member
from struct_form import INTEGERS, StructForm


def emit_read(code, plan):
    for struct in plan.structs:
        for form in plan.forms(struct):
            _emit_struct(code, plan, struct, form)


def emit_public_read(code, plan):
    """The public function."""
    message = plan.message
    flexible = guard(set(message.versions), message.flexible)
    forms = plan.forms(plan.root)
    with code.block(f"void read(Reader& in, std::int16_t version, Arena& arena, {plan.name}& out)"):
        calls = [f"read_{form}(in, version, arena, out);" for form in forms]
        if len(forms) == 1:
            code.line(calls[0])
        else:
            code.lines(f"if ({flexible})", f"  {calls[1]}", "else", f"  {calls[0]}")
    code.line()


def _emit_struct(code, plan, struct, form):
    # An unused parameter is a warning, and warnings are errors: a classic struct may have nothing to read.
    x_unused = "" if struct.fields and (list(plan.present(struct, form)) or plan.tagged(struct)) else "[[maybe_unused]] "
    in_unused = "" if form == "flexible" or list(plan.present(struct, form)) else "[[maybe_unused]] "
    head = (
        f"void read_{form}({in_unused}Reader& in, [[maybe_unused]] std::int16_t version, [[maybe_unused]] Arena& arena, "
        f"{x_unused}{plan.cpp_name(struct)}& x)"
    )
    emitter = _Fields(code, plan, struct, form)
    with code.block(head):
        for entry, condition in plan.present(struct, form):
            with code.guarded(condition):
                emitter.emit(entry, in_tag=False)
        if form == "flexible":
            _emit_tags(code, plan, struct, emitter)
    code.line()


def _emit_tags(code, plan, struct, emitter):
    tagged = plan.tagged(struct)
    if not tagged:
        code.line("skip_tags(in);")
        return
    with code.block("for (std::uint32_t left = tag_count(in); left > 0 && in.ok(); --left)"):
        code.line("const TaggedField tagged = begin_tag(in);")
        with code.block("switch (tagged.tag)"):
            for entry, condition in tagged:
                with code.block(f"case {entry.tag}:"):
                    if condition:
                        code.line(f"if (!({condition})) in.fail();  // like Kafka: a tag of another version")
                    emitter.emit(entry, in_tag=True)
                    code.line("break;")
            code.line("default: in.skip(tagged.size_bytes);")
        code.line("end_tag(in, tagged);")


class _Fields(StructForm):
    def emit(self, entry, in_tag):
        place = f"x.{member(entry)}"
        if entry.is_array:
            self._emit_array(entry, place)
        elif entry.is_struct:
            self._emit_nested(entry, place, in_tag)
        else:
            self._code.line(f"{place} = {self._scalar(entry)};")

    def _scalar(self, entry, element=False):
        kind = self._plan.element_type(entry)
        if entry.type in ("string", "bytes", "records"):
            shape = "string" if entry.type == "string" else "bytes"
            call = f"{self._field_form(entry)}_{shape}(in"
            if element or entry.nullable.empty:
                return f"{call})"
            return f"nullable_{call}, {self._null_allowed(entry)})"
        if entry.type == "bool":
            return "in.boolean()"
        if entry.type == "uuid":
            return "in.uuid()"
        raw = f"in.{INTEGERS[entry.type]}()"
        if kind == "ErrorCode":
            return f"static_cast<ErrorCode>({raw})"
        return f"{kind}{{{raw}}}" if entry.entity in ("producer_id", "broker_id") else raw

    def _emit_nested(self, entry, place, in_tag):
        read = f"read_{self._form}(in, version, arena, "
        if entry.nullable.empty:
            if in_tag:
                self._code.line(f"{place} = {{}};")  # a repeated tag replaces the earlier one
            self._code.line(f"{read}{place});")
            return
        absent = "static_cast<std::int32_t>(in.unsigned_varint()) <= 0" if in_tag else "in.i8() < 0"
        with self._code.block(f"if ({absent})"):
            self._code.line(f"{place} = std::nullopt;")
            if self._null_allowed(entry) != ALWAYS:
                self._code.line(f"if (!({self._null_allowed(entry)})) in.fail();")
        with self._code.block("else"):
            self._code.line(f"{read}{place}.emplace());")

    def _smallest(self, entry):
        """The smallest element size as a C++ expression over `version`."""
        by_version = {v: smallest_element_size(self._plan.message, entry, v) for v in sorted(self._domain(entry))}
        expression, previous = "", None
        for version, size in by_version.items():
            if previous is None:
                expression = str(size)
            elif size != previous:
                expression = f"version >= {version} ? {size} : {expression}"
            previous = size
        return expression

    def _emit_array(self, entry, place):
        count = f"{self._field_form(entry)}_count(in, {self._smallest(entry)}"
        if entry.nullable.empty:
            with self._code.block(""):
                self._emit_elements(entry, place, f"{count})")
            return
        with self._code.block(f"if (const auto count = nullable_{count}, {self._null_allowed(entry)}))"):
            self._emit_elements(entry, place, "*count")
        with self._code.block("else"):
            self._code.line(f"{place} = std::nullopt;")

    def _emit_elements(self, entry, place, count):
        kind = self._plan.element_type(entry)
        self._code.line(f"const std::span<{kind}> items = new_array<{kind}>(in, arena, {count});")
        if entry.is_struct:
            self._code.line(f"for ({kind}& item : items) read_{self._form}(in, version, arena, item);")
        else:
            self._code.line(f"for ({kind}& item : items) item = {self._scalar(entry, element=True)};")
        self._code.line(f"{place} = items;")
