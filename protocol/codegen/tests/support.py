"""What several tests need."""

import pathlib
import textwrap

from check import check
from parse import parse
from plan import Plan

SCHEMA_FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "schema"


def schema_of(text):
    """A checked schema from indented text."""
    return check(parse("x.schema", textwrap.dedent(text).lstrip("\n")))


def data_of(fields, head="data thing  versions 0-3  flexible 2+"):
    """A checked schema of one data structure with these field lines."""
    lines = textwrap.dedent(fields).strip("\n").splitlines()
    return schema_of("\n".join([head, *("  " + line for line in lines)]) + "\n")


def plan_of(fields, **kwargs):
    schema = data_of(fields, **kwargs)
    return Plan(schema.kind, schema.messages[0])
