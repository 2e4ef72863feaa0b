#!/usr/bin/env python3
"""Generates C++ from schema text; CMake runs it.

usage: generate.py messages --out FOLDER FILE.schema     NAME.h, NAME.cc and NAME_json.cc of one schema file
       generate.py tables --out FOLDER SCHEMA_FOLDER     api_key.h, api_table.cc, error_code.h, .cc, registry_table.cc

Files whose content stays the same are not touched, so that only what changed is compiled again.
"""

import argparse
import pathlib
import sys

from check import check
from emit_facts import emit_api_key, emit_api_table, emit_error_code_header, emit_error_code_source
from emit_header import emit_header
from emit_json import emit_json, emit_registry
from emit_source import emit_source
from facts import read_tsv
from parse import SchemaError, parse
from plan import Plan


def load(path):
    """The checked schema of a file whose name starts like its content says."""
    schema = check(parse(str(path), path.read_text(encoding="utf-8")))
    wanted = f"{schema.key:02}_{schema.name}" if schema.kind == "api" else None
    if wanted and path.stem != wanted:
        raise SchemaError(str(path), 1, f"an api with this head belongs in {wanted}.schema; rename the file")
    return schema


def load_all(folder):
    """All schemas, APIs first by rising key, then the others by file name."""
    schemas = [load(path) for path in sorted(folder.glob("*.schema"))]
    return sorted(schemas, key=lambda schema: (schema.kind != "api", schema.key if schema.kind == "api" else 0))


PROJECT = pathlib.Path(__file__).resolve().parents[2]


def source_name(path):
    """The file as the project names it."""
    full = path.resolve()
    return str(full.relative_to(PROJECT)) if full.is_relative_to(PROJECT) else path.name


def generate_messages(path, out):
    schema = load(path)
    source = source_name(path)
    plans = [Plan(schema.kind, message) for message in schema.messages]
    header = f"protocol/messages/{path.stem}.h"
    _write_if_changed(out / f"{path.stem}.h", emit_header(source, schema, plans))
    _write_if_changed(out / f"{path.stem}.cc", emit_source(source, header, plans))
    _write_if_changed(out / f"{path.stem}_json.cc", emit_json(source, header, schema, plans))


def generate_tables(folder, out):
    schemas = load_all(folder)
    apis = [schema for schema in schemas if schema.kind == "api"]
    plans = [Plan(schema.kind, message) for schema in schemas for message in schema.messages]
    check_names(plans)
    errors = read_tsv(folder / "errors.tsv")
    _write_if_changed(out / "api_key.h", emit_api_key(apis))
    _write_if_changed(out / "api_table.cc", emit_api_table(apis, read_tsv(folder / "apis.tsv")))
    _write_if_changed(out / "error_code.h", emit_error_code_header(errors))
    _write_if_changed(out / "error_code.cc", emit_error_code_source(errors))
    _write_if_changed(out / "registry_table.cc", emit_registry(plans))


def check_names(plans):
    """Structs live side by side in one namespace, so no two may have one name."""
    seen = {}
    for plan in plans:
        for struct in plan.structs:
            name = plan.cpp_name(struct)
            if name in seen:
                raise SystemExit(f"error: {seen[name]} and {plan.message.name} both define {name}; rename a struct")
            seen[name] = plan.message.name


def _write_if_changed(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["messages", "tables"])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("source", type=pathlib.Path)
    arguments = parser.parse_args()
    action = generate_messages if arguments.what == "messages" else generate_tables
    try:
        action(arguments.source, arguments.out)
    except SchemaError as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
