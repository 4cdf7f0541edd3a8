"""The Azure CLI: each call is one command. The check of connection strings starts the program; the others run its commands
in this process, through the entry point of the program."""

import base64
import importlib.metadata
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

# The CLI reads these when it is imported.
os.environ["AZURE_CONFIG_DIR"] = tempfile.mkdtemp(prefix="tabularium-az-")
os.environ["AZURE_CORE_COLLECT_TELEMETRY"] = "false"

from azure.cli.core import get_default_cli
from azure.core.credentials import AzureNamedKeyCredential
from azure.core.exceptions import HttpResponseError
from azure.data.tables import TableServiceClient

from model import CASES, Cannot, Rejected, Row

ENDPOINTS = {
    "http": "TABLES_ENDPOINT",
    "https": "TABLES_HTTPS_ENDPOINT",
    "host": "TABLES_HOST_ENDPOINT",
    "secondary": "TABLES_SECONDARY_ENDPOINT",
}
KEYS = {"PartitionKey", "RowKey"}
UNTYPED = "the CLI prints the value as a text without its type"


class CliDriver:
    """Opens accounts for the commands of `az storage`."""

    name, prefix, has_ticks = "Azure CLI", "cli", True
    version = importlib.metadata.version("azure-cli")
    cannot = {
        **{check: UNTYPED for check, (kind, _) in CASES["values"].items() if kind in ("DateTime", "Guid", "Binary")},
        "entity.delete-missing": "the CLI reports a missing entity as deleted",
        "key.empty": "the CLI leaves empty keys out of what it prints, and cannot delete their entity",
        "sas.address": "the CLI leaves the address out of a signature of a table",
        "sas.other-address": "the CLI leaves the address out of a signature of a table",
    }

    def open(self, address="http", key=None, sas=None, token=None, trusted=True):
        if token:
            raise Cannot("the CLI takes a bearer token only from az login")
        if trusted:
            os.environ["REQUESTS_CA_BUNDLE"] = os.environ["TABLES_CERTIFICATE"]
        else:
            os.environ.pop("REQUESTS_CA_BUNDLE", None)
        if address in ("connection-string", "statistics"):
            words = ["--connection-string", os.environ["TABLES_CONNECTION_STRING"]]
            return Client(words, run_program if address == "connection-string" else run)
        credential = ["--sas-token", sas] if sas else ["--account-key", key or os.environ["TABLES_KEY"]]
        endpoint = ["--table-endpoint", os.environ[ENDPOINTS[address]]]
        return Client(["--account-name", os.environ["TABLES_ACCOUNT"], *credential, *endpoint], run)

    def close(self):
        shutil.rmtree(os.environ["AZURE_CONFIG_DIR"], ignore_errors=True)

    def sign(self, wanted):
        """Returns a shared access signature."""
        words = ["--connection-string", os.environ["TABLES_CONNECTION_STRING"]]
        if not wanted.policy:
            words += ["--permissions", wanted.permissions, "--expiry", instant(wanted.expiry)]
        words += ["--start", instant(wanted.start)] if wanted.start else []
        words += ["--ip", wanted.address] if wanted.address else []
        words += ["--https-only"] if wanted.https_only else []
        if wanted.table is None:
            return run("storage", "account", "generate-sas", "--services", "t", "--resource-types", wanted.types, *words)
        words += ["--policy-name", wanted.policy] if wanted.policy else []
        names = ("--start-pk", "--start-rk", "--end-pk", "--end-rk")
        words += [f"{name}={value}" for name, value in zip(names, wanted.keys or ())]
        return run("storage", "table", "generate-sas", "--name", wanted.table, *words)

    def seed(self, table, operations):
        """Fills a table for other checks with the package that the CLI carries, since the CLI has no transactions."""
        credential = AzureNamedKeyCredential(os.environ["TABLES_ACCOUNT"], os.environ["TABLES_KEY"])
        client = TableServiceClient(os.environ["TABLES_ENDPOINT"], credential=credential).get_table_client(table)
        plain = [{name: v if name in KEYS else int(v[1]) for name, v in entity.items()} for _, entity in operations]
        client.submit_transaction([("create", entity) for entity in plain])


def instant(value):
    return value.strftime("%Y-%m-%dT%H:%MZ")


def run(*words):
    """Runs a command in this process, and returns what it prints."""
    cli, printed = get_default_cli(), io.StringIO()
    try:
        cli.invoke([*words, "--output", "json"], out_file=printed)
        error = cli.result.error
    except SystemExit as end:
        error = end
    if error:
        cause = rejection(error)
        raise RuntimeError(f"usage: {words}") if cause is error else cause
    return json.loads(printed.getvalue() or "null")


def run_program(*words):
    """Starts the program for one command."""
    program = [str(Path(sys.executable).with_name("az")), *words, "--output", "json"]
    ended = subprocess.run(program, capture_output=True, text=True, check=True)
    return json.loads(ended.stdout or "null")


def rejection(error):
    """Returns the rejection that an error of a command comes from. The CLI replaces some errors by its own. An error of usage
    stays what it is, since it is a mistake of this driver."""
    one = error
    while one is not None:
        response = getattr(one, "response", None)
        if isinstance(one, HttpResponseError) and response is not None:
            code = getattr(one, "error_code", None)
            if code is None and response.text().startswith("{"):
                code = json.loads(response.text())["odata.error"]["code"]
            return Rejected(one.status_code, getattr(code, "value", code), str(one))
        one = one.__cause__ or one.__context__
    return error if isinstance(error, SystemExit) else Cannot(f"the CLI rejects it: {error}")


def typed(entity):
    """Returns an entity as the words of a command."""
    words = [f"{name}={entity[name]}" for name in sorted(KEYS)]
    for name, (kind, text) in ((name, value) for name, value in entity.items() if name not in KEYS):
        # The CLI writes the bytes of the text that it is given.
        written = base64.b64decode(text).decode("latin-1") if kind == "Binary" else text
        words += [f"{name}={written}", f"{name}@odata.type=Edm.{kind}"]
    return ["--entity", *words]


def decode(value):
    if isinstance(value, dict):
        return value["edm_type"].removeprefix("Edm."), str(value["value"])
    kinds = {str: "String", bool: "Boolean", int: "Int32", float: "Double"}
    texts = {bool: lambda: str(value).lower(), float: lambda: "NaN" if value != value else repr(value)}
    return kinds[type(value)], texts.get(type(value), lambda: str(value))()


def read(found):
    found = dict(found)
    tag, timestamp = found.pop("etag", ""), found.pop("Timestamp", None)
    properties = {name: decode(value) for name, value in found.items() if name not in KEYS}
    changed = datetime.fromisoformat(timestamp) if timestamp else None
    return Row(found.get("PartitionKey"), found.get("RowKey"), properties, tag, changed)


class Client:
    """Runs the commands with the words that name the account."""

    def __init__(self, account, run):
        self.account, self.run = account, run

    def call(self, *words):
        return self.run("storage", *words, *self.account)

    def create_table(self, table):
        self.call("table", "create", "--name", table, "--fail-on-exist")

    def delete_table(self, table):
        self.call("table", "delete", "--name", table, "--fail-not-exist")

    def table_pages(self, query=None, size=None):
        if query:
            raise Cannot("the CLI lists tables without a filter")
        return [[item["name"] for item in self.call("table", "list")]]

    def insert(self, table, entity):
        return self.call("entity", "insert", "--table-name", table, *typed(entity))["etag"]

    def get(self, table, partition, row, select=None):
        selected = ["--select", *select] if select else []
        keys = [f"--partition-key={partition}", f"--row-key={row}"]
        return read(self.call("entity", "show", "--table-name", table, *keys, *selected))

    def update(self, table, entity, mode, tag=None):
        condition = ["--if-match", tag] if tag else []
        return self.call("entity", mode, "--table-name", table, *typed(entity), *condition)["etag"]

    def upsert(self, table, entity, mode):
        return self.call("entity", "insert", "--table-name", table, *typed(entity), "--if-exists", mode)["etag"]

    def delete(self, table, partition, row, tag=None):
        condition = ["--if-match", tag] if tag else []
        keys = [f"--partition-key={partition}", f"--row-key={row}"]
        self.call("entity", "delete", "--table-name", table, *keys, *condition)

    def found(self, table, query=None, *words):
        filtered = [f"--filter={query}"] if query else []
        return self.call("entity", "query", "--table-name", table, *filtered, *words)

    def list(self, table, query=None, select=None):
        selected = ["--select", *select] if select else []
        return [read(item) for item in self.found(table, query, *selected)["items"]]

    def first(self, table):
        raise Cannot("a command ends with its query")

    def page(self, table, size=None, token=None, query=None):
        """Returns one page and its continuation token."""
        if size is None:
            raise Cannot("the CLI prints all pages together if it is given no size")
        marker = ["--marker", *(f"{name}={value}" for name, value in token.items())] if token else []
        found = self.found(table, query, "--num-results", str(size), *marker)
        return [read(item) for item in found["items"]], found["nextMarker"]

    def transaction(self, table, operations):
        raise Cannot("the CLI has no transactions")

    def policies(self, table):
        found = self.call("table", "policy", "list", "--table-name", table)
        time = lambda text: datetime.fromisoformat(text) if text else None  # noqa: E731
        return {name: (one["permission"], time(one["start"]), time(one["expiry"])) for name, one in found.items()}

    def set_policies(self, table, policies):
        old = self.policies(table)
        for name in old.keys() - policies.keys():
            self.call("table", "policy", "delete", "--table-name", table, "--name", name)
        for name, (rights, start, end) in policies.items():
            times = [*(["--start", instant(start)] if start else []), "--expiry", instant(end)]
            self.call("table", "policy", "create", "--table-name", table, "--name", name, "--permissions", rights, *times)

    def service(self, feature, action, *words):
        # These commands take no endpoint of tables.
        account = ["--connection-string", os.environ["TABLES_CONNECTION_STRING"]]
        return self.run("storage", feature, action, "--services", "t", *words, *account)

    def set_properties(self, days=None, origins=()):
        retention = ["--retention", str(days or 0)]
        self.service("logging", "update", "--log", "rw", *retention)
        self.service("metrics", "update", "--hour", "true", "--minute", "false", "--api", "true", *retention)
        self.service("cors", "clear")
        for origin in origins:
            self.service("cors", "add", "--methods", "GET", "--origins", origin, "--max-age", "60")

    def properties(self):
        """Returns what the logging covers, its days, whether metrics are on, and the origins of the CORS rules."""
        logging = self.service("logging", "show")["table"]
        metrics = self.service("metrics", "show")["table"]["hour"]
        origins = [rule["AllowedOrigins"] for rule in self.service("cors", "list")]
        covers = (logging["read"], logging["write"], logging["delete"])
        return covers, logging["retentionPolicy"]["days"], metrics["enabled"], origins

    def statistics(self):
        return self.call("table", "stats")["geoReplication"]["status"]
