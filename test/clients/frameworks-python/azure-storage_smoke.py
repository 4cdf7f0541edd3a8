"""azure-storage 0.20.3 of 2015, the oldest client that still installs. It speaks only Atom, at version 2014-02-14.

It addresses the account by the host, as in the cloud: against an emulator it leaves the account out of the path of a batch.
"""

import os
import socket
from datetime import datetime, timezone
from urllib.parse import urlparse

from azure.common import AzureConflictHttpError, AzureHttpError, AzureMissingResourceHttpError
from azure.storage.table import Entity, EntityProperty, TableService

from smoke import run_steps

resolve = socket.getaddrinfo


def resolve_below_localhost(host, *rest, **options):
    """Not every resolver knows the names below localhost."""
    return resolve("127.0.0.1" if host.endswith(".localhost") else host, *rest, **options)


socket.getaddrinfo = resolve_below_localhost
account, suffix = urlparse(os.environ["TABLES_HOST_ENDPOINT"]).netloc.split(".", 1)
service = TableService(account, os.environ["TABLES_KEY"], "http", "." + suffix)
table = "OldestClient"

values = {
    "PartitionKey": "p",
    "RowKey": "r 1",
    "Text": "  Ä <&> 'quoted' \u554a \U0001f600 ",
    "Empty": "",
    "Small": -39,
    "Large": 2**63 - 1,
    "Ratio": 3.1,
    "Married": True,
    "Birthday": datetime(1973, 10, 4, 12, 30, tzinfo=timezone.utc),
}


def entity(row, **properties):
    made = Entity()
    for name, value in {"PartitionKey": "p", "RowKey": row, **properties}.items():
        setattr(made, name, value)
    return made


def rejection(kind, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        return str(error)
    raise AssertionError("the service accepted it")


def creates_and_lists_tables():
    assert service.create_table(table)
    assert table in [one.name for one in service.query_tables()]
    assert not service.create_table(table)
    assert "TableAlreadyExists" in rejection(AzureConflictHttpError, service.create_table, table, fail_on_exist=True)


def keeps_every_type():
    sent = entity("r 1", **{name: value for name, value in values.items() if name not in ("PartitionKey", "RowKey")})
    sent.Identifier = EntityProperty("Edm.Guid", "c9da6455-213d-42c9-9a79-3e9149a57833")
    sent.Bytes = EntityProperty("Edm.Binary", b"\x01\x02\xff")
    inserted = service.insert_entity(table, sent)
    read = service.get_entity(table, "p", "r 1")
    for name, value in values.items():
        assert getattr(read, name) == value, f"{name}: {getattr(read, name)!r}"
        assert getattr(inserted, name) == value
    assert read.Identifier.value == "c9da6455-213d-42c9-9a79-3e9149a57833"
    assert read.etag == inserted.etag


def updates_and_merges_under_a_condition():
    first = service.get_entity(table, "p", "r 1").etag
    service.merge_entity(table, "p", "r 1", entity("r 1", Small=40), if_match=first)
    merged = service.get_entity(table, "p", "r 1")
    assert (merged.Small, merged.Text) == (40, values["Text"])
    stale = entity("r 1", Small=1)
    assert "UpdateConditionNotSatisfied" in rejection(
        AzureHttpError, service.update_entity, table, "p", "r 1", stale, if_match=first
    )
    service.insert_or_replace_entity(table, "p", "r 1", entity("r 1", Only=1))
    assert not hasattr(service.get_entity(table, "p", "r 1"), "Text")


def commits_a_batch_or_nothing():
    service.begin_batch()
    for row in ("b1", "b2", "b3"):
        service.insert_entity(table, entity(row, Kind="batch"))
    service.commit_batch()
    service.begin_batch()
    service.insert_entity(table, entity("b4", Kind="batch"))
    service.insert_entity(table, entity("b1", Kind="batch"))
    rejection(Exception, service.commit_batch)
    found = service.query_entities(table, "Kind eq 'batch'")
    assert [one.RowKey for one in found] == ["b1", "b2", "b3"]


def reads_in_pages():
    first = service.query_entities(table, "Kind eq 'batch'", "RowKey", top=2)
    assert [one.RowKey for one in first] == ["b1", "b2"]
    marks = first.x_ms_continuation
    rest = service.query_entities(
        table, "Kind eq 'batch'", "RowKey", 2, marks["NextPartitionKey"], marks["NextRowKey"]
    )
    assert [one.RowKey for one in rest] == ["b3"]
    assert not hasattr(rest[0], "Kind")


def deletes():
    service.delete_entity(table, "p", "r 1")
    assert "ResourceNotFound" in rejection(AzureMissingResourceHttpError, service.get_entity, table, "p", "r 1")
    assert service.delete_table(table)
    assert not service.delete_table(table)


run_steps(
    "azure-storage",
    [
        ("creates and lists tables", creates_and_lists_tables),
        ("keeps every type", keeps_every_type),
        ("updates and merges under a condition", updates_and_merges_under_a_condition),
        ("commits a batch or nothing", commits_a_batch_or_nothing),
        ("reads in pages", reads_in_pages),
        ("deletes", deletes),
    ],
)
