"""Kafka's definitions to schema text, with the traps that they hold."""

import json
import pathlib
import tempfile
import unittest
import zipfile

import tests  # noqa: F401  (the import path)
from import_from_kafka import leading_comment
from kafka_definitions import MessageReader, load_definitions
from model import SchemaFile
from names import pascal_case, snake_case
from schema_text import schema_text


def text_of(fields, **extra):
    """The field lines of a definition with these JSON fields."""
    definition = {"name": "Thing", "type": "data", "validVersions": "2-5", "flexibleVersions": "4+", "fields": fields}
    message = MessageReader({**definition, **extra}).message()
    lines = schema_text(SchemaFile("data", message.name, [message])).splitlines()
    return [line.removeprefix("  ") for line in lines[1:]]


def field(name="Field", type="int32", versions="0+", **facts):
    return {"name": name, "type": type, "versions": versions, "about": "dropped", **facts}


class Fields(unittest.TestCase):
    def test_become_one_line_of_facts(self):
        self.assertEqual(
            text_of([field("TopicName", "string", nullableVersions="3+", default="null", ignorable=True, entityType="topicName")]),
            ["topic_name string 2+ null 3+ default null ignorable entity topic"],
        )
        self.assertEqual(text_of([field("Id", mapKey=True)]), ["id int32 2+ key"])
        self.assertEqual(text_of([field("Id", flexibleVersions="none")]), ["id int32 2+ flexible none"])

    def test_defaults_come_in_every_spelling(self):
        for given, kind, kept in (
            ("0x7fffffff", "int32", "2147483647"), ("-1", "int64", "-1"), (-1, "int64", "-1"), ("0", "int8", None),
            ("true", "bool", "true"), (True, "bool", "true"), ("False", "bool", None), (False, "bool", None), ("", "string", None),
        ):
            expected = f"field {kind} 2+" + (f" default {kept}" if kept else "")
            self.assertEqual(text_of([field(type=kind, default=given)]), [expected], given)

    def test_a_json_null_is_no_default_but_the_word_is(self):
        nullable = {"type": "string", "nullableVersions": "0+"}
        self.assertEqual(text_of([field(**nullable, default=None)]), ["field string 2+ null 2+"])
        self.assertEqual(text_of([field(**nullable, default="null")]), ["field string 2+ null 2+ default null"])

    def test_records_that_may_be_null_are_null_by_default(self):
        self.assertEqual(text_of([field(type="records", nullableVersions="0+")]), ["field records 2+ null 2+ default null"])
        self.assertEqual(text_of([field(type="records", nullableVersions="0-1")]), ["field records 2+"])

    def test_versions_are_clipped_to_what_is_valid(self):
        self.assertEqual(text_of([field(versions="0-3"), field("Gone", versions="0-1")]), ["field int32 2-3"])
        self.assertEqual(text_of([field(versions="7+")]), [])

    def test_nested_versions_are_clipped_to_the_parent(self):
        nested = field("Outer", "[]Inner", "3-4", fields=[field("A"), field("B", versions="5+"), field("C", versions="4+")])
        self.assertEqual(text_of([nested]), ["outer [inner] 3-4", "  a int32 3-4", "  c int32 4"])

    def test_a_tagged_field_may_leave_its_versions_out(self):
        tagged = {"name": "Field", "type": "int64", "tag": 0, "taggedVersions": "4+"}
        self.assertEqual(text_of([tagged]), ["field int64 4+ tag 0 4+"])

    def test_a_structs_name_loses_the_name_of_its_message(self):
        self.assertEqual(text_of([field("A", "[]ThingTopic", fields=[field("B")])]), ["a [topic] 2+", "  b int32 2+"])
        self.assertEqual(text_of([field("A", "[]Things", fields=[field("B")])])[0], "a [things] 2+")

    def test_common_structs_stand_on_their_own(self):
        common = [{"name": "Shared", "versions": "0+", "fields": [field("X")]}]
        self.assertEqual(
            text_of([field("A", "Shared"), field("B", "[]Shared")], commonStructs=common),
            ["struct shared 2+", "  x int32 2+", "a shared 2+", "b [shared] 2+"],
        )


class Names(unittest.TestCase):
    def test_convert(self):
        self.assertEqual(snake_case("TopicId"), "topic_id")
        self.assertEqual(snake_case("KRaftVersionRecord"), "kraft_version_record")
        self.assertEqual(snake_case("commitTimestamp"), "commit_timestamp")
        self.assertEqual(pascal_case("list_offsets"), "ListOffsets")


class Files(unittest.TestCase):
    def test_definitions_are_read_from_a_jar_without_their_comments(self):
        with tempfile.TemporaryDirectory() as folder:
            jar = pathlib.Path(folder) / "some.jar"
            with zipfile.ZipFile(jar, "w") as archive:
                archive.writestr("common/message/A.json", "// licence\n" + json.dumps({"name": "A"}) + "\n  // end\n")
                archive.writestr("other/B.json", "not read")
            self.assertEqual(load_definitions(jar), {"A": {"name": "A"}})

    def test_a_leading_comment_of_ours_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.schema"
            self.assertEqual(leading_comment(path), "")
            path.write_text("# ours\n# too\ndata a\n# not at the head\n", encoding="utf-8")
            self.assertEqual(leading_comment(path), "# ours\n# too\n")


if __name__ == "__main__":
    unittest.main()
