"""azure-data-tables, synchronous and asynchronous."""

import base64
import importlib.metadata
import os
import time
from datetime import datetime
from uuid import UUID

from azure.core import MatchConditions
from azure.core.credentials import AccessToken, AzureNamedKeyCredential, AzureSasCredential
from azure.core.exceptions import HttpResponseError
from azure.data.tables import (
    AccountSasPermissions,
    EdmType,
    ResourceTypes,
    TableAccessPolicy,
    TableAnalyticsLogging,
    TableCorsRule,
    TableMetrics,
    TableRetentionPolicy,
    TableServiceClient,
    UpdateMode,
    generate_account_sas,
    generate_table_sas,
)
from azure.data.tables.aio import TableServiceClient as AsyncTableServiceClient

from blocking import Blocking, new_loop
from model import Cannot, Rejected, Row

ENDPOINTS = {
    "http": "TABLES_ENDPOINT",
    "https": "TABLES_HTTPS_ENDPOINT",
    "host": "TABLES_HOST_ENDPOINT",
    "secondary": "TABLES_SECONDARY_ENDPOINT",
    "statistics": "TABLES_HOST_ENDPOINT",
}
MODES = {"merge": UpdateMode.MERGE, "replace": UpdateMode.REPLACE}


class Token:
    """A credential that returns a bearer token, waiting or not."""

    def __init__(self, text):
        self.token = AccessToken(text, int(time.time()) + 3600)

    def get_token(self, *_scopes, **_options):
        return self.token


class AsyncToken(Token):
    async def get_token(self, *_scopes, **_options):
        return self.token


class Driver:
    """Opens clients of the synchronous package."""

    name, prefix, has_ticks = "Python azure-data-tables", "sync", True
    version = importlib.metadata.version("azure-data-tables")
    service_class, token_class = TableServiceClient, Token
    cannot = {}

    def __init__(self):
        self.key = AzureNamedKeyCredential(os.environ["TABLES_ACCOUNT"], os.environ["TABLES_KEY"])

    def wrap(self, client):
        return client

    def close(self):
        pass

    def open(self, address="http", key=None, sas=None, token=None, trusted=True):
        # The package replaces the host for the secondary endpoint, so only the host style has statistics.
        secondary = os.environ["TABLES_SECONDARY_HOST"]
        options = {"retry_total": 0, "secondary_hostname": secondary, **({"connection_verify": os.environ["TABLES_CERTIFICATE"]} if trusted else {})}
        if address == "connection-string":
            text = os.environ["TABLES_CONNECTION_STRING"]
            return Client(self.wrap(self.service_class.from_connection_string(text, **options)))
        credential = AzureNamedKeyCredential(self.key.named_key.name, key) if key else self.key
        if sas:
            credential = AzureSasCredential(sas)
        if token:
            credential = self.token_class(token)
        endpoint = os.environ[ENDPOINTS[address]]
        return Client(self.wrap(self.service_class(endpoint, credential=credential, **options)))

    def sign(self, wanted):
        """Returns a shared access signature."""
        limits = {
            "start": wanted.start,
            "ip_address_or_range": wanted.address,
            "protocol": "https" if wanted.https_only else None,
        }
        if wanted.table is None:
            types = ResourceTypes.from_string(wanted.types)
            rights = AccountSasPermissions.from_string(wanted.permissions)
            return generate_account_sas(self.key, types, rights, wanted.expiry, **limits)
        if wanted.policy:
            return generate_table_sas(self.key, wanted.table, policy_id=wanted.policy)
        names = ("start_pk", "start_rk", "end_pk", "end_rk")
        keys = dict(zip(names, wanted.keys)) if wanted.keys else {}
        rights = {"permission": wanted.permissions, "expiry": wanted.expiry}
        return generate_table_sas(self.key, wanted.table, **rights, **limits, **keys)

    def seed(self, table, operations):
        """Fills a table for other checks."""
        self.open().transaction(table, operations)


class AsyncDriver(Driver):
    """Opens clients of the asynchronous package; every call is waited for."""

    name, prefix = "Python azure-data-tables (aio)", "aio"
    service_class, token_class = AsyncTableServiceClient, AsyncToken

    def __init__(self):
        super().__init__()
        self.loop = new_loop()
        self.opened = []

    def wrap(self, client):
        self.opened.append(client)
        return Blocking(client, self.loop)

    def close(self):
        for client in self.opened:
            self.loop.run_until_complete(client.close())
        self.loop.close()


def encode(entity):
    values = {
        "String": lambda text: text,
        "Boolean": lambda text: text == "true",
        "Int32": int,
        "Int64": lambda text: (int(text), EdmType.INT64),
        "Double": float,
        "DateTime": lambda text: (text, EdmType.DATETIME),
        "Guid": UUID,
        "Binary": base64.b64decode,
    }
    keys = {"PartitionKey", "RowKey"}
    return {name: value if name in keys else values[value[0]](value[1]) for name, value in entity.items()}


def decode(value):
    if isinstance(value, tuple):
        return value.edm_type.value.removeprefix("Edm."), str(value.value)
    if isinstance(value, datetime):
        return "DateTime", value.tables_service_value
    kinds = {str: "String", bool: "Boolean", int: "Int32", float: "Double", UUID: "Guid", bytes: "Binary"}
    texts = {
        bool: lambda: str(value).lower(),
        float: lambda: "NaN" if value != value else repr(value),
        bytes: lambda: base64.b64encode(value).decode(),
    }
    return kinds[type(value)], texts.get(type(value), lambda: str(value))()


def read(found):
    keys = {"PartitionKey", "RowKey"}
    properties = {name: decode(value) for name, value in found.items() if name not in keys}
    metadata = found.metadata
    return Row(found.get("PartitionKey"), found.get("RowKey"), properties, metadata["etag"], metadata["timestamp"])


def condition(tag):
    return {"etag": tag, "match_condition": MatchConditions.IfNotModified} if tag else {}


def sent(call):
    """Turns the errors of the package into rejections."""

    def wrapped(*arguments, **options):
        try:
            return call(*arguments, **options)
        except HttpResponseError as error:
            raise rejection(error) from error
        except ValueError as error:
            # The package replaces some answers of the service by an error of its own, and rejects some calls itself.
            if isinstance(error.__context__, HttpResponseError):
                raise rejection(error.__context__) from error
            raise Cannot(f"the client rejects it: {error}") from error

    return wrapped


def rejection(error):
    """Returns the rejection that an error reports. Some calls leave the code in the body of the answer."""
    code = getattr(error, "error_code", None)
    code = getattr(code, "value", code)
    if code is None and error.response.text().startswith("{"):
        code = error.response.json()["odata.error"]["code"]
    return Rejected(error.status_code, code, str(error.message), getattr(error, "index", None))


class Client:
    """Calls the service client and the table clients of the package."""

    def __init__(self, service):
        self.service = service

    def of(self, table):
        return self.service.get_table_client(table)

    @sent
    def create_table(self, table):
        self.service.create_table(table)

    @sent
    def delete_table(self, table):
        # This package treats a missing table as deleted, so the answer of the service is taken from its own layer.
        statuses = []
        self.service.delete_table(table, raw_response_hook=lambda answer: statuses.append(answer.http_response.status_code))
        if 404 in statuses:
            raise Rejected(404, "ResourceNotFound")

    @sent
    def table_pages(self, query=None, size=None):
        found = self.service.query_tables(query, results_per_page=size) if query else self.service.list_tables(results_per_page=size)
        return [[item.name for item in page] for page in found.by_page()]

    @sent
    def insert(self, table, entity):
        return self.of(table).create_entity(encode(entity))["etag"]

    @sent
    def get(self, table, partition, row, select=None):
        return read(self.of(table).get_entity(partition, row, select=select))

    @sent
    def update(self, table, entity, mode, tag=None):
        return self.of(table).update_entity(encode(entity), mode=MODES[mode], **condition(tag))["etag"]

    @sent
    def upsert(self, table, entity, mode):
        return self.of(table).upsert_entity(encode(entity), mode=MODES[mode])["etag"]

    @sent
    def delete(self, table, partition, row, tag=None):
        # A missing entity counts as deleted here too.
        statuses = []
        hook = lambda answer: statuses.append(answer.http_response.status_code)  # noqa: E731
        self.of(table).delete_entity(partition, row, raw_response_hook=hook, **condition(tag))
        if 404 in statuses:
            raise Rejected(404, "ResourceNotFound")

    def found(self, table, query=None, select=None, size=None):
        options = {"select": select, "results_per_page": size}
        one = self.of(table)
        return one.query_entities(query, **options) if query else one.list_entities(**options)

    @sent
    def list(self, table, query=None, select=None):
        return [read(item) for item in self.found(table, query, select)]

    @sent
    def first(self, table):
        """Reads one entity of a query and abandons the rest."""
        return read(next(iter(self.found(table))))

    @sent
    def page(self, table, size=None, token=None, query=None):
        """Returns one page and its continuation token."""
        pages = self.found(table, query, size=size).by_page(token)
        page = [read(item) for item in next(pages)]
        return page, pages.continuation_token

    @sent
    def transaction(self, table, operations):
        def written(kind, entity, *tag):
            options = condition(tag[0] if tag else None)
            if kind.startswith("upsert"):
                return "upsert", encode(entity), {"mode": MODES[kind.removeprefix("upsert-")]}
            if kind in MODES:
                return "update", encode(entity), {"mode": MODES[kind], **options}
            return {"insert": "create"}.get(kind, kind), encode(entity), options

        answers = self.of(table).submit_transaction([written(*operation) for operation in operations])
        return [answer.get("etag") for answer in answers]

    @sent
    def policies(self, table):
        found = self.of(table).get_table_access_policy()
        return {name: policy and (policy.permission, policy.start, policy.expiry) for name, policy in found.items()}

    @sent
    def set_policies(self, table, policies):
        made = {name: TableAccessPolicy(permission=rights, start=start, expiry=end) for name, (rights, start, end) in policies.items()}
        self.of(table).set_table_access_policy(made)

    @sent
    def set_properties(self, days=None, origins=()):
        retention = TableRetentionPolicy(enabled=days is not None, days=days)
        logging = TableAnalyticsLogging(read=True, write=True, delete=False, retention_policy=retention)
        metrics = TableMetrics(enabled=True, include_apis=True, retention_policy=retention)
        cors = [TableCorsRule([origin], ["GET"], max_age_in_seconds=60) for origin in origins]
        self.service.set_service_properties(analytics_logging=logging, hour_metrics=metrics, cors=cors)

    @sent
    def properties(self):
        """Returns what the logging covers, its days, whether metrics are on, and the origins of the CORS rules."""
        found = self.service.get_service_properties()
        logging, metrics = found["analytics_logging"], found["hour_metrics"]
        covers = (logging.read, logging.write, logging.delete)
        origins = [",".join(rule.allowed_origins) for rule in found["cors"]]
        return covers, logging.retention_policy.days, metrics.enabled, origins

    @sent
    def statistics(self):
        return self.service.get_service_stats()["geo_replication"]["status"]
