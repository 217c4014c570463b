"""What a lab is made of: cases that a seed draws, a run of a hand-in in each, and the marks of what was measured."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ftlab.labs._bench import Bench

_T = TypeVar("_T")


class Draws:
    """Random numbers of a name: the same in every version of Python, which promises that of `random.random` alone."""

    def __init__(self, name: str) -> None:
        self._stream = random.Random(name)

    def share(self) -> float:
        """From 0 up to 1."""
        return self._stream.random()

    def below(self, end: int) -> int:
        """A whole number from 0 on, below `end`."""
        return int(self._stream.random() * end)

    def between(self, least: int, most: int) -> int:
        """A whole number of both and all between."""
        return least + self.below(most - least + 1)

    def one_of(self, things: Sequence[_T]) -> _T:
        """One of them, each as likely as the others."""
        return things[self.below(len(things))]


@dataclass(frozen=True)
class Case:
    """One case: what it is like, in words, and the numbers that decide all of it."""

    name: str
    what: str
    numbers: dict[str, Any]


@dataclass(frozen=True)
class Ending:
    """How the run of a case ended, and what was measured until then."""

    #: `done`, or why it ended before: a row of `_ends.WORDS`.
    how: str
    #: What went wrong, in words.
    message: str = ""
    #: The hand-in's line where that was.
    line: int | None = None
    #: Lines that it printed.
    printed: int = 0
    measured: dict[str, Any] = field(default_factory=dict)

    def share(self, part: str, whole: str) -> float:
        """How much of one measured number another is; 0 where nothing was measured."""
        total: float = self.measured.get(whole, 0)
        some: float = self.measured.get(part, 0)
        return some / total if total else 0.0


@dataclass(frozen=True)
class Verdict:
    """The marks of a case, as a share of them, with what was measured."""

    share: float
    measured: str
    #: What went wrong; nothing if all is well.
    wrong: str = ""
    #: What to look at then.
    look: str = ""


@dataclass(frozen=True)
class Lab:
    """A lab. `run` is called in the child, `cases` and `verdict` in the grader."""

    number: int
    name: str
    title: str
    #: The file that is handed in, and the name in it that is called.
    file: str
    entry: str
    #: Cases that a seed draws; the seed's draws come by name.
    cases: Callable[[Draws], list[Case]]
    run: Callable[[Case, Bench], None]
    verdict: Callable[[Case, Ending], Verdict]
    #: What is known of a case: lines of a name and a number.
    known: Callable[[Case], dict[str, float]]

    def drawn(self, seed: int) -> list[Case]:
        """The cases of a seed."""
        return self.cases(Draws(f"{self.name}/{seed}"))


def position(own: float, best: float, half: float, slack: float) -> float:
    """Where a figure lies between the best and one that is worth half of the marks, in logarithms; 1 at the best, 0 from twice as far as
    the half on. What is within `slack` of the best counts as the best.

    Examples
    --------
    >>> position(2.0, 2.0, 4.0, 0.0), position(4.0, 2.0, 4.0, 0.0), position(8.0, 2.0, 4.0, 0.0)
    (1.0, 0.5, 0.0)
    """
    best *= 1 + slack
    if own <= best:
        return 1.0
    if half <= best:
        return 0.0
    return max(0.0, 1 - 0.5 * math.log(own / best) / math.log(half / best))
