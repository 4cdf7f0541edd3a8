"""azure-data-tables on its way to Cosmos DB, which it takes `localhost` with any port but 10002 for."""

import os
import sys
from datetime import datetime, timezone
from pathlib import Path
from uuid import UUID

sys.path.insert(0, str(Path(__file__).parent.parent / "frameworks-python"))

from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError
from azure.data.tables import EdmType, TableServiceClient, TableTransactionError, UpdateMode

from smoke import run_steps

methods = []


def watch(request):
    methods.append(request.http_request.method)


service = TableServiceClient.from_connection_string(os.environ["COSMOS_TABLE_CONNECTION_STRING"])
table = service.get_table_client("Smoke")


def status_of(kind, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        return error.status_code
    raise AssertionError("the service accepted it")


def creates_and_lists_tables():
    table.create_table()
    service.create_table("smoke")
    assert sorted(one.name for one in service.list_tables()) == ["Smoke", "smoke"]
    service.delete_table("smoke")


def lists_in_the_order_of_insertion():
    for row in ("3", "10", "1", "2"):
        table.create_entity({"PartitionKey": "p", "RowKey": row, "N": int(row)})
    pages = [[one["RowKey"] for one in page] for page in table.list_entities(results_per_page=3).by_page()]
    assert pages == [["3", "10", "1"], ["2"]], pages


def tunnels_a_merge():
    first = table.get_entity("p", "1").metadata["etag"]
    condition = {"etag": first, "match_condition": MatchConditions.IfNotModified}
    changed = {"PartitionKey": "p", "RowKey": "1", "Text": "Ä 'q' \U0001f600"}
    table.update_entity(changed, UpdateMode.MERGE, raw_request_hook=watch, **condition)
    read = table.get_entity("p", "1")
    assert (read["N"], read["Text"]) == (1, changed["Text"])
    assert methods == ["POST"], methods
    assert status_of(HttpResponseError, table.update_entity, changed, UpdateMode.MERGE, **condition) == 412


def keeps_every_type():
    values = {
        "Date": datetime(2021, 4, 7, 23, 49, 58, 909166, timezone.utc),
        "Ratio": 3.0,
        "Id": UUID("c9da6455-213d-42c9-9a79-3e9149a57833"),
        "Bytes": b"\x01\x02\xff",
        "Flag": True,
        "Text": "",
    }
    table.upsert_entity({"PartitionKey": "t", "RowKey": "r", "Big": (2**62, EdmType.INT64), **values}, UpdateMode.REPLACE)
    read = table.get_entity("t", "r")
    for name, value in values.items():
        assert read[name] == value, f"{name}: {read[name]!r}"
    assert read["Big"].value == 2**62


def commits_a_transaction_or_nothing():
    key = {"PartitionKey": "p"}
    done = table.submit_transaction(
        [
            ("create", {**key, "RowKey": "new"}),
            ("update", {**key, "RowKey": "1", "A": 1}, {"mode": UpdateMode.MERGE}),
            ("upsert", {**key, "RowKey": "2", "A": 1}, {"mode": UpdateMode.REPLACE}),
            ("delete", {**key, "RowKey": "3"}),
        ]
    )
    assert len(done) == 4
    failing = [("create", {**key, "RowKey": "other"}), ("create", {**key, "RowKey": "new"})]
    try:
        table.submit_transaction(failing)
        raise AssertionError("the service accepted it")
    except TableTransactionError as error:
        assert (error.status_code, error.index) == (409, 1), (error.status_code, error.index)
    assert status_of(HttpResponseError, table.get_entity, "p", "other") == 404


def is_told_of_empty_keys():
    assert status_of(HttpResponseError, table.create_entity, {"PartitionKey": "p", "RowKey": ""}) == 400


def is_told_that_there_are_no_service_properties():
    assert status_of(HttpResponseError, service.get_service_properties) == 405


run_steps(
    "azure-data-tables",
    [
        ("creates and lists tables, whose names are exact", creates_and_lists_tables),
        ("lists entities in the order of insertion, page by page", lists_in_the_order_of_insertion),
        ("tunnels a merge through POST, under a tag", tunnels_a_merge),
        ("keeps every type", keeps_every_type),
        ("commits a transaction or nothing, and finds the position of the fault", commits_a_transaction_or_nothing),
        ("is told that a key must not be empty", is_told_of_empty_keys),
        ("is told that there are no service properties", is_told_that_there_are_no_service_properties),
    ],
)
