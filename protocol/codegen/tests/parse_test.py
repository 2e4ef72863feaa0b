"""Schema text: what is understood, and what a mistake is answered with."""

import unittest

from tests.support import SCHEMA_FOLDER, data_of, schema_of
from check import check
from parse import SchemaError, parse
from schema_text import schema_text


class RoundTrip(unittest.TestCase):
    def test_every_schema_file_prints_as_it_is_written(self):
        paths = sorted(SCHEMA_FOLDER.glob("*.schema"))
        self.assertGreater(len(paths), 100)
        for path in paths:
            text = path.read_text(encoding="utf-8")
            facts = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
            self.assertEqual(schema_text(check(parse(str(path), text))), facts, path.name)

    def test_comments_and_blank_lines_change_nothing(self):
        plain = data_of("a int32 0+")
        self.assertEqual(data_of("# ours\n\na int32 0+\n# more"), plain)


class Mistakes(unittest.TestCase):
    """Each is told with file, line, and what to do."""

    def check_error(self, text, line, *parts):
        with self.assertRaises(SchemaError) as caught:
            schema_of(text)
        message = str(caught.exception)
        self.assertTrue(message.startswith(f"x.schema:{line}: "), message)
        for part in parts:
            self.assertIn(part, message)

    def check_field(self, field, *parts):
        self.check_error(f"data thing  versions 0-3  flexible 2+\n  {field}\n", 2, *parts)

    def test_in_the_head(self):
        self.check_error("\n", 1, "empty", "api, record, data or header")
        self.check_error("table 3\n", 1, "'table'", "write api")
        self.check_error("api x metadata\n", 1, "'x'", "decimal number")
        self.check_error("api 3 metadata  versions 0-1  flexible none\n", 1, "the line ends", "listeners")
        self.check_error("data thing  version 0  flexible none\n  a int8 0\n", 1, "'version'", "'versions'")
        self.check_error("data thing  versions 0+  flexible none\n  a int8 0\n", 1, "closed range")
        self.check_error("data thing  versions 0-1  flexible 5+\n  a int8 0\n", 1, "flexible none")

    def test_in_the_sections(self):
        head = "api 3 metadata  versions 0-1  flexible none  listeners broker\n"
        self.check_error(head + "request\n  a int8 0+\n", 1, "'response'", "add it")
        self.check_error(head + "answer\n", 2, "'answer'", "'request'")
        self.check_error(head + "request\nresponse\nmore\n", 4, "nothing may follow")

    def test_in_the_indentation(self):
        self.check_field(" a int8 0+", "3 spaces", "two per level")
        self.check_error("data thing  versions 0  flexible none\n\ta int8 0\n", 2, "tabs")
        self.check_error("data thing  versions 0  flexible none\n  a int8 0\n    b int8 0\n", 3, "a is no struct", "unindent")

    def test_in_a_field_line(self):
        self.check_field("Topic string 0+", "'Topic'", "lower_case")
        self.check_field("a string x", "'x'", "3, 0-7, 3+ or none")
        self.check_field("a string", "the line ends where versions")
        self.check_field("a int31 0+", "'int31'", "declare it")
        self.check_field("a [String] 0+", "no type")
        self.check_field("a string 0+ nullable 0+", "'nullable'", "null V")
        self.check_field("a string 0+ entity user", "'user'", "topic")
        self.check_field("a int32 0+ entity topic", "needs type string")

    def test_in_what_a_field_says(self):
        self.check_field("a string 0-1 null 0+", "null 0+ reaches beyond", "narrow")
        self.check_field("a int32 0+ null 0+", "cannot be null")
        self.check_field("a string 0+ default null", "'null V'")
        self.check_field("a string 0+ default x", "only default to null")
        self.check_field("a int8 0+ default 128", "128 is no int8")
        self.check_field("a int8 0+ default 0x10", "decimal")
        self.check_field("a bool 0+ default yes", "default true")
        self.check_field("a int8 0+ tag 0 1+", "must cover all versions")
        self.check_field("a int8 1+ tag 0 1+", "below the flexible versions")

    def test_between_fields(self):
        self.check_error("data thing  versions 0  flexible none\n  a int8 0\n  a int16 0\n", 3, "exists already")
        self.check_error("data thing  versions 0  flexible 0+\n  a int8 0 tag 0 0\n  b int8 0 tag 0 0\n", 3, "next free one")

    def test_in_structs(self):
        head = "data thing  versions 0-1  flexible none\n"
        self.check_error(head + "  struct s 0+\n    a int8 0+\n  b int8 0+\n", 2, "never used", "remove")
        self.check_error(head + "  a [s] 0+\n    b int8 0+\n  c [s] 0+\n    b int8 0+\n", 4, "exists already", "'struct'")
        self.check_error(head + "  struct s 0+\n    a [s] 0+\n  b s 0+\n", 3, "contains itself")
        self.check_error(head + "  a [s] 1+\n    b int8 0+\n", 3, "reach beyond")
        self.check_error(head + "  a [s] 0+\n    b int8 1+\n", 2, "0 bytes in version 0", "no bound")


if __name__ == "__main__":
    unittest.main()
