"""One case of a hand-in, in a process of its own: the job comes on standard input, the ending goes to standard output."""

from __future__ import annotations

import json
import os
import random
import sys
from typing import NoReturn

from ftlab import InputError, RunError
from ftlab.labs._bench import Bench
from ftlab.labs._host import Fault, Unusable
from ftlab.labs._lab import Case
from ftlab.labs._labs import by_name
from ftlab.labs._nand import IllegalUse
from ftlab.labs._text import printable

#: Memory that a hand-in may take; a right one takes some MB. Where the system has no such limit, there is none.
MEMORY_MAX_BYTES = 2 << 30


def main() -> None:
    """Runs the case that standard input names."""
    job = json.loads(sys.stdin.buffer.read())
    answers = _keep_apart()
    _limit(job["cpu_seconds"])
    lab = by_name(job["lab"])
    case = Case(**job["case"])

    def stop(how: str, message: str, line: int | None) -> NoReturn:
        content = {"how": how, "message": message, "line": line, "printed": bench.printed.lines, "measured": bench.measured}
        with os.fdopen(answers, "w", encoding="utf-8") as out:
            json.dump(content, out)
        # At once: a hand-in may have threads, handlers and files that never end.
        os._exit(0)

    bench = Bench(job["file"], lab.entry, stop)
    sys.stdout = sys.stderr = bench.printed
    # One that draws without a seed gets the same marks each time.
    random.seed(0)
    try:
        lab.run(case, bench)
    except BaseException as error:  # whatever a hand-in raises is its ending
        stop(*_ending(error, bench))
    stop("done", "", None)


def _keep_apart() -> int:
    """Gives standard input and output to nobody, so that nothing of a hand-in's gets among the answers; returns where these go."""
    answers = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    sys.argv = [""]
    return answers


def _limit(cpu_seconds: int) -> None:
    try:
        import resource
    except ImportError:
        return
    for limit, wanted in ((resource.RLIMIT_AS, MEMORY_MAX_BYTES), (resource.RLIMIT_CPU, cpu_seconds)):
        _, most = resource.getrlimit(limit)
        try:
            resource.setrlimit(limit, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))
        except (OSError, ValueError):
            # Some systems know a limit, and refuse it.
            continue


def _ending(error: BaseException, bench: Bench) -> tuple[str, str, int | None]:
    line = bench.line_of(error)
    kinds: list[tuple[type[BaseException], str]] = [
        (Fault, "fault"),
        (Unusable, "unusable"),
        (IllegalUse, "illegal"),
        (NotImplementedError, "missing"),
        (RecursionError, "recursion"),
        (MemoryError, "memory"),
        (InputError, "refused"),
        (RunError, "refused"),
    ]
    how = next((how for kind, how in kinds if isinstance(error, kind)), "raised")
    try:
        text = str(error)
    except Exception:  # an exception of the hand-in's own class
        text = ""
    if how == "raised":
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return how, printable(text[:400]), line
