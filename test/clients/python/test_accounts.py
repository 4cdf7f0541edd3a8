"""Accounts, addresses and tokens."""

import base64
import os

import pytest

from model import entity, rejected

check = pytest.mark.check


def write_and_read(client, table):
    client.create_table(table)
    client.insert(table, entity(A=1))
    assert client.get(table, "p", "r").properties["A"] == ("Int32", "1")


def write_together(client, table):
    client.create_table(table)
    client.transaction(table, [("insert", entity(row="1")), ("insert", entity(row="2"))])
    assert [row.row for row in client.list(table)] == ["1", "2"]


@check("auth.shared-key")
def test_a_key_writes_and_reads(client, new_name):
    write_and_read(client, new_name())


@check("auth.connection-string")
def test_a_connection_string_writes_and_reads(driver, new_name):
    write_and_read(driver.open("connection-string"), new_name())


@check("auth.wrong-key")
def test_a_wrong_key_is_rejected(driver):
    key = base64.b64encode(b"another key").decode()
    with rejected(403, "AuthenticationFailed"):
        driver.open(key=key).table_pages()


@check("auth.host-style")
def test_an_account_in_the_host_name_writes_and_reads(driver, new_name):
    write_and_read(driver.open("host"), new_name())


@check("auth.host-style-transaction")
def test_an_account_in_the_host_name_writes_together(driver, new_name):
    write_together(driver.open("host"), new_name())


@check("auth.secondary-read")
def test_the_secondary_endpoint_reads(client, driver, table):
    client.insert(table, entity(A=1))
    assert driver.open("secondary").get(table, "p", "r").properties["A"] == ("Int32", "1")


@check("auth.secondary-write")
def test_the_secondary_endpoint_rejects_writes(driver, table):
    with rejected(403, "InsufficientAccountPermissions"):
        driver.open("secondary").insert(table, entity())


@check("auth.https")
def test_https_writes_and_reads(driver, new_name):
    write_and_read(driver.open("https"), new_name())


@check("auth.https-transaction")
def test_https_writes_together(driver, new_name):
    write_together(driver.open("https"), new_name())


@check("auth.https-untrusted")
def test_the_client_rejects_a_certificate_that_is_not_trusted(driver):
    with pytest.raises(Exception, match="(?i)certificate"):
        driver.open("https", trusted=False).table_pages()


@check("auth.bearer")
def test_a_token_writes_and_reads(driver, new_name):
    write_and_read(driver.open("https", token=os.environ["TABLES_TOKEN"]), new_name())


@check("auth.bearer-transaction")
def test_a_token_writes_together(driver, new_name):
    write_together(driver.open("https", token=os.environ["TABLES_TOKEN"]), new_name())


@check("auth.bearer-expired")
def test_an_expired_token_is_rejected(driver):
    with rejected((401, 403)):
        driver.open("https", token=os.environ["TABLES_EXPIRED_TOKEN"]).table_pages()
