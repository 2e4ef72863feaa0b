#!/usr/bin/env python3
"""Writes the schema text of this project from the jars of an Apache Kafka release.

usage: import_from_kafka.py [--release X.Y.Z] [--jars FOLDER] [--out FOLDER] [--check]

FOLDER of --jars (default: Maven's local repository) is searched for the jars of kafka-clients and of the group,
transaction and share coordinator; docs/adding_an_api.md says how to get them. With --check nothing is written: the exit
status is 1 when the text would change, 77 when a jar is missing. A leading block of `#` lines in an existing file is kept.
"""

import argparse
import pathlib
import sys

from kafka_definitions import MessageReader, is_removed, load_definitions
from model import SchemaFile
from names import snake_case
from schema_text import schema_text

# KRaft, controller and broker-to-controller traffic. Braid's replication speaks its own protocol, so these are not imported.
NOT_IMPORTED_KEYS = frozenset([52, 53, 54, 56, 58, 59, 62, 63, 67, 70, 73, 82])
# Exists for forwarding (key 58) only.
NOT_IMPORTED_DATA = frozenset(["DefaultPrincipalData"])

# Jar name, prefix of our files, internal topic.
COORDINATOR_JARS = (
    ("kafka-group-coordinator", "cg", "__consumer_offsets"),
    ("kafka-transaction-coordinator", "txn", "__transaction_state"),
    ("kafka-share-coordinator", "share", "__share_group_state"),
)

NOT_RUN = 77  # ctest's word for it, as CMake is told

# What kafka-clients 4.4 holds. Another release prints a difference: review it, then change these.
EXPECTED_COUNTS = {
    "definitions": 203,
    "requests": 95,
    "responses": 95,
    "removed": 8,
    "headers": 2,
    "data": 11,
    "tagged fields": 25,
    "nullable structs": 9,
    "records fields": 4,
}


def count_facts(definitions):
    """The counts of EXPECTED_COUNTS over all definitions of kafka-clients."""
    kinds = [definition["type"] for definition in definitions.values()]
    fields = list(_all_fields(definitions.values()))
    return {
        "definitions": len(kinds),
        "requests": kinds.count("request"),
        "responses": kinds.count("response"),
        "removed": sum(1 for definition in definitions.values() if is_removed(definition)),
        "headers": kinds.count("header"),
        "data": kinds.count("data"),
        "tagged fields": sum(1 for spec in fields if "tag" in spec),
        "nullable structs": sum(1 for spec in fields if spec["type"][0].isupper() and "nullableVersions" in spec),
        "records fields": sum(1 for spec in fields if spec["type"] == "records"),
    }


def _all_fields(holders):
    for holder in holders:
        for spec in holder.get("fields", []):
            yield spec
            yield from _all_fields([spec])
        yield from _all_fields(holder.get("commonStructs", []))


def import_apis(definitions):
    """File name -> SchemaFile for every imported API."""
    requests = {d["apiKey"]: d for d in definitions.values() if d["type"] == "request" and not is_removed(d)}
    responses = {d["apiKey"]: d for d in definitions.values() if d["type"] == "response" and not is_removed(d)}
    files = {}
    for key in sorted(requests):
        if key in NOT_IMPORTED_KEYS:
            continue
        request, response = requests[key], responses[key]
        messages = [MessageReader(request).message(), MessageReader(response).message()]
        if (messages[0].versions, messages[0].flexible) != (messages[1].versions, messages[1].flexible):
            raise ValueError(f"api {key}: request and response have different versions")
        name = snake_case(request["name"].removesuffix("Request"))
        unstable = messages[0].versions.last if request.get("latestVersionUnstable") else None
        listeners = tuple(request["listeners"])
        files[f"{key:02}_{name}"] = SchemaFile("api", name, messages, key, listeners, unstable)
    return files


def import_keyless(definitions):
    """File name -> SchemaFile for headers and data structures."""
    files = {}
    for name, definition in sorted(definitions.items()):
        kind = definition["type"]
        if kind in ("header", "data") and name not in NOT_IMPORTED_DATA:
            message = MessageReader(definition).message()
            short = message.name.removesuffix("_header") if kind == "header" else message.name
            files[f"{kind}_{short}"] = SchemaFile(kind, message.name, [message])
    return files


def import_records(definitions, prefix, log):
    """File name -> SchemaFile for the coordinator records of one jar."""
    keys = {d["apiKey"]: d for d in definitions.values() if d["type"] == "coordinator-key"}
    values = {d["apiKey"]: d for d in definitions.values() if d["type"] == "coordinator-value"}
    if not keys or set(keys) != set(values):
        raise ValueError(f"{log}: record keys and values do not pair up")
    files = {}
    for number in sorted(keys):
        name = snake_case(keys[number]["name"].removesuffix("Key"))
        messages = [MessageReader(keys[number]).message(), MessageReader(values[number]).message()]
        files[f"{prefix}_{number:02}_{name}"] = SchemaFile("record", name, messages, number, log=log)
    return files


class JarMissing(Exception):
    """The text says which, and where it was looked for."""


def find_jar(folder, name, release):
    """The jar of that artifact below `folder`, with or without a Scala suffix in its name."""
    for suffix in ("", "_2.13"):
        for path in sorted(folder.rglob(f"{name}{suffix}-{release}.jar")):
            return path
    raise JarMissing(f"no {name}-{release}.jar below {folder}; docs/adding_an_api.md says how to get it")


def import_all(folder, release):
    """File name -> text for the whole schema folder."""
    clients = load_definitions(find_jar(folder, "kafka-clients", release))
    counts = count_facts(clients)
    for what, expected in EXPECTED_COUNTS.items():
        if counts[what] != expected:
            sys.exit(f"error: {counts[what]} {what} in kafka-clients, expected {expected}: see EXPECTED_COUNTS")
    files = import_apis(clients) | import_keyless(clients)
    for jar, prefix, log in COORDINATOR_JARS:
        files |= import_records(load_definitions(find_jar(folder, jar, release)), prefix, log)
    return {f"{name}.schema": schema_text(schema) for name, schema in files.items()}


def leading_comment(path):
    """The block of `#` lines at the head of an existing file."""
    kept = []
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if not line.startswith("#"):
                break
            kept.append(line)
    return "".join(kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", default="4.4.0")
    parser.add_argument("--jars", type=pathlib.Path, default=pathlib.Path.home() / ".m2/repository/org/apache/kafka")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "schema")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()

    try:
        wanted = import_all(arguments.jars, arguments.release)
    except JarMissing as missing:
        print(f"error: {missing}", file=sys.stderr)
        return NOT_RUN
    present = {path.name: path for path in arguments.out.glob("*.schema")}
    changed = 0
    for name, text in sorted(wanted.items()):
        path = arguments.out / name
        text = leading_comment(path) + text
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            changed += 1
            print(("would write " if arguments.check else "wrote ") + name)
            if not arguments.check:
                path.write_text(text, encoding="utf-8")
    for name in sorted(set(present) - set(wanted)):
        changed += 1
        print(f"not in the jars: {name}" if arguments.check else f"removed {name}")
        if not arguments.check:
            present[name].unlink()
    print(f"{len(wanted)} schema files, {changed} changed")
    return 1 if arguments.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
