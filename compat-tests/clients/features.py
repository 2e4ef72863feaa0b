"""What is tried with a client, as docs/compatibility_clients.md lists it. A driver names what its client can't."""

import pathlib

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/compatibility_clients.md"
# (column of the page, what the driver says that it can't: any of these makes it partial, all of them a no)
COLUMNS = (
    ("topics", ("topics",)),
    ("nulls and empties", ("empty key with null value", "null key with empty value", "null key with null value", "null header values")),
    ("timestamps", ("timestamps",)),
    ("idempotence", ("idempotence",)),
    ("description", ("description",)),
    ("configs", ("configs",)),
    ("deletion of records", ("deletion of records",)),
    ("groups", ("static members", "cooperative rebalances", "waiting for a broker")),
    ("administration of groups", ("listing of groups", "description of groups", "committed offsets", "altering of offsets", "deletion of offsets",
                                  "deletion of groups")),
)


def cell(parts, cannot):
    missing = [part for part in parts if part in cannot]
    if not missing:
        return "yes"
    return "–" if len(missing) == len(parts) else "all but " + ", ".join(missing)


def row(client, version, cannot):
    unknown = set(cannot) - {part for _, parts in COLUMNS for part in parts}
    assert not unknown, f"{client} can't do what no test needs: {unknown}"
    return "| " + " | ".join([client, version, *(cell(parts, cannot) for _, parts in COLUMNS)]) + " |"
