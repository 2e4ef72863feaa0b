"""What a schema file states: messages, structs and fields. Plain data, no behaviour of a target language."""

from dataclasses import dataclass, field
from typing import Optional

from versions import NONE, Versions

INTEGER_RANGES = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
FIXED_SIZES = {"bool": 1, "int8": 1, "int16": 2, "uint16": 2, "int32": 4, "int64": 8, "float64": 8, "uuid": 16}
PRIMITIVES = frozenset(FIXED_SIZES) | {"string", "bytes", "records"}
ENTITY_BASES = {
    "topic": "string",
    "group": "string",
    "transactional_id": "string",
    "producer_id": "int64",
    "broker_id": "int32",
}


@dataclass
class Field:
    name: str
    type: str  # a primitive, or the name of a struct of the same message; the element's type for an array
    is_array: bool
    versions: Versions
    nullable: Versions = NONE
    tag: Optional[int] = None
    tagged: Versions = NONE
    default: Optional[str] = None  # None: zero, empty, all defaults; "null"; else the literal
    ignorable: bool = False
    entity: Optional[str] = None
    key: bool = False
    never_flexible: bool = False
    line: int = field(default=0, compare=False)

    @property
    def is_struct(self):
        return self.type not in PRIMITIVES


@dataclass
class Struct:
    """A named group of fields. `shared` structs are used by more than one field and stand on their own."""

    name: str
    versions: Versions
    fields: list
    shared: bool = False
    line: int = field(default=0, compare=False)


@dataclass
class Message:
    """One encodable structure, for example `fetch_request`; `structs` are its nested ones, by name."""

    name: str
    versions: Versions
    flexible: Versions
    fields: list
    structs: dict
    line: int = field(default=0, compare=False)


@dataclass
class SchemaFile:
    """One text file. `kind`: api (request, response), record (key, value), data or header (one message)."""

    kind: str
    name: str
    messages: list
    key: Optional[int] = None  # API key, or type of a coordinator record
    listeners: tuple = ()
    unstable: Optional[int] = None  # the highest version, when Kafka hides it by default
    log: Optional[str] = None  # the internal topic of a coordinator record
    path: str = field(default="", compare=False)
