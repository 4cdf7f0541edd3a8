"""flask-session-azure: sessions of Flask in a table, with the set-up of its README. It needs Flask before 2.3."""

import os

import flask
from flask_session_azure import storage_account_session

from smoke import run_steps

app = flask.Flask(__name__)
app.secret_key = "a secret of at least sixteen letters"
app.session_interface = storage_account_session.StorageAccountSessionInterface(os.environ["TABLES_CONNECTION_STRING"])


@app.route("/count")
def count():
    flask.session["views"] = flask.session.get("views", 0) + 1
    return str(flask.session["views"])


@app.route("/leave")
def leave():
    flask.session.clear()
    return "left"


browser = app.test_client()


def keeps_a_session():
    assert [browser.get("/count").text for _ in range(3)] == ["1", "2", "3"]


def keeps_sessions_apart():
    assert app.test_client().get("/count").text == "1"
    assert browser.get("/count").text == "4"


def forgets_a_session():
    browser.get("/leave")
    assert browser.get("/count").text == "1"


run_steps(
    "flask-session-azure",
    [
        ("keeps a session, in a table that it creates", keeps_a_session),
        ("keeps the sessions of two browsers apart", keeps_sessions_apart),
        ("forgets a session", forgets_a_session),
    ],
)
