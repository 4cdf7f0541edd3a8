import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from books import Books


def check_reasons(branch, number):
    books = Books(branch.connection_string)
    books.create()
    assert books.find(f"row-{number}") == 404
    assert re.findall(r"row-\d+", branch.explain()) == [f"row-{number}"]


@pytest.mark.parametrize("number", range(64))
def test_has_reasons_of_its_own(tabularium, number):
    check_reasons(tabularium, number)


def test_has_them_on_64_threads(tabularium_server):
    def test(number):
        with tabularium_server.branch(f"thread {number}") as branch:
            check_reasons(branch, number)

    with ThreadPoolExecutor(64) as pool:
        list(pool.map(test, range(64)))


def test_prints_nothing_if_nothing_went_wrong(tabularium):
    Books(tabularium.connection_string).create()
    assert tabularium.explain() == ""


def test_has_faults_of_its_own(tabularium, tabularium_server):
    books = Books(tabularium.connection_string)
    books.create()
    tabularium.fault("op=get fault=ServerBusy times=1")
    with tabularium_server.branch() as other:
        others = Books(other.connection_string)
        others.create()
        assert [others.find("1"), books.find("1"), books.find("1")] == [404, 503, 404]


@pytest.fixture(scope="module")
def base(tabularium_server):
    with tabularium_server.branch() as branch:
        books = Books(branch.connection_string)
        books.create()
        assert books.send("POST", "/Books", {"PartitionKey": "math", "RowKey": "1"})[0] == 201
        tabularium_server.snapshot("base", account=branch.account)


@pytest.mark.usefixtures("base")
class TestCopies:
    @pytest.mark.tabularium(source="base")
    def test_starts_with_the_data_of_a_snapshot(self, base, tabularium):
        assert Books(tabularium.connection_string).find("1") == 200

    def test_is_not_changed_by_others(self, tabularium_server):
        with tabularium_server.branch(source="base") as branch:
            assert Books(branch.connection_string).send("DELETE", "/Books(PartitionKey='math',RowKey='1')", etag="*")[0] == 204
        with tabularium_server.branch(source="base") as branch:
            assert Books(branch.connection_string).find("1") == 200


def test_a_missing_snapshot_is_told_with_the_name_of_the_test(tabularium_server):
    with pytest.raises(Exception, match=r"^There is no branch for the test 'ships'\. POST .* answers 404: .*There is no snapshot missing"):
        tabularium_server.branch("ships", "missing")
