"""Runs the cases of a lab with a hand-in, each in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from ftlab.labs._lab import Case, Ending, Lab

#: The last resort, for what takes neither steps nor a processor, such as a program that sleeps. Many times what a case takes,
#: so that a busy machine changes no marks.
SECONDS_MAX = 60.0

#: Where this package lies: the child has it, too, and nothing of the folder that the grader is called in.
_ROOT = str(Path(__file__).resolve().parents[2])
_START = """
import sys
sys.path[0:1] = []
sys.path.append(sys.argv[1])
from ftlab.labs._child import main
main()
"""


def endings(lab: Lab, file: Path, cases: list[Case], seconds_max: float = SECONDS_MAX) -> list[Ending]:
    """How each case ends. After one that had to be stopped by the clock, the others are not run."""
    found: list[Ending] = []
    for case in cases:
        if any(ending.how == "time" for ending in found):
            found.append(Ending("not-run"))
        else:
            found.append(_ending(lab, file, case, seconds_max))
    return found


def _ending(lab: Lab, file: Path, case: Case, seconds_max: float) -> Ending:
    job = json.dumps({"lab": lab.name, "file": str(file.resolve()), "case": asdict(case)}).encode()
    # Sets of texts and bytes have one order, and no file of compiled Python is left beside the hand-in.
    setting = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    call = [sys.executable, "-c", _START, _ROOT]
    pipe = subprocess.PIPE
    with subprocess.Popen(call, env=setting, start_new_session=True, stdin=pipe, stdout=pipe, stderr=pipe) as child:
        try:
            said, wrong = child.communicate(job, timeout=seconds_max)
        except BaseException as error:
            _kill(child)
            if isinstance(error, subprocess.TimeoutExpired):
                return Ending("time", f"it had not ended after {seconds_max:g} s")
            raise
    try:
        return Ending(**json.loads(said))
    except ValueError:
        if hasattr(signal, "SIGXCPU") and child.returncode == -signal.SIGXCPU:
            return Ending("time", "it had not ended after all the time of a processor that a case has")
        words = wrong.decode(errors="replace").strip().splitlines()
        return Ending("crashed", _code(child.returncode) + (f" ({words[-1][:200]})" if words else ""))


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Ends a child that has not ended, with all that it started."""
    if hasattr(os, "killpg"):
        os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()


def _code(code: int) -> str:
    return f"signal {-code} ended its process" if code < 0 else f"it ended its process with exit code {code}"
