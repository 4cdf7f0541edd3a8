"""airbyte-source-azure-table: the source's own commands, over HTTPS and with the account in the host name, as it builds
its address itself from an endpoint suffix. The certificate is trusted with REQUESTS_CA_BUNDLE."""

import io
import json
import logging
import os
import socket
import tempfile
from contextlib import redirect_stdout

from airbyte_cdk.entrypoint import launch
from azure.data.tables import TableServiceClient
from source_azure_table import SourceAzureTable

from smoke import run_steps

os.environ["REQUESTS_CA_BUNDLE"] = os.environ["TABLES_CERTIFICATE"]
resolve = socket.getaddrinfo
# Not every resolver knows the names below localhost.
socket.getaddrinfo = lambda host, *rest, **options: resolve(
    "127.0.0.1" if str(host).endswith(".localhost") else host, *rest, **options
)

port = os.environ["TABLES_HTTPS_ENDPOINT"].split(":")[2].split("/")[0]
config = {
    "storage_account_name": os.environ["TABLES_ACCOUNT"],
    "storage_access_key": os.environ["TABLES_KEY"],
    "storage_endpoint_suffix": f"localhost:{port}",
}
folder = tempfile.mkdtemp()


def write(name, content):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path


def messages(*words):
    """Runs a command of the source and returns its messages."""
    output = io.StringIO()
    with redirect_stdout(output):
        launch(SourceAzureTable(), [*words, "--config", write("config.json", config)])
    return [json.loads(line) for line in output.getvalue().splitlines() if line.startswith("{")]


def fill():
    service = TableServiceClient.from_connection_string(os.environ["TABLES_HTTPS_CONNECTION_STRING"])
    table = service.create_table("airbyte")
    for at in range(1200):
        table.upsert_entity({"PartitionKey": "p", "RowKey": f"{at:05}", "N": at})


def checks_the_connection():
    [status] = [one["connectionStatus"] for one in messages("check") if one["type"] == "CONNECTION_STATUS"]
    assert status["status"] == "SUCCEEDED", status


def finds_the_tables():
    [catalog] = [one["catalog"] for one in messages("discover") if one["type"] == "CATALOG"]
    assert "airbyte" in [stream["name"] for stream in catalog["streams"]], catalog


def reads_all_entities():
    stream = {"name": "airbyte", "json_schema": {}, "supported_sync_modes": ["full_refresh"]}
    configured = {"stream": stream, "sync_mode": "full_refresh", "destination_sync_mode": "overwrite"}
    catalog = write("catalog.json", {"streams": [configured]})
    records = [one["record"] for one in messages("read", "--catalog", catalog) if one["type"] == "RECORD"]
    assert len(records) == 1200, len(records)


logging.disable(logging.CRITICAL)
run_steps(
    "airbyte-source-azure-table",
    [
        ("reads a table that its SDK filled", fill),
        ("checks the connection", checks_the_connection),
        ("finds the tables", finds_the_tables),
        ("reads all entities of a table", reads_all_entities),
    ],
)
