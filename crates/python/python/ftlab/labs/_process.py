"""Runs the cases of a lab with a hand-in, each in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from ftlab.labs._lab import Case, Ending, Lab
from ftlab.labs._text import printable


@dataclass(frozen=True)
class Limits:
    """When a case is stopped that no count of steps stops. Both are many times what a right hand-in takes."""

    #: Seconds of a processor, for loops that no count sees, such as one within a call of a library's. It is the same on a busy machine.
    cpu_seconds: int = 8
    #: Seconds of the clock, for what takes no processor, such as a program that sleeps.
    seconds: float = 60.0


#: Where this package lies: the child has it, too, and nothing of the folder that the grader is called in.
_ROOT = str(Path(__file__).resolve().parents[2])
_START = """
import sys
sys.path[:] = [place for place in sys.path if place]
sys.path.append(sys.argv[1])
from ftlab.labs._child import main
main()
"""


def endings(lab: Lab, file: Path, cases: list[Case], limits: Limits) -> list[Ending]:
    """How each case ends. After one that had to be stopped by the clock, the others are not run."""
    found: list[Ending] = []
    for case in cases:
        if any(ending.how == "time" for ending in found):
            found.append(Ending("not-run"))
        else:
            found.append(_ending(lab, file, case, limits))
    return found


def _ending(lab: Lab, file: Path, case: Case, limits: Limits) -> Ending:
    asked = {"lab": lab.name, "file": str(file.resolve()), "case": asdict(case), "cpu_seconds": limits.cpu_seconds}
    job = json.dumps(asked).encode()
    # Sets of texts and bytes have one order, and no file of compiled Python is left beside the hand-in.
    setting = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    call = [sys.executable, "-c", _START, _ROOT]
    pipe = subprocess.PIPE
    with subprocess.Popen(call, env=setting, start_new_session=True, stdin=pipe, stdout=pipe, stderr=pipe) as child:
        try:
            said, wrong = child.communicate(job, timeout=limits.seconds)
        except BaseException as error:
            _kill(child)
            if isinstance(error, subprocess.TimeoutExpired):
                return Ending("time", f"it had not ended after {limits.seconds:g} s")
            raise
    try:
        return Ending(**json.loads(said))
    except (ValueError, TypeError):
        # The child died while it wrote, or before.
        if hasattr(signal, "SIGXCPU") and child.returncode == -signal.SIGXCPU:
            return Ending("time", f"it had not ended after {limits.cpu_seconds} s of a processor")
        words = wrong.decode(errors="replace").strip().splitlines()
        return Ending("crashed", _code(child.returncode) + (f" ({printable(words[-1][:200])})" if words else ""))


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Ends a child that has not ended, with all that it started."""
    if hasattr(os, "killpg"):
        # It may end by itself meanwhile, which some systems refuse as a permission that is missing.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()


def _code(code: int) -> str:
    return f"signal {-code} ended its process" if code < 0 else f"it ended its process with exit code {code}"
