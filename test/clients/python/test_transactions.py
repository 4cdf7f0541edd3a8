"""Transactions."""

import pytest

from model import CASES, entity, expand, rejected, same

check = pytest.mark.check


def inserts(count, partition="p"):
    return [("insert", entity(partition, f"{at:03}", A=at)) for at in range(count)]


@check("batch.hundred")
def test_100_inserts_are_stored_together(client, table):
    client.transaction(table, inserts(100))
    assert [row.row for row in client.list(table)] == [f"{at:03}" for at in range(100)]


@check("batch.mixed")
def test_all_operations_are_mixed(client, table):
    for row in ("merge", "replace", "delete"):
        client.insert(table, entity(row=row, A=1))
    client.transaction(
        table,
        [
            ("insert", entity(row="insert", B=2)),
            ("merge", entity(row="merge", B=2)),
            ("replace", entity(row="replace", B=2)),
            ("upsert-merge", entity(row="upsert-merge", B=2)),
            ("upsert-replace", entity(row="upsert-replace", B=2)),
            ("delete", entity(row="delete")),
        ],
    )
    found = {row.row: sorted(name for name in row.properties if name in "AB") for row in client.list(table)}
    both, new = ["A", "B"], ["B"]
    assert found == {"insert": new, "merge": both, "replace": new, "upsert-merge": new, "upsert-replace": new}


@check("batch.results")
def test_the_answer_has_a_result_for_each(client, table):
    tags = client.transaction(table, inserts(3))
    assert tags == [row.tag for row in client.list(table)]


@check("batch.index")
def test_a_failure_names_its_operation(client, table):
    client.insert(table, entity(row="001"))
    with rejected(409, "EntityAlreadyExists") as rejection:
        client.transaction(table, inserts(3))
    assert rejection[0].index == 1


@check("batch.index-last")
def test_a_failure_of_the_last_has_index_99(client, table):
    client.insert(table, entity(row="099"))
    with rejected(409, "EntityAlreadyExists") as rejection:
        client.transaction(table, inserts(100))
    assert rejection[0].index == 99


@check("batch.atomic")
def test_a_failed_transaction_writes_nothing(client, table):
    with rejected(404, "ResourceNotFound"):
        client.transaction(table, [*inserts(2), ("replace", entity(row="missing"))])
    assert client.list(table) == []


@check("batch.duplicate")
def test_one_entity_twice_is_rejected(client, table):
    with rejected(400, "InvalidDuplicateRow"):
        client.transaction(table, [("upsert-merge", entity()), ("upsert-merge", entity())])


@check("batch.too-many")
def test_101_operations_are_rejected(client, table):
    with rejected(400):
        client.transaction(table, inserts(101))


@check("batch.partitions")
def test_two_partitions_are_rejected(client, table):
    with rejected(400):
        client.transaction(table, inserts(1) + inserts(1, "q"))


@check("batch.after-failure")
def test_the_client_works_after_a_rejection(client, table):
    client.insert(table, entity(row="000"))
    with rejected(409):
        client.transaction(table, inserts(100))
    client.insert(table, entity(row="after"))
    assert [row.row for row in client.list(table)] == ["000", "after"]


@check("batch.stale")
def test_an_old_tag_is_rejected(client, table):
    old = client.insert(table, entity(row="x"))
    client.update(table, entity(row="x", A=1), "replace")
    with rejected(412, "UpdateConditionNotSatisfied") as rejection:
        client.transaction(table, [*inserts(1), ("replace", entity(row="x"), old)])
    assert rejection[0].index == 1


@pytest.mark.parametrize(("check", "key"), [("batch.quote", "it's"), ("batch.unicode", "naïve 你好 😀")])
def test_any_key_can_be_changed(client, table, check, key):
    client.transaction(table, [("insert", entity(key, row, A=1)) for row in (key, key + "2")])
    client.transaction(table, [("merge", entity(key, key, B=2)), ("delete", entity(key, key + "2"))])
    [row] = client.list(table)
    assert row.row == key and row.properties["B"] == ("Int32", "2")


@check("batch.types")
def test_values_keep_their_type(client, table):
    wanted = {check: (kind, expand(text)) for check, (kind, text) in CASES["values"].items() if "long" not in check}
    client.transaction(table, [("insert", entity(row=check, V=value)) for check, value in wanted.items()])
    found = {row.row: row.properties["V"] for row in client.list(table)}
    assert [check for check, value in wanted.items() if not same(value, found[check])] == []


@check("batch.missing-table")
def test_a_missing_table_is_rejected(client, new_name):
    with rejected(404, "TableNotFound"):
        client.transaction(new_name(), inserts(2))
