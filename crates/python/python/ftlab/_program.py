"""The command line within Python: what the script `ftlab` and `python -m ftlab` run, and how to start it once more."""

from __future__ import annotations

import os
import sys

from ftlab import _ftlab


def main() -> int:
    """Does what this process's arguments ask, and gives the exit code."""
    import signal

    # The command line ends at Ctrl-C by itself, and does not come back to Python for that.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What stands before the arguments: a script's path, or `-m ftlab`.
    first = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv) + 1]
    return _ftlab.command_line(sys.argv, [sys.executable, *first], _ftlab.__file__)


def own_words() -> list[str]:
    """What starts the command line in a process of its own: the program that `$FTLAB` names, or this package's."""
    named = os.environ.get("FTLAB")
    if not named:
        return [sys.executable, "-m", "ftlab"]
    if not os.access(named, os.X_OK) or os.path.isdir(named):
        raise _ftlab.InputError(f"FTLAB is {named}, which is no program: give the path of the program ftlab")
    return [named]
