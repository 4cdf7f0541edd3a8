"""Opens the clients that are installed, and reports every check to the file in TABLES_RESULTS."""

import importlib.util
import itertools
import json
import os
import socket

import pytest

from model import CASES, Cannot, Signature, entity

if importlib.util.find_spec("azure.cli"):
    from cli_driver import CliDriver

    DRIVERS = [CliDriver]
elif importlib.util.find_spec("azure.data"):
    from tables_driver import AsyncDriver, Driver

    DRIVERS = [Driver, AsyncDriver]
else:
    from legacy_driver import LegacyDriver

    DRIVERS = [LegacyDriver]

numbers = itertools.count(1)


def pytest_configure(config):
    config.addinivalue_line("markers", "check(id): the check of checks.md that the test holds")


@pytest.fixture(scope="session", autouse=True)
def names_below_localhost():
    """Not every resolver knows the names below localhost."""
    resolve = socket.getaddrinfo

    def patched(host, *rest, **options):
        name = host.decode() if isinstance(host, bytes) else host
        return resolve("127.0.0.1" if name and name.endswith(".localhost") else host, *rest, **options)

    socket.getaddrinfo = patched
    yield
    socket.getaddrinfo = resolve


@pytest.fixture(scope="session", params=DRIVERS, ids=lambda driver: driver.__name__)
def driver(request):
    one = request.param()
    yield one
    one.close()


@pytest.fixture(scope="session")
def client(driver):
    """The client with the account key, over HTTP."""
    return driver.open()


@pytest.fixture
def new_name(driver):
    """Returns names of tables that no other test uses."""
    return lambda: f"{driver.prefix}{next(numbers)}"


@pytest.fixture
def table(client, new_name):
    name = new_name()
    client.create_table(name)
    yield name
    client.delete_table(name)


@pytest.fixture
def signed(driver):
    """Returns a client with a shared access signature."""
    return lambda **rights: driver.open(sas=driver.sign(Signature(**rights)))


@pytest.fixture(scope="session")
def rows(client, driver):
    """A table with the rows of cases.json."""
    name = f"{driver.prefix}rows"
    client.create_table(name)
    for partition, row, *texts in CASES["rows"]:
        typed = {key: (kind, text) for (key, kind), text in zip(CASES["columns"].items(), texts)}
        if not driver.has_ticks:
            typed["When"] = ("DateTime", typed["When"][1][:19] + "Z")
        client.insert(name, entity(partition, row, **typed))
    return name


@pytest.fixture(scope="session")
def many(client, driver):
    """A table with 2,050 entities of one partition."""
    name = f"{driver.prefix}many"
    client.create_table(name)
    for start in range(0, 2050, 100):
        batch = [("insert", entity("p", f"{at:05}", N=at)) for at in range(start, min(start + 100, 2050))]
        driver.seed(name, batch)
    return name


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    cannot = item.callspec.params["driver"].cannot
    if check_of(item) in cannot:
        raise Cannot(cannot[check_of(item)])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and call.excinfo and call.excinfo.errisinstance(Cannot):
        report.outcome, report.wasxfail = "skipped", str(call.excinfo.value)
    if report.when == "call" or report.failed:
        write_result(item, report, call)


def check_of(item):
    """Returns the id of the check that a test holds."""
    marker = item.get_closest_marker("check")
    return marker.args[0] if marker else item.callspec.params["check"]


def write_result(item, report, call):
    check = check_of(item)
    driver = item.callspec.params["driver"]
    result = {"passed": "held", "skipped": "cannot"}.get(report.outcome, "failed")
    why = str(call.excinfo.value) if call.excinfo else ""
    line = {"client": driver.name, "version": driver.version, "check": check, "result": result, "why": why[:500]}
    with open(os.environ["TABLES_RESULTS"], "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
