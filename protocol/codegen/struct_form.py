"""One struct in one of its forms: what the reading and the writing half both ask while they emit its fields."""

from plan import guard

INTEGERS = {"int8": "i8", "int16": "i16", "uint16": "u16", "int32": "i32", "int64": "i64", "float64": "f64"}


class StructForm:
    def __init__(self, code, plan, struct, form):
        self._code = code
        self._plan = plan
        self._struct = struct
        self._form = form
        self._name = plan.cpp_name(struct)

    def _domain(self, entry):
        """The versions in which a field of this form exists."""
        return {v for v in self._plan.domain(self._struct, self._form) if v in entry.versions}

    def _null_allowed(self, entry):
        return guard(self._domain(entry), entry.nullable)

    def _field_form(self, entry):
        return "classic" if entry.never_flexible else self._form
