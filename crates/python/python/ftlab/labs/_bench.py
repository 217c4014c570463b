"""A hand-in at work: its file is executed anew whenever its memory must be empty, its steps are counted, what it prints is dropped."""

from __future__ import annotations

import io
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from ftlab.labs import _steps
from ftlab.labs._host import Unusable

#: Rounds of loops and calls of functions that a hand-in has for a case: many times what a right solution takes. A clock in
#: its place would mark a busy machine.
STEPS_MAX = 5_000_000

#: The hand-in's module, while it runs.
_MODULE = "hand_in"


class Printed(io.TextIOBase):
    """Drops what is written, and counts its lines."""

    def __init__(self) -> None:
        self.lines = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.lines += text.count("\n")
        return len(text)


class Bench:
    """What the run of a case is given: the hand-in, a place for what is measured, and a way to end at once."""

    def __init__(self, path: str, entry: str, stop: Callable[[str, str, int | None], NoReturn]) -> None:
        self.name = Path(path).name
        self._path = path
        self._entry = entry
        self._stop = stop
        self._steps_left = STEPS_MAX
        self.measured: dict[str, Any] = {}
        self.printed = Printed()

    def over(self, why: str) -> NoReturn:
        """Ends the case, as too much was asked of the NAND. Nothing of the hand-in's can catch this."""
        self._stop("operations", why, None)

    def fresh(self) -> Any:
        """The class or function that was handed in, of a module that remembers nothing."""
        try:
            code = _steps.compiled(Path(self._path).read_bytes(), self.name)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            raise Unusable(f"{self.name} is no Python: {error}" + (f" (line {line})" if line else "")) from None
        module = types.ModuleType(_MODULE)
        vars(module)[_steps.COUNTER] = self._step
        # Data classes look their module up.
        sys.modules[_MODULE] = module
        exec(code, module.__dict__)
        found = getattr(module, self._entry, None)
        if not callable(found):
            raise Unusable(f"{self.name} has no `{self._entry}` that can be called")
        return found

    def _step(self, line: int) -> bool:
        self._steps_left -= 1
        if self._steps_left < 0:
            self._stop("steps", f"it took {STEPS_MAX:,} rounds of loops and calls of functions", line)
        return True

    def line_of(self, error: BaseException) -> int | None:
        """The innermost line of the hand-in that an exception passed."""
        found = None
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.name:
                found = trace.tb_lineno
            trace = trace.tb_next
        return found
