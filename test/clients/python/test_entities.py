"""Entities and their tags."""

from datetime import datetime, timedelta, timezone

import pytest

from model import entity, rejected

check = pytest.mark.check


def numbers(row):
    return {name: int(text) for name, (kind, text) in row.properties.items() if kind == "Int32"}


@check("entity.insert")
def test_an_entity_is_read_as_written(client, table):
    client.insert(table, entity(A=1, B=("String", "two")))
    row = client.get(table, "p", "r")
    assert (row.partition, row.row) == ("p", "r")
    assert row.properties["A"] == ("Int32", "1")
    assert row.properties["B"] == ("String", "two")


@check("entity.insert-twice")
def test_a_second_insert_is_rejected(client, table):
    client.insert(table, entity())
    with rejected(409, "EntityAlreadyExists"):
        client.insert(table, entity())


@check("entity.get-missing")
def test_reading_a_missing_entity_is_rejected(client, table):
    with rejected(404, "ResourceNotFound"):
        client.get(table, "p", "r")


@check("entity.get-select")
def test_a_read_selects_properties(client, table):
    client.insert(table, entity(A=1, B=2))
    assert numbers(client.get(table, "p", "r", ["A"])) == {"A": 1}


@check("entity.replace")
def test_replace_removes_the_rest(client, table):
    client.insert(table, entity(A=1, B=2))
    client.update(table, entity(B=3), "replace")
    assert numbers(client.get(table, "p", "r")) == {"B": 3}


@check("entity.replace-missing")
def test_replacing_a_missing_entity_is_rejected(client, table):
    with rejected(404, "ResourceNotFound"):
        client.update(table, entity(), "replace")


@check("entity.merge")
def test_merge_keeps_the_rest(client, table):
    client.insert(table, entity(A=1, B=2))
    client.update(table, entity(B=3), "merge")
    assert numbers(client.get(table, "p", "r")) == {"A": 1, "B": 3}


@check("entity.merge-missing")
def test_merging_into_a_missing_entity_is_rejected(client, table):
    with rejected(404, "ResourceNotFound"):
        client.update(table, entity(), "merge")


@pytest.mark.parametrize(
    ("check", "mode", "before", "after"),
    [
        ("entity.upsert-replace-new", "replace", None, {"B": 3}),
        ("entity.upsert-replace-old", "replace", {"A": 1}, {"B": 3}),
        ("entity.upsert-merge-new", "merge", None, {"B": 3}),
        ("entity.upsert-merge-old", "merge", {"A": 1}, {"A": 1, "B": 3}),
    ],
)
def test_an_upsert_writes_in_any_case(client, table, check, mode, before, after):
    if before:
        client.insert(table, entity(**before))
    client.upsert(table, entity(B=3), mode)
    assert numbers(client.get(table, "p", "r")) == after


@check("entity.delete")
def test_a_deleted_entity_is_not_found(client, table):
    client.insert(table, entity())
    client.delete(table, "p", "r")
    with rejected(404, "ResourceNotFound"):
        client.get(table, "p", "r")


@check("entity.delete-missing")
def test_deleting_a_missing_entity_is_rejected(client, table):
    with rejected(404, "ResourceNotFound"):
        client.delete(table, "p", "r")


@check("entity.timestamp")
def test_the_service_sets_the_timestamp(client, table):
    client.insert(table, entity())
    age = datetime.now(timezone.utc) - client.get(table, "p", "r").timestamp
    assert abs(age) < timedelta(hours=1)


@check("entity.no-properties")
def test_an_entity_of_keys_alone_is_stored(client, table):
    client.insert(table, entity())
    assert numbers(client.get(table, "p", "r")) == {}


@check("entity.many-properties")
def test_252_properties_are_stored(client, table):
    wanted = {f"P{at}": at for at in range(252)}
    client.insert(table, entity(**wanted))
    assert numbers(client.get(table, "p", "r")) == wanted


@check("entity.too-many-properties")
def test_253_properties_are_rejected(client, table):
    with rejected(400, "TooManyProperties"):
        client.insert(table, entity(**{f"P{at}": at for at in range(253)}))


@check("entity.too-large")
def test_an_entity_over_a_mebibyte_is_rejected(client, table):
    with rejected(400, "EntityTooLarge"):
        client.insert(table, entity(**{f"P{at}": ("String", "x" * 32000) for at in range(17)}))


@check("entity.large-property")
def test_a_string_over_64_kibibytes_is_rejected(client, table):
    with rejected(400, "PropertyValueTooLarge"):
        client.insert(table, entity(A=("String", "x" * 32769)))


@check("entity.property-name")
def test_a_property_name_with_a_hyphen_is_rejected(client, table):
    with rejected(400, "PropertyNameInvalid"):
        client.insert(table, entity(**{"a-b": 1}))


@check("entity.long-key")
def test_a_key_over_a_kibibyte_is_rejected(client, table):
    with rejected(400):
        client.insert(table, entity("p" * 513))


@check("tag.insert")
def test_an_insert_returns_the_tag(client, table):
    tag = client.insert(table, entity())
    assert tag and tag == client.get(table, "p", "r").tag


@check("tag.changes")
def test_every_write_changes_the_tag(client, table):
    tags = [client.insert(table, entity(A=1)), client.update(table, entity(A=1), "replace")]
    tags += [client.update(table, entity(A=1), "merge"), client.upsert(table, entity(A=1), "replace")]
    assert len(set(tags)) == 4
    assert client.get(table, "p", "r").tag == tags[-1]


@pytest.mark.parametrize(("check", "mode"), [("tag.replace", "replace"), ("tag.merge", "merge")])
def test_the_current_tag_allows_a_write(client, table, check, mode):
    tag = client.insert(table, entity(A=1))
    client.update(table, entity(A=2), mode, tag)
    assert numbers(client.get(table, "p", "r")) == {"A": 2}


@check("tag.delete")
def test_the_current_tag_allows_a_delete(client, table):
    client.delete(table, "p", "r", client.insert(table, entity()))
    assert client.list(table) == []


@pytest.mark.parametrize(("check", "mode"), [("tag.stale-replace", "replace"), ("tag.stale-merge", "merge")])
def test_an_old_tag_rejects_a_write(client, table, check, mode):
    old = client.insert(table, entity(A=1))
    client.update(table, entity(A=2), "replace")
    with rejected(412, "UpdateConditionNotSatisfied"):
        client.update(table, entity(A=3), mode, old)


@check("tag.stale-delete")
def test_an_old_tag_rejects_a_delete(client, table):
    old = client.insert(table, entity(A=1))
    client.update(table, entity(A=2), "replace")
    with rejected(412, "UpdateConditionNotSatisfied"):
        client.delete(table, "p", "r", old)
