"""A throwaway Azure Table Storage account for each test, and the reasons of rejected requests beneath each failure."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Iterator, Sequence

import pytest

__all__ = ["Branch", "Server", "TabulariumError"]

READY_SECONDS = 30
END_SECONDS = 5
OWN_WORDS = ("start", "--inMemoryPersistence", "--tablePort", "0", "--silent", "--endWithStdin", "--ready", "json")


class TabulariumError(Exception):
    """There is no server, or it rejected a call. The message says why."""


class Branch:
    """An account of its own, with a single key. As a context manager it is deleted at the end."""

    def __init__(self, server: Server, made: dict[str, Any]) -> None:
        self._server = server
        self.account: str = made["account"]
        self.connection_string: str = made["connectionString"]
        self.endpoint = f"{server.url}/{self.account}"

    def fault(self, words: str) -> None:
        """Makes requests of this account fail by a rule, such as ``op=insert fault=ServerBusy times=2``."""
        self._server.ask("POST", "faults", {"rules": f"account={self.account} {words}"})

    def explain(self) -> str:
        """Returns why requests were rejected, as lines for people; empty if nothing went wrong. Never raises."""
        try:
            return str(self._server.ask("GET", f"branches/{self.account}/report")["text"])
        except TabulariumError as error:
            return f"There is no report of the branch {self.account}. {error}"

    def delete(self) -> None:
        """Deletes the account and its data. It may be gone already."""
        self._server.ask("DELETE", f"branches/{self.account}", may_be_missing=True)

    def __enter__(self) -> Branch:
        return self

    def __exit__(self, *_: object) -> None:
        self.delete()


class Server:
    """A running server: the one at ``TABULARIUM_URL``, or one that ends with this process."""

    def __init__(self, url: str, connection_string: str, token: str | None) -> None:
        self.url = url.rstrip("/")
        self.connection_string = connection_string
        self._token = token
        # Without proxies: the server is on this machine or in its network.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def branch(self, mark: str | None = None, source: str = "empty") -> Branch:
        """Creates an account: empty, or a copy of a snapshot or an account. ``mark`` is the name of the test."""
        asked = {"from": source} if mark is None else {"from": source, "mark": mark}
        try:
            return Branch(self, self.ask("POST", "branches", asked))
        except TabulariumError as error:
            owner = "" if mark is None else f" for the test '{mark}'"
            raise TabulariumError(f"There is no branch{owner}. {error}") from None

    def snapshot(self, name: str, account: str | None = None) -> None:
        """Keeps the data of an account, by default of all but branches, under a name from which branches start."""
        path = f"snapshots/{urllib.parse.quote(name, safe='')}"
        self.ask("PUT", path, {} if account is None else {"account": account})

    def reset(self, account: str | None = None) -> None:
        """Returns an account, by default all but branches, to the snapshot ``seed``, or to nothing."""
        self.ask("POST", "reset", {} if account is None else {"account": account})

    def advance_clock(self, by: str) -> None:
        """Moves the clock of the server, as ``90s`` or ``1h``, for all accounts: such tests run alone."""
        self.ask("POST", "clock/advance", {"by": by})

    def ask(self, method: str, path: str, body: object = None, may_be_missing: bool = False) -> dict[str, Any]:
        """Sends a request to a control endpoint. Returns the JSON of the answer."""
        url = f"{self.url}/_tabularium/{path}"
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None if body is None else json.dumps(body).encode()
        try:
            request = urllib.request.Request(url, data, headers, method=method)
            with self._opener.open(request, timeout=READY_SECONDS) as answer:
                status, fields, text = answer.status, answer.headers, answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            status, fields, text = error.code, error.headers, error.read().decode(errors="replace")
        except (OSError, ValueError) as error:
            raise TabulariumError(f"There is no server at {self.url}: {getattr(error, 'reason', error)}") from None
        if "x-tabularium" not in fields:
            raise TabulariumError(f"The server at {self.url} is not Tabularium: status {status}.")
        if status != 200 and not (status == 404 and may_be_missing):
            raise TabulariumError(f"{method} {url} answers {status}: {text.strip()}")
        return json.loads(text)


def connect(url: str) -> Server:
    """Returns the server at a URL, for the token and the connection string in the environment."""
    server = Server(url, "", os.environ.get("TABULARIUM_ADMIN_TOKEN"))
    known = server.ask("GET", "info").get("connectionString", "")
    server.connection_string = os.environ.get("TABULARIUM_CONNECTION_STRING") or known
    return server


def start(program: Sequence[str], arguments: Sequence[str] = ()) -> Server:
    """Starts a server that ends with this process, however that ends."""
    command = [*program, *OWN_WORDS, *arguments]
    # A port or a database of the developer's own server is not meant for this one.
    environment = {name: value for name, value in os.environ.items() if not name.upper().startswith("TABULARIUM_")}
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise TabulariumError(f"{program[-1]} cannot be run: {error.strerror}") from None
    atexit.register(stop, process)
    lines: list[bytes] = []
    errors: list[bytes] = []
    is_read = threading.Event()

    def read_output() -> None:
        lines.append(process.stdout.readline())
        is_read.set()
        # To its end, so that the server never waits for a reader.
        for _ in process.stdout:
            pass

    threading.Thread(target=read_output, daemon=True).start()
    error_reader = threading.Thread(target=errors.extend, args=(process.stderr,), daemon=True)
    error_reader.start()
    was_read = is_read.wait(READY_SECONDS)
    ready = parsed(lines[0]) if was_read else {}
    if ready.get("ready"):
        return Server(ready["url"], ready["connectionString"], ready.get("adminToken"))
    stop(process)
    error_reader.join(END_SECONDS)
    if "error" in ready:
        raise TabulariumError(f"{' '.join(command)} did not start: {ready['error']}")
    end = "ended before it was ready" if was_read else f"was not ready within {READY_SECONDS} seconds"
    raise TabulariumError(f"{' '.join(command)} {end}.\n{b''.join(errors).decode(errors='replace')}")


def parsed(line: bytes) -> dict[str, Any]:
    """Returns the JSON object of a line; an empty one if it has none, as the line of another program."""
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a server in order; kills it if that takes longer than five seconds."""
    process.stdin.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def find_program(named: str | None, folders: Sequence[Path]) -> list[str]:
    """Returns the words that start the program. Downloads nothing."""
    for name, path in (("tabularium_program", named), ("TABULARIUM_PROGRAM", os.environ.get("TABULARIUM_PROGRAM"))):
        if path and not Path(path).is_file():
            raise TabulariumError(f"{name} is {path}, which is not a file.")
        if path:
            return words_of(path)
    try:
        import tabularium_server

        return list(tabularium_server.command())
    except ImportError:
        pass
    for folder in folders:
        for place in (folder, *folder.parents):
            found = place / "node_modules" / "tabularium" / "dist" / "main.js"
            if found.is_file():
                return words_of(str(found))
    on_path = shutil.which("tabularium")
    if on_path:
        return [on_path]
    raise TabulariumError(
        "There is no Tabularium. Run 'pip install tabularium-server', or 'npm install --save-dev tabularium' in a folder above "
        "the tests, or put the standalone binary on the PATH, or name it or a main.js in TABULARIUM_PROGRAM, or name a running server "
        "in TABULARIUM_URL."
    )


def words_of(path: str) -> list[str]:
    if not path.endswith((".js", ".mjs", ".cjs")):
        return [path]
    node = shutil.which("node")
    if node is None:
        raise TabulariumError(
            f"{path} needs Node.js 20.19 or later, and there is no 'node' on the PATH. The standalone binary needs none."
        )
    return [node, path]


class SharedServer:
    """The server of this process. The first call starts it; a failure is the same for all calls."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._outcome: Server | TabulariumError | None = None

    def get(self) -> Server:
        with self._lock:
            if self._outcome is None:
                try:
                    self._outcome = self._open()
                except TabulariumError as error:
                    self._outcome = error
        if isinstance(self._outcome, TabulariumError):
            raise self._outcome
        return self._outcome

    def _open(self) -> Server:
        program = self._config.getini("tabularium_program")
        url = os.environ.get("TABULARIUM_URL")
        if url and not program:
            return connect(url)
        folders = [Path.cwd(), self._config.rootpath]
        return start(find_program(program, folders), self._config.getini("tabularium_arguments"))


shared_key = pytest.StashKey[SharedServer]()
branch_key = pytest.StashKey[Branch]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("tabularium_program", "the program of the server: a binary or a main.js", default="")
    parser.addini("tabularium_arguments", "more arguments for the server", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.stash[shared_key] = SharedServer(config)
    config.addinivalue_line("markers", "tabularium(source): the snapshot or the account that the branch is a copy of")


@pytest.fixture(scope="session")
def tabularium_server(pytestconfig: pytest.Config) -> Server:
    """The server of this process, for snapshots and the clock."""
    return pytestconfig.stash[shared_key].get()


@pytest.fixture
def tabularium(request: pytest.FixtureRequest, tabularium_server: Server) -> Iterator[Branch]:
    """An account of its own for this test: empty, or a copy of the source in the marker."""
    marker = request.node.get_closest_marker("tabularium")
    args, words = (marker.args, marker.kwargs) if marker else ((), {})
    with tabularium_server.branch(request.node.nodeid, *args, **words) as branch:
        request.node.stash[branch_key] = branch
        yield branch


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    # The branch is deleted before the report of the teardown.
    if report.failed and report.when != "teardown" and branch_key in item.stash:
        text = item.stash[branch_key].explain()
        if text:
            report.sections.append(("Tabularium", text))
