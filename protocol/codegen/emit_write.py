"""Emits the encoding half of NN_name.cc: the size and the writing of each struct in each form."""

from model import FIXED_SIZES
from plan import ALWAYS, NEVER, guard, member, negated
from struct_form import INTEGERS, StructForm


def emit_write(code, plan):
    for struct in _needing_default(plan):
        _emit_is_default(code, plan, struct)
    for struct in plan.structs:
        for form in plan.forms(struct):
            emitter = _Fields(code, plan, struct, form)
            emitter.emit_size_function()
            emitter.emit_write_function()
    if plan.has_records():
        for struct in plan.structs:
            if plan.has_records(struct):
                _emit_external_size(code, plan, struct)


def emit_encode(code, plan):
    """The public functions."""
    flexible = guard(set(plan.message.versions), plan.message.flexible)
    forms = plan.forms(plan.root)

    def dispatch(calls, prefix):
        if len(forms) == 1:
            code.line(f"{prefix}{calls[0]};")
        else:
            code.lines(f"if ({flexible}) {prefix}{calls[1]};", f"{prefix}{calls[0]};")

    with code.block(f"std::size_t encoded_size(const {plan.name}& x, std::int16_t version)"):
        dispatch([f"size_{form}(version, x)" for form in forms], "return ")
    code.line()
    with code.block(f"void encode(const {plan.name}& x, std::int16_t version, Writer& out)"):
        dispatch([f"write_{form}(out, version, x)" for form in forms], "return ")
    code.line()
    if plan.has_records():
        with code.block(f"std::size_t external_size(const {plan.name}& x, std::int16_t version)"):
            code.line("return external(version, x);")
        code.line()


def _needing_default(plan):
    """Structs that are compared with their default as a whole: values of tagged or version-bound fields."""
    needed = set()

    def need(struct):
        if struct.name not in needed:
            needed.add(struct.name)
            for entry in struct.fields:
                if entry.is_struct and not entry.is_array and entry.default != "null":
                    need(plan.struct_of(entry))

    for struct in plan.structs:
        for entry in struct.fields:
            if entry.is_struct and not entry.is_array and entry.default != "null" and _is_compared(plan, struct, entry):
                need(plan.struct_of(entry))
    return [struct for struct in plan.structs if struct.name in needed]


def _is_compared(plan, struct, entry):
    if entry.tag is not None:
        return True
    absent_somewhere = any(plan.guard(struct, form, entry.versions) != ALWAYS for form in plan.forms(struct))
    return absent_somewhere and not entry.ignorable


def _emit_is_default(code, plan, struct):
    terms = [f"({plan.is_default(entry, 'x.' + member(entry))})" for entry in struct.fields]
    with code.block(f"bool is_default(const {plan.cpp_name(struct)}& x)"):
        code.line(f"return {' && '.join(terms)};")
    code.line()


def _emit_external_size(code, plan, struct):
    """Bytes of record batches, which a Writer with holes does not copy."""
    with code.block(f"std::size_t external([[maybe_unused]] std::int16_t version, const {plan.cpp_name(struct)}& x)"):
        code.line("std::size_t bytes = 0;")
        for entry in struct.fields:
            place = f"x.{member(entry)}"
            if entry.type == "records":
                value = f"{place}->size()" if not entry.nullable.empty else f"{place}.size()"
                condition = f"if ({place}.has_value()) " if not entry.nullable.empty else ""
                code.line(f"{condition}bytes += {value};")
            elif entry.is_struct and plan.has_records(plan.struct_of(entry)):
                if not entry.is_array or not entry.nullable.empty:
                    raise ValueError(f"{plan.message.name}.{entry.name}: records in such a struct are not supported")
                code.line(f"for (const auto& item : {place}) bytes += external(version, item);")
        code.line("return bytes;")
    code.line()


class _Fields(StructForm):
    def emit_size_function(self):
        """Fixed parts that are always there are one constant."""
        code = self._code
        fixed = 0
        rest = []
        for entry, condition in self._plan.present(self._struct, self._form):
            if condition is None and not entry.is_array and entry.type in FIXED_SIZES:
                fixed += FIXED_SIZES[entry.type]
            else:
                rest.append((entry, condition))
        unused = "[[maybe_unused]] "
        head = f"std::size_t size_{self._form}({unused}std::int16_t version, {unused}const {self._name}& x)"
        with code.block(head):
            code.line(f"std::size_t bytes = {fixed};")
            for entry, condition in rest:
                with code.guarded(condition):
                    self._emit_size(entry, "bytes", in_tag=False)
            if self._form == "flexible":
                self._emit_tags_size()
            code.line("return bytes;")
        code.line()

    def emit_write_function(self):
        code = self._code
        unused = "[[maybe_unused]] "
        head = (
            f"void write_{self._form}({unused}Writer& out, {unused}std::int16_t version, {unused}const {self._name}& x)"
        )
        with code.block(head):
            self._emit_absent_checks()
            for entry, condition in self._plan.present(self._struct, self._form):
                with code.guarded(condition):
                    self._emit_write(entry, in_tag=False)
            if self._form == "flexible":
                self._emit_tags_write()
        code.line()

    def _emit_absent_checks(self):
        for entry in self._struct.fields:
            condition = self._plan.guard(self._struct, self._form, entry.versions)
            if entry.ignorable or condition == ALWAYS:
                continue
            is_set = negated(self._plan.is_default(entry, "x." + member(entry)))
            absent = "" if condition == NEVER else f"{negated(condition)} && "
            self._code.line(f'if ({absent}{is_set}) encode_fault("{self._name}.{entry.name}");')

    # -- tags

    def _tags(self):
        """(field, name of the local that says whether it is sent)"""
        return [(entry, f"tag_{entry.tag}") for entry, _ in self._plan.tagged(self._struct)]

    def _emit_tag_flags(self):
        for entry, condition in self._plan.tagged(self._struct):
            is_set = negated(self._plan.is_default(entry, "x." + member(entry)))
            present = f"{condition} && " if condition else ""
            self._code.line(f"const bool tag_{entry.tag} = {present}{is_set};")
        total = " + ".join(f"(tag_{entry.tag} ? 1U : 0U)" for entry, _ in self._plan.tagged(self._struct))
        self._code.line(f"const std::uint32_t tags = {total};")

    def _emit_tags_size(self):
        code = self._code
        if not self._tags():
            code.line("bytes += 1;  // no tags")
            return
        self._emit_tag_flags()
        code.line("bytes += unsigned_varint_size(tags);")
        for entry, flag in self._tags():
            with code.block(f"if ({flag})"):
                code.line("std::size_t value_bytes = 0;")
                self._emit_size(entry, "value_bytes", in_tag=True)
                code.line(f"bytes += tag_size({entry.tag}, value_bytes);")

    def _emit_tags_write(self):
        code = self._code
        if not self._tags():
            code.line("out.unsigned_varint(0);  // no tags")
            return
        self._emit_tag_flags()
        code.line("out.unsigned_varint(tags);")
        for entry, flag in self._tags():
            with code.block(f"if ({flag})"):
                code.line("std::size_t value_bytes = 0;")
                self._emit_size(entry, "value_bytes", in_tag=True)
                code.line(f"write_tag(out, {entry.tag}, value_bytes);")
                self._emit_write(entry, in_tag=True)

    # -- sizes

    def _emit_size(self, entry, total, in_tag):
        place = f"x.{member(entry)}"
        form = self._field_form(entry)
        optional = not entry.nullable.empty
        if entry.is_array:
            if not optional:
                self._emit_elements_size(entry, place, total)
                return
            with self._code.block(f"if ({place}.has_value())"):
                self._emit_elements_size(entry, f"(*{place})", total)
            with self._code.block("else"):
                self._code.line(f"{total} += {form}_count_size(0);")
        elif entry.is_struct:
            self._emit_nested_size(entry, place, total, optional)
        elif entry.type in FIXED_SIZES:
            self._code.line(f"{total} += {FIXED_SIZES[entry.type]};")
        else:
            shape = "string" if entry.type == "string" else "bytes"
            self._code.line(f"{total} += {form}_{shape}_size({place});")

    def _emit_nested_size(self, entry, place, total, optional):
        if not optional:
            self._code.line(f"{total} += size_{self._form}(version, {place});")
            return
        # The presence byte is one byte in a tag too, where it is a varint.
        self._code.line(f"{total} += 1;")
        self._code.line(f"if ({place}.has_value()) {total} += size_{self._form}(version, *{place});")

    def _emit_elements_size(self, entry, place, total):
        form = self._field_form(entry)
        self._code.line(f"{total} += {form}_count_size({place}.size());")
        if entry.is_struct:
            self._code.line(f"for (const auto& item : {place}) {total} += size_{self._form}(version, item);")
        elif entry.type in FIXED_SIZES:
            self._code.line(f"{total} += {place}.size() * {FIXED_SIZES[entry.type]};")
        else:
            shape = "string" if entry.type == "string" else "bytes"
            self._code.line(f"for (const auto& item : {place}) {total} += {form}_{shape}_size(item);")

    # -- writing

    def _emit_write(self, entry, in_tag):
        place = f"x.{member(entry)}"
        optional = not entry.nullable.empty
        if entry.is_array:
            if not optional:
                self._emit_elements_write(entry, place)
                return
            with self._code.block(f"if ({place}.has_value())"):
                self._emit_elements_write(entry, f"(*{place})")
            with self._code.block("else"):
                form = self._field_form(entry)
                self._code.line(f'write_{form}_null_array(out, {self._null_allowed(entry)}, "{self._name}.{entry.name}");')
        elif entry.is_struct:
            self._emit_nested_write(entry, place, optional, in_tag)
        else:
            self._code.line(self._scalar_write(entry, place, optional))

    def _emit_nested_write(self, entry, place, optional, in_tag):
        write = f"write_{self._form}(out, version, "
        if not optional:
            self._code.line(f"{write}{place});")
            return
        if self._null_allowed(entry) != ALWAYS:
            raise ValueError(f"{self._name}.{entry.name}: a struct that is null in some versions only is not supported")
        presence = ("out.unsigned_varint(1);", "out.unsigned_varint(0);") if in_tag else ("out.i8(1);", "out.i8(-1);")
        with self._code.block(f"if ({place}.has_value())"):
            self._code.lines(presence[0], f"{write}*{place});")
        with self._code.block("else"):
            self._code.line(presence[1])

    def _emit_elements_write(self, entry, place):
        self._code.line(f"write_{self._field_form(entry)}_count(out, {place}.size());")
        if entry.is_struct:
            self._code.line(f"for (const auto& item : {place}) write_{self._form}(out, version, item);")
        else:
            self._code.line(f"for (const auto& item : {place}) {self._scalar_write(entry, 'item', False)}")

    def _scalar_write(self, entry, place, optional):
        form = self._field_form(entry)
        if entry.type in ("string", "bytes", "records"):
            if optional:
                extra = f', {self._null_allowed(entry)}, "{self._name}.{entry.name}"'
                return f"write_nullable_{form}_{entry.type}(out, {place}{extra});"
            return f"write_{form}_{entry.type}(out, {place});"
        if entry.type == "bool":
            return f"out.boolean({place});"
        if entry.type == "uuid":
            return f"out.uuid({place});"
        kind = self._plan.element_type(entry)
        if kind == "ErrorCode":
            return f"out.i16(static_cast<std::int16_t>({place}));"
        value = f"{place}.value" if entry.entity in ("producer_id", "broker_id") else place
        return f"out.{INTEGERS[entry.type]}({value});"
