"""A client as a program: one JSON command a line in, one JSON answer a line out. What every driver written in Python shares.

Commands: hello; create TOPIC PARTITIONS; delete TOPIC; produce TOPIC PARTITION RECORDS with acks, codec, idempotent; read TOPIC PARTITION
COUNT from {"beginning"|"tail": n|"offset": n|"timestamp": ms}; partitions_of TOPIC; configs TOPIC; alter_configs TOPIC {NAME: VALUE or null to
delete}; delete_records TOPIC PARTITION BEFORE. Members of groups have names: subscribe MEMBER GROUP TOPICS, with an instance or null, and
whether cooperative; assigned MEMBER, after a short look for news; consume MEMBER COUNT; commit MEMBER what was consumed; leave MEMBER. groups;
describe_group GROUP; committed GROUP; alter_committed GROUP TOPIC PARTITION OFFSET; delete_committed GROUP TOPIC PARTITION; delete_group GROUP.
Answers: {"ok": ...} or {"error": TEXT}. The same in every language.
"""

import json
import os
import sys
import traceback

PATIENCE_SECONDS = 60  # for what must happen; never waited out when it does

POLL_SECONDS = 0.2  # a look for news of a group
SESSION_MS = 10_000
GROUP_ADMIN = ["listing of groups", "description of groups", "committed offsets", "altering of offsets", "deletion of offsets",
               "deletion of groups"]

ADMIN = ["description", "configs", "deletion of records"]  # for a driver without them


def to_bytes(text):
    return None if text is None else bytes.fromhex(text)


def to_hex(data):
    return None if data is None else bytes(data).hex()


def answer_record(offset, timestamp, key, value, headers):
    return {"offset": offset, "timestamp": timestamp, "key": to_hex(key), "value": to_hex(value),
            "headers": [[name, to_hex(content)] for name, content in headers or []]}


def headers_of(record):
    return [(name, to_bytes(value)) for name, value in record["headers"]]


def serve(driver):
    """Answers until its input ends. Whatever a client library prints goes to the standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = {"ok": getattr(driver, command.pop("do"))(**command)}
        except Exception as failure:  # whatever a library raises is the test's to judge
            traceback.print_exc()
            answer = {"error": f"{type(failure).__name__}: {failure}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
