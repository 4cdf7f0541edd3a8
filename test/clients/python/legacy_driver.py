"""azure-cosmosdb-table, the package before azure-data-tables."""

import base64
import importlib.metadata
import os
import re
from datetime import datetime, timezone

import requests
from azure.common import AzureHttpError
from azure.cosmosdb.table.common.models import (
    AccessPolicy,
    CorsRule,
    Logging,
    Metrics,
    ResourceTypes,
    RetentionPolicy,
)
from azure.cosmosdb.table.common.retry import no_retry
from azure.cosmosdb.table.models import AzureBatchValidationError, EdmType, EntityProperty
from azure.cosmosdb.table.sharedaccesssignature import TableSharedAccessSignature
from azure.cosmosdb.table.tablebatch import TableBatch
from azure.cosmosdb.table.tableservice import TableService

from model import Cannot, Rejected, Row

ENDPOINTS = {
    "http": "TABLES_ENDPOINT",
    "https": "TABLES_HTTPS_ENDPOINT",
    "host": "TABLES_HOST_ENDPOINT",
    "secondary": "TABLES_ENDPOINT",
    "statistics": "TABLES_ENDPOINT",
}


class LegacyDriver:
    """Opens clients of the package."""

    name, prefix, has_ticks = "Python azure-cosmosdb-table", "legacy", False
    version = importlib.metadata.version("azure-cosmosdb-table")
    cannot = {}

    def __init__(self):
        self.account, self.key = os.environ["TABLES_ACCOUNT"], os.environ["TABLES_KEY"]

    def close(self):
        pass

    def open(self, address="http", key=None, sas=None, token=None, trusted=True):
        if token:
            raise Cannot("the client has no bearer tokens")
        if address == "connection-string":
            text = os.environ["TABLES_CONNECTION_STRING"]
        else:
            endpoint = os.environ[ENDPOINTS[address]]
            secret = f"SharedAccessSignature={sas}" if sas else f"AccountKey={key or self.key}"
            second = os.environ["TABLES_SECONDARY_ENDPOINT"]
            protocol = endpoint.partition(":")[0]
            text = f"DefaultEndpointsProtocol={protocol};AccountName={self.account};{secret};TableEndpoint={endpoint}"
            text += f";TableSecondaryEndpoint={second}" if protocol == "http" and address != "host" else ""
        session = requests.Session()
        # A variable of the machine, REQUESTS_CA_BUNDLE, would win over the certificate.
        session.trust_env = False
        if trusted:
            session.verify = os.environ["TABLES_CERTIFICATE"]
        service = TableService(connection_string=text, request_session=session)
        service.retry = no_retry
        if address == "secondary":
            service.location_mode = "secondary"
        return Client(service)

    def sign(self, wanted):
        """Returns a shared access signature."""
        maker = TableSharedAccessSignature(self.account, self.key)
        limits = {
            "start": wanted.start,
            "ip": wanted.address,
            "protocol": "https" if wanted.https_only else None,
        }
        if wanted.table is None:
            types = ResourceTypes(_str=wanted.types)
            return maker.generate_account("t", types, wanted.permissions, wanted.expiry, **limits)
        if wanted.policy:
            return maker.generate_table(wanted.table, id=wanted.policy)
        names = ("start_pk", "start_rk", "end_pk", "end_rk")
        keys = dict(zip(names, wanted.keys)) if wanted.keys else {}
        return maker.generate_table(wanted.table, wanted.permissions, wanted.expiry, **limits, **keys)

    def seed(self, table, operations):
        """Fills a table for other checks."""
        self.open().transaction(table, operations)


def encode(entity):
    values = {
        "String": lambda text: text,
        "Boolean": lambda text: text == "true",
        "Int32": lambda text: EntityProperty(EdmType.INT32, int(text)),
        "Int64": int,
        "Double": float,
        "DateTime": parse,
        "Guid": lambda text: EntityProperty(EdmType.GUID, text),
        "Binary": lambda text: EntityProperty(EdmType.BINARY, base64.b64decode(text)),
    }
    keys = {"PartitionKey", "RowKey"}
    return {name: value if name in keys else values[value[0]](value[1]) for name, value in entity.items()}


def parse(text):
    """Returns an instant."""
    if "." in text:
        raise Cannot("the client writes instants of whole seconds")
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def decode(value):
    if isinstance(value, EntityProperty):
        kind = value.type.removeprefix("Edm.")
        return kind, base64.b64encode(value.value).decode() if kind == "Binary" else str(value.value)
    if isinstance(value, datetime):
        return "DateTime", value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")
    kinds = {str: "String", bool: "Boolean", int: "Int64", float: "Double"}
    texts = {bool: lambda: str(value).lower(), float: lambda: "NaN" if value != value else repr(value)}
    return kinds[type(value)], texts.get(type(value), lambda: str(value))()


def read(found):
    own = {"PartitionKey", "RowKey", "Timestamp", "etag"}
    properties = {name: decode(value) for name, value in found.items() if name not in own}
    # The package leaves out keys that are empty.
    keys = found.get("PartitionKey", ""), found.get("RowKey", "")
    return Row(*keys, properties, found.get("etag"), found.get("Timestamp"))


def sent(call):
    """Turns the errors of the package into rejections."""

    def wrapped(*arguments, **options):
        try:
            return call(*arguments, **options)
        except AzureHttpError as error:
            code = getattr(error, "code", None) or getattr(error, "error_code", None)
            text = str(error)
            code = code or next(iter(re.findall(r'"code":"(\w+)"|<m:code>(\w+)|<Code>(\w+)', text)), None)
            code = "".join(code) if isinstance(code, tuple) else code
            index = re.search(r"(?:^|\D)(\d+):The|\"value\":\"(\d+):", text)
            raise Rejected(error.status_code, code, text, index and int(index[1] or index[2])) from error
        except (AzureBatchValidationError, ValueError) as error:
            raise Cannot(f"the client rejects it: {error}") from error

    return wrapped


class Client:
    """Calls the one service class of the package."""

    def __init__(self, service):
        self.service = service

    @sent
    def create_table(self, table):
        self.service.create_table(table, fail_on_exist=True)

    @sent
    def delete_table(self, table):
        self.service.delete_table(table, fail_not_exist=True)

    @sent
    def table_pages(self, query=None, size=None):
        if query:
            raise Cannot("the client lists tables without a filter")
        return [[item.name for item in self.service.list_tables()]]

    @sent
    def insert(self, table, entity):
        if self.service.location_mode == "secondary":
            raise Cannot("the client sends writes to the primary endpoint")
        return self.service.insert_entity(table, encode(entity))

    @sent
    def get(self, table, partition, row, select=None):
        return read(self.service.get_entity(table, partition, row, select=select and ",".join(select)))

    @sent
    def update(self, table, entity, mode, tag=None):
        call = {"merge": self.service.merge_entity, "replace": self.service.update_entity}[mode]
        return call(table, encode(entity), if_match=tag or "*")

    @sent
    def upsert(self, table, entity, mode):
        call = {"merge": self.service.insert_or_merge_entity, "replace": self.service.insert_or_replace_entity}[mode]
        return call(table, encode(entity))

    @sent
    def delete(self, table, partition, row, tag=None):
        self.service.delete_entity(table, partition, row, if_match=tag or "*")

    @sent
    def list(self, table, query=None, select=None):
        return [read(item) for item in self.service.query_entities(table, query, select and ",".join(select))]

    @sent
    def first(self, table):
        """Reads one entity of a query and abandons the rest."""
        return read(next(iter(self.service.query_entities(table))))

    @sent
    def page(self, table, size=None, token=None, query=None):
        """Returns one page and its continuation token."""
        # `num_results` counts the entities of all pages, so the page is taken from the call that the package repeats.
        found = self.service._query_entities(table, query, max_results=size, marker=token)
        return [read(item) for item in found], found.next_marker or None

    @sent
    def transaction(self, table, operations):
        batch = TableBatch()
        for kind, entity, *tag in operations:
            match = {"if_match": tag[0]} if tag else {}
            if kind == "delete":
                batch.delete_entity(entity["PartitionKey"], entity["RowKey"], **match)
                continue
            names = {"insert": "insert", "merge": "merge", "replace": "update"}
            name = names.get(kind) or kind.replace("upsert-", "insert_or_")
            getattr(batch, f"{name}_entity")(encode(entity), **match)
        return self.service.commit_batch(table, batch)

    @sent
    def policies(self, table):
        found = self.service.get_table_acl(table)
        return {name: (policy.permission, policy.start, policy.expiry) for name, policy in found.items()}

    @sent
    def set_policies(self, table, policies):
        made = {name: AccessPolicy(rights, end, start) for name, (rights, start, end) in policies.items()}
        self.service.set_table_acl(table, made)

    @sent
    def set_properties(self, days=None, origins=()):
        retention = RetentionPolicy(days is not None, days)
        logging = Logging(delete=False, read=True, write=True, retention_policy=retention)
        metrics = Metrics(enabled=True, include_apis=True, retention_policy=retention)
        cors = [CorsRule([origin], ["GET"], max_age_in_seconds=60) for origin in origins]
        self.service.set_table_service_properties(logging, metrics, cors=cors)

    @sent
    def properties(self):
        """Returns what the logging covers, its days, whether metrics are on, and the origins of the CORS rules."""
        found = self.service.get_table_service_properties()
        covers = (found.logging.read, found.logging.write, found.logging.delete)
        origins = [",".join(rule.allowed_origins) for rule in found.cors]
        return covers, found.logging.retention_policy.days, found.hour_metrics.enabled, origins

    @sent
    def statistics(self):
        return self.service.get_table_service_stats().geo_replication.status
