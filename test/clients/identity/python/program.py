"""The unmodified clients with DefaultAzureCredential. The endpoint and everything else comes from the environment."""

import json
import os

from azure.core.exceptions import HttpResponseError
from azure.data.tables import TableServiceClient
from azure.identity import DefaultAzureCredential

service = TableServiceClient(os.environ["AZURE_TABLES_ENDPOINT"], credential=DefaultAzureCredential(), retry_total=0)
people = service.get_table_client("People")


def key(row):
    return {"PartitionKey": "p", "RowKey": row}


def code_in(error):
    # The client leaves it in the body for an insert.
    body = error.response.text() if error.response else ""
    return json.loads(body)["odata.error"]["code"] if body else None


def list_entities():
    assert any(entity["RowKey"] == "r" for entity in people.list_entities())


steps = {
    "create-table": lambda: service.create_table("Created"),
    "insert": lambda: people.create_entity(key("inserted")),
    "upsert": lambda: people.upsert_entity(key("upserted")),
    "transaction": lambda: people.submit_transaction([("create", key("first")), ("create", key("second"))]),
    "list": list_entities,
}
for step, run in steps.items():
    try:
        run()
        print(step, "ok")
    except HttpResponseError as error:
        code = getattr(error, "error_code", None) or code_in(error)
        print(step, error.status_code, getattr(code, "value", code))
