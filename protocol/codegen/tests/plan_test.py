"""What the generator decides before it writes: folded guards, smallest sizes, defaults."""

import unittest

from tests.support import plan_of
from check import smallest_struct_size
from plan import ALWAYS, NEVER, guard, negated
from versions import parse_versions


class Guards(unittest.TestCase):
    def test_are_folded_where_they_are_always_or_never_true(self):
        self.assertEqual(guard({2, 3}, parse_versions("0+")), ALWAYS)
        self.assertEqual(guard({2, 3}, parse_versions("4+")), NEVER)
        self.assertEqual(guard({2, 3}, parse_versions("3+")), "version >= 3")
        self.assertEqual(guard({2, 3}, parse_versions("0-2")), "version <= 2")
        self.assertEqual(guard({1, 2, 3}, parse_versions("2")), "version >= 2 && version <= 2")

    def test_are_folded_within_the_versions_in_which_the_struct_is_met(self):
        plan = plan_of("a [s] 1-2\n  b int8 1-2\n  c int8 2")
        nested = plan.structs[0]
        self.assertEqual(plan.domain(nested, "classic"), {1})
        self.assertEqual(plan.domain(nested, "flexible"), {2})
        self.assertEqual([entry.name for entry, _ in plan.present(nested, "classic")], ["b"])
        self.assertEqual([condition for _, condition in plan.present(nested, "flexible")], [None, None])


class Negation(unittest.TestCase):
    def test_reads_as_a_person_writes_it(self):
        for condition, opposite in (
            ("version >= 3", "version < 3"), ("version <= 2", "version > 2"), ("x.a == -1", "x.a != -1"),
            ("!x.a.has_value()", "x.a.has_value()"), ("x.a.empty()", "!x.a.empty()"), ("is_default(x.a)", "!is_default(x.a)"),
            ("version >= 1 && version <= 2", "!(version >= 1 && version <= 2)"),
            ("x.a.has_value() && (*x.a).empty()", "!(x.a.has_value() && (*x.a).empty())"),
        ):
            self.assertEqual(negated(condition), opposite)


class SmallestSize(unittest.TestCase):
    def sizes(self, fields):
        message = plan_of(fields).message
        return [smallest_struct_size(message, message.fields, version) for version in message.versions]

    def test_follows_version_and_form(self):
        self.assertEqual(self.sizes("a int32 0+\nb string 1+"), [4, 6, 6, 6])
        self.assertEqual(self.sizes("a [int32] 0+"), [4, 4, 2, 2])
        self.assertEqual(self.sizes("a bytes 0+ null 0+"), [4, 4, 2, 2])
        self.assertEqual(self.sizes("a uuid 0+\nb int64 2+ tag 0 2+"), [16, 16, 17, 17])

    def test_of_a_nullable_struct_is_its_marker(self):
        self.assertEqual(self.sizes("a s 0+ null 0+\n  b int64 0+"), [1, 1, 2, 2])
        self.assertEqual(self.sizes("a s 0+\n  b int64 0+"), [8, 8, 10, 10])


class Members(unittest.TestCase):
    def declared(self, field):
        plan = plan_of(field)
        entry = plan.root.fields[0]
        return plan.member_type(entry), plan.default(entry), plan.is_default(entry, "x")

    def test_have_types_and_defaults(self):
        self.assertEqual(self.declared("a int32 0+ default -1"), ("std::int32_t", "-1", "x == -1"))
        self.assertEqual(self.declared("a bool 0+ default true"), ("bool", "true", "x"))
        self.assertEqual(self.declared("a int32 0+ entity broker_id"), ("BrokerId", "BrokerId{0}", "x.value == 0"))
        self.assertEqual(self.declared("error_code int16 0+"), ("ErrorCode", "ErrorCode::kNone", "x == ErrorCode::kNone"))
        self.assertEqual(self.declared("a string 0+"), ("std::string_view", None, "x.empty()"))
        self.assertEqual(self.declared("a [int8] 0+"), ("std::span<const std::int8_t>", None, "x.empty()"))

    def test_that_may_be_null_are_optional_and_null_only_if_that_is_the_default(self):
        self.assertEqual(
            self.declared("a string 0+ null 0+ default null"), ("std::optional<std::string_view>", None, "!x.has_value()")
        )
        self.assertEqual(
            self.declared("a string 0+ null 0+"),
            ("std::optional<std::string_view>", "std::string_view{}", "x.has_value() && (*x).empty()"),
        )


if __name__ == "__main__":
    unittest.main()
