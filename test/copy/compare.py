"""Compares the tables of two accounts with the official SDK: counts, values and types. Prints the counts as JSON."""

import json
import sys

from azure.data.tables import TableServiceClient


def entities(service, table):
    """Returns the entities of a table by their keys, each with the types of its values."""
    found = {}
    for entity in service.get_table_client(table).list_entities():
        members = sorted((name, type(value).__name__, str(value), ticks(value)) for name, value in entity.items())
        found[(entity["PartitionKey"], entity["RowKey"])] = members
    return found


def ticks(value):
    """Returns a date as the service wrote it, because a datetime has no ticks."""
    return getattr(value, "tables_service_value", "")


def main(one, other):
    source, target = (TableServiceClient.from_connection_string(text) for text in (one, other))
    names = sorted(table.name for table in source.list_tables())
    assert names == sorted(table.name for table in target.list_tables()), names
    counts = {}
    for name in names:
        expected, found = entities(source, name), entities(target, name)
        for key, members in expected.items():
            assert found.get(key) == members, (name, key, members, found.get(key))
        assert len(found) == len(expected), (name, len(expected), len(found))
        counts[name] = len(found)
    print(json.dumps(counts))


main(*sys.argv[1:])
