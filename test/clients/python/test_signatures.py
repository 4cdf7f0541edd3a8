"""Shared access signatures, stored policies and service properties."""

from datetime import timedelta

import pytest

from model import Signature, entity, hours, rejected

check = pytest.mark.check


@pytest.fixture
def filled(client, table):
    for partition in ("a", "b", "c"):
        client.insert(table, entity(partition, "r", A=1))
    return table


def keys(rows):
    return [row.partition + row.row for row in rows]


@check("sas.query")
def test_query_lists_and_reads(signed, filled):
    one = signed(table=filled, permissions="r", expiry=hours(1))
    assert keys(one.list(filled)) == ["ar", "br", "cr"]
    assert one.get(filled, "a", "r").row == "r"


@check("sas.add")
def test_add_inserts(client, signed, filled):
    signed(table=filled, permissions="a", expiry=hours(1)).insert(filled, entity("d"))
    assert client.get(filled, "d", "r").row == "r"


@check("sas.update")
def test_update_merges_and_replaces(client, signed, filled):
    one = signed(table=filled, permissions="u", expiry=hours(1))
    one.update(filled, entity("a", A=2), "merge")
    one.update(filled, entity("b", A=2), "replace")
    assert [row.properties["A"][1] for row in client.list(filled)] == ["2", "2", "1"]


@check("sas.delete")
def test_delete_deletes(client, signed, filled):
    signed(table=filled, permissions="d", expiry=hours(1)).delete(filled, "a", "r")
    assert keys(client.list(filled)) == ["br", "cr"]


@check("sas.upsert")
def test_add_and_update_upsert(client, signed, filled):
    one = signed(table=filled, permissions="au", expiry=hours(1))
    one.upsert(filled, entity("d"), "merge")
    one.upsert(filled, entity("a"), "replace")
    assert keys(client.list(filled)) == ["ar", "br", "cr", "dr"]


MISMATCH = (403, "AuthorizationPermissionMismatch")


@check("sas.no-query")
def test_a_read_needs_query(signed, filled):
    with rejected(*MISMATCH):
        signed(table=filled, permissions="a", expiry=hours(1)).list(filled)


@check("sas.no-add")
def test_an_insert_needs_add(signed, filled):
    with rejected(*MISMATCH):
        signed(table=filled, permissions="r", expiry=hours(1)).insert(filled, entity("d"))


@check("sas.no-delete")
def test_a_delete_needs_delete(signed, filled):
    with rejected(*MISMATCH):
        signed(table=filled, permissions="rau", expiry=hours(1)).delete(filled, "a", "r")


@check("sas.upsert-half")
def test_an_upsert_needs_add_and_update(signed, filled):
    with rejected(*MISMATCH):
        signed(table=filled, permissions="u", expiry=hours(1)).upsert(filled, entity("a"), "merge")


@check("sas.transaction")
def test_a_signature_allows_a_transaction(client, signed, filled):
    one = signed(table=filled, expiry=hours(1))
    one.transaction(filled, [("insert", entity("a", "s")), ("delete", entity("a", "r"))])
    assert keys(client.list(filled)) == ["as", "br", "cr"]


@check("sas.other-table")
def test_another_table_is_rejected(client, signed, filled, new_name):
    other = new_name()
    client.create_table(other)
    with rejected(403):
        signed(table=filled, expiry=hours(1)).list(other)
    client.delete_table(other)


@check("sas.expired")
def test_an_expired_signature_is_rejected(signed, filled):
    with rejected(403, "AuthenticationFailed"):
        signed(table=filled, start=hours(-2), expiry=hours(-1)).list(filled)


@check("sas.early")
def test_a_signature_that_is_not_valid_yet_is_rejected(signed, filled):
    with rejected(403, "AuthenticationFailed"):
        signed(table=filled, start=hours(1), expiry=hours(2)).list(filled)


@check("sas.tampered")
def test_a_changed_signature_is_rejected(driver, filled):
    text = driver.sign(Signature(table=filled, permissions="r", expiry=hours(1)))
    changed = text.replace("sp=r", "sp=raud")
    assert changed != text
    with rejected(403, "AuthenticationFailed"):
        driver.open(sas=changed).list(filled)


RANGE = ("b", "", "c", "z")


@check("sas.range-list")
def test_a_list_stays_in_the_signed_range(signed, filled):
    one = signed(table=filled, expiry=hours(1), keys=RANGE)
    assert keys(one.list(filled)) == ["br", "cr"]


@check("sas.range-write")
def test_a_write_outside_of_the_range_is_rejected(signed, filled):
    with rejected(403, "AuthorizationFailure"):
        signed(table=filled, expiry=hours(1), keys=RANGE).insert(filled, entity("a", "new"))


@check("sas.address")
def test_a_signed_address_is_accepted(signed, filled):
    assert len(signed(table=filled, expiry=hours(1), address="127.0.0.1").list(filled)) == 3


@check("sas.other-address")
def test_another_address_is_rejected(driver, filled):
    text = driver.sign(Signature(table=filled, expiry=hours(1), address="10.0.0.1-10.0.0.9"))
    with rejected(403, "AuthorizationSourceIPMismatch"):
        driver.open(sas=text).list(filled)


@check("sas.https-only")
def test_a_signature_for_https_is_rejected_over_http(signed, filled):
    with rejected(403, "AuthorizationProtocolMismatch"):
        signed(table=filled, expiry=hours(1), https_only=True).list(filled)


@check("sas.policy")
def test_a_stored_policy_gives_its_rights(client, signed, filled):
    client.set_policies(filled, {"reader": ("r", hours(-1), hours(1))})
    one = signed(table=filled, policy="reader")
    assert len(one.list(filled)) == 3
    with rejected(*MISMATCH):
        one.insert(filled, entity("d"))


@check("sas.policy-removed")
def test_a_removed_policy_is_rejected(client, signed, filled):
    client.set_policies(filled, {"reader": ("r", hours(-1), hours(1))})
    client.set_policies(filled, {})
    with rejected(403, "AuthenticationFailed"):
        signed(table=filled, policy="reader").list(filled)


@check("sas.account")
def test_an_account_signature_manages_tables(signed, new_name):
    one, name = signed(permissions="rwdlacu", expiry=hours(1)), new_name()
    one.create_table(name)
    assert name in [listed for page in one.table_pages() for listed in page]
    one.delete_table(name)


@check("sas.account-entities")
def test_an_account_signature_writes_and_reads(signed, filled):
    one = signed(permissions="rwdlacu", expiry=hours(1))
    one.insert(filled, entity("d"))
    assert len(one.list(filled)) == 4


@check("sas.account-no-type")
def test_another_resource_type_is_rejected(signed, filled):
    with rejected(403, "AuthorizationResourceTypeMismatch"):
        signed(permissions="rwdlacu", types="s", expiry=hours(1)).list(filled)


@check("sas.account-no-right")
def test_another_right_is_rejected(signed, filled):
    with rejected(*MISMATCH):
        signed(permissions="r", expiry=hours(1)).insert(filled, entity("d"))


@check("policy.write")
def test_policies_are_read_as_written(client, table):
    start = hours(-1).replace(microsecond=0)
    end = start + timedelta(hours=2)
    client.set_policies(table, {"one": ("r", start, end), "two": ("raud", start, end)})
    found = client.policies(table)
    assert {name: policy[0] for name, policy in found.items()} == {"one": "r", "two": "raud"}
    assert found["one"][2] - found["one"][1] == timedelta(hours=2)


@check("policy.replace")
def test_new_policies_replace_the_old(client, table):
    client.set_policies(table, {"one": ("r", hours(-1), hours(1))})
    client.set_policies(table, {"two": ("a", hours(-1), hours(1))})
    assert list(client.policies(table)) == ["two"]


@check("policy.partial")
def test_a_policy_without_a_start_keeps_the_rest(client, table):
    client.set_policies(table, {"one": ("r", None, hours(1))})
    rights, start, end = client.policies(table)["one"]
    assert rights == "r" and not start and end


@check("policy.none")
def test_a_new_table_has_no_policies(client, table):
    assert client.policies(table) == {}


@check("service.properties")
def test_properties_are_read_as_written(client):
    client.set_properties(days=7, origins=["http://one.example", "http://two.example"])
    found = client.properties()
    assert found == ((True, True, False), 7, True, ["http://one.example", "http://two.example"])
    client.set_properties()


@check("service.retention")
def test_a_retention_of_366_days_is_rejected(client):
    with rejected(400):
        client.set_properties(days=366)


@check("service.cors-many")
def test_six_rules_are_rejected(client):
    with rejected(400):
        client.set_properties(origins=[f"http://{at}.example" for at in range(6)])


@check("service.statistics")
def test_the_secondary_endpoint_has_statistics(driver):
    assert driver.open("statistics").statistics() == "live"
