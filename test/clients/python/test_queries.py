"""Values, keys, filters and pages."""

import pytest

from model import CASES, Cannot, entity, expand, rejected, same

check = pytest.mark.check


@pytest.mark.parametrize("check", CASES["values"])
def test_a_value_keeps_its_type(client, table, check):
    kind, text = CASES["values"][check]
    wanted = (kind, expand(text))
    client.insert(table, entity(V=wanted))
    found = client.get(table, "p", "r").properties["V"]
    assert same(wanted, found), found
    [listed] = client.list(table)
    assert same(wanted, listed.properties["V"])


@pytest.mark.parametrize("check", CASES["keys"])
def test_a_key_makes_the_round_trip(client, table, check):
    key = expand(CASES["keys"][check])
    client.insert(table, entity(key, key, A=1))
    row = client.get(table, key, key)
    assert (row.partition, row.row) == (key, key)
    client.update(table, entity(key, key, B=2), "merge")
    quoted = key.replace("'", "''")
    [found] = client.list(table, f"PartitionKey eq '{quoted}' and RowKey eq '{quoted}'")
    assert found.properties["A"] == ("Int32", "1") and found.properties["B"] == ("Int32", "2")
    client.delete(table, key, key)
    assert client.list(table) == []


@pytest.mark.parametrize("check", CASES["filters"])
def test_a_filter_finds_its_rows(client, driver, rows, check):
    if check == "filter.datetime-ticks" and not driver.has_ticks:
        raise Cannot("the client writes instants of whole seconds")
    query, wanted = CASES["filters"][check]
    assert [row.partition + row.row for row in client.list(rows, query or None)] == wanted.split()


@check("filter.invalid")
def test_an_invalid_filter_is_rejected(client, rows):
    with rejected(400, "InvalidInput"):
        client.list(rows, "Int eq")


@check("filter.select")
def test_a_query_selects_properties(client, rows):
    [row] = client.list(rows, "PartitionKey eq 'a' and RowKey eq '1'", ["Int"])
    assert row.properties == {"Int": ("Int32", "-5")}


def pages(client, table, **options):
    token, found = None, []
    while True:
        page, token = client.page(table, token=token, **options)
        found.append([row.row for row in page])
        if not token:
            return found


@check("page.default")
def test_pages_have_a_thousand_entities(client, many):
    assert [len(page) for page in pages(client, many)] == [1000, 1000, 50]


@check("page.all")
def test_an_iterator_returns_all(client, many):
    assert [row.row for row in client.list(many)] == [f"{at:05}" for at in range(2050)]


@check("page.size")
def test_a_page_has_the_asked_size(client, many):
    assert [len(page) for page in pages(client, many, size=700)] == [700, 700, 650]


@check("page.resume")
def test_a_token_continues_in_another_client(client, driver, many):
    _, token = client.page(many, size=300)
    page, _ = driver.open().page(many, size=2, token=token)
    assert [row.row for row in page] == ["00300", "00301"]


@check("page.filter")
def test_a_filter_finds_few_among_many(client, many):
    found = [row.row for row in client.list(many, "N eq 3 or N eq 2049")]
    assert found == ["00003", "02049"]


@check("page.cancel")
def test_an_abandoned_query_leaves_a_usable_client(client, many):
    for _ in range(3):
        assert client.first(many).row == "00000"
    assert client.get(many, "p", "00007").row == "00007"


@check("page.empty")
def test_a_query_that_finds_nothing_returns_nothing(client, many):
    assert client.list(many, "N eq -1") == []
