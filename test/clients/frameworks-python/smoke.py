"""Reports the steps of a framework's smoke test to the file in TABLES_RESULTS."""

import importlib.metadata
import json
import os
import sys
import traceback


def run_steps(package, steps):
    """Runs the steps in order, reports each, and ends the process with 1 if one failed."""
    failed = False
    for title, step in steps:
        why = ""
        try:
            step()
        except Exception as error:
            failed, why = True, str(error)[:300] or type(error).__name__
            traceback.print_exc()
        line = {
            "client": package,
            "version": importlib.metadata.version(package),
            "framework": True,
            "check": title,
            "result": "failed" if why else "held",
            "why": why,
        }
        with open(os.environ["TABLES_RESULTS"], "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    sys.exit(1 if failed else 0)
