import os
import signal
from pathlib import Path


def test_ends(tabularium, tabularium_server):
    Path(os.environ["KIT_FILE"]).write_text(tabularium_server.url)
    how = os.environ["KIT_END"]
    if how == "exit":
        os._exit(3)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    assert how != "exception"
