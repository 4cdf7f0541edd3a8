"""What the checks speak: entities with typed texts, rows, rejections. A driver translates it for one client."""

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

with open(os.environ["TABLES_CASES"], encoding="utf-8") as file:
    CASES = json.load(file)


class Cannot(Exception):
    """The client cannot express what the check asks for."""


class Rejected(Exception):
    """The service rejected a call."""

    def __init__(self, status, code, message="", index=None):
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message, self.index = status, code, message, index


@dataclass
class Row:
    """An entity that was read. Properties are pairs of type and text."""

    partition: str
    row: str
    properties: dict = field(default_factory=dict)
    tag: str = ""
    timestamp: datetime | None = None


@dataclass
class Signature:
    """What a shared access signature allows. Without `table` it is a signature of the account."""

    table: str | None = None
    permissions: str = "raud"
    types: str = "sco"
    start: datetime | None = None
    expiry: datetime | None = None
    address: str | None = None
    https_only: bool = False
    keys: tuple | None = None
    policy: str | None = None


def hours(count):
    """Returns the instant in so many hours."""
    return datetime.now(timezone.utc) + timedelta(hours=count)


def entity(partition="p", row="r", **properties):
    """Returns an entity to write. A plain number is an Int32, every other property a pair of type and text."""
    typed = {name: ("Int32", str(value)) if isinstance(value, int) else value for name, value in properties.items()}
    return {"PartitionKey": partition, "RowKey": row, **typed}


def expand(value):
    """Returns a text of cases.json."""
    return value["repeat"] * value["times"] if isinstance(value, dict) else value


def same(wanted, found):
    """Whether two pairs of type and text are the same value."""
    (kind, text), (other, value) = wanted, found
    if kind != other:
        return False
    if kind == "Double":
        return float(text) == float(value) or (text == "NaN" and value == "NaN")
    if kind == "DateTime":
        return ticks(text) == ticks(value)
    return text == value


def ticks(text):
    """Returns an instant with seven digits of a second."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return f"{whole}.{fraction.ljust(7, '0')}"


@contextmanager
def rejected(status, code=None):
    """Expects a call to be rejected with this status and code, and yields a list that gets the rejection."""
    seen = []
    try:
        yield seen
    except Rejected as rejection:
        seen.append(rejection)
        statuses = status if isinstance(status, tuple) else (status,)
        assert rejection.status in statuses, rejection
        assert code is None or rejection.code == code, rejection
        return
    raise AssertionError(f"the call was answered, but {status} {code} was expected")
