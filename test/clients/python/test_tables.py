"""Tables."""

import pytest

from model import entity, rejected

check = pytest.mark.check


def names(client, *query):
    return [name for page in client.table_pages(*query) for name in page]


@check("table.create")
def test_a_table_is_created_and_listed(client, table):
    assert table in names(client)


@check("table.create-twice")
def test_a_second_creation_is_rejected(client, table):
    with rejected(409, "TableAlreadyExists"):
        client.create_table(table)


@check("table.create-case")
def test_a_name_that_differs_only_in_case_is_rejected(client, table):
    with rejected(409, "TableAlreadyExists"):
        client.create_table(table.upper())


@check("table.invalid-name")
def test_an_invalid_name_is_rejected(client):
    with rejected(400):
        client.create_table("a-b")


@check("table.delete")
def test_a_deleted_table_is_not_listed(client, new_name):
    name = new_name()
    client.create_table(name)
    client.delete_table(name)
    assert name not in names(client)


@check("table.delete-missing")
def test_deleting_a_missing_table_is_rejected(client, new_name):
    with rejected(404, "ResourceNotFound"):
        client.delete_table(new_name())


@check("table.recreate")
def test_a_table_created_again_is_empty(client, table):
    client.insert(table, entity())
    client.delete_table(table)
    client.create_table(table)
    assert client.list(table) == []


@check("table.filter")
def test_a_filter_finds_its_table(client, table):
    assert names(client, f"TableName eq '{table}'") == [table]


@check("table.pages")
def test_tables_are_listed_in_pages(client, new_name):
    made = sorted(f"pages{new_name()}" for _ in range(5))
    for name in made:
        client.create_table(name)
    pages = client.table_pages("TableName ge 'pages' and TableName lt 'paget'", 2)
    mine = [name for page in pages for name in page if name in made]
    assert sorted(mine) == made
    assert max(len(page) for page in pages) == 2
    for name in made:
        client.delete_table(name)


@check("table.missing")
def test_writing_to_a_missing_table_is_rejected(client, new_name):
    with rejected(404, "TableNotFound"):
        client.insert(new_name(), entity())
