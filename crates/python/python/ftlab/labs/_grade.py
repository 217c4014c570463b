"""Marks of a hand-in: a hundred, in equal parts for the cases of a lab."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ftlab.labs import _process
from ftlab.labs._lab import Case, Ending, Lab
from ftlab.labs._text import printable

TOTAL = 100


@dataclass(frozen=True)
class CaseMarks:
    """The marks of a case."""

    case: str
    what: str
    marks: int
    of: int
    measured: str
    #: What went wrong, and what to look at then; nothing if all is well.
    wrong: str
    look: str


@dataclass(frozen=True)
class Grade:
    """The marks of a hand-in."""

    lab: str
    title: str
    file: str
    seed: int
    marks: int
    of: int
    cases: list[CaseMarks]
    #: Lines that the hand-in printed.
    printed: int

    def to_json(self) -> str:
        """All of it, for programs."""
        return json.dumps(asdict(self), indent=2)

    def hints(self) -> list[tuple[list[str], str]]:
        """What to look at, each once, after what went wrong in the cases that it is about."""
        found: dict[str, list[str]] = {}
        for case in self.cases:
            if case.wrong:
                found.setdefault(case.look, []).append(f"{case.case}: {case.wrong}")
        return [(wrong, look) for look, wrong in found.items()]


def grade(lab: Lab, file: Path, seed: int, limits: _process.Limits = _process.Limits()) -> Grade:
    """Runs all cases of a seed, and gives their marks."""
    cases = lab.drawn(seed)
    endings = _process.endings(lab, file, cases, limits)
    made = [_marks(lab, case, ending, TOTAL // len(cases)) for case, ending in zip(cases, endings)]
    printed = sum(ending.printed for ending in endings)
    return Grade(lab.name, lab.title, printable(file.name), seed, sum(case.marks for case in made), TOTAL, made, printed)


def _marks(lab: Lab, case: Case, ending: Ending, of: int) -> CaseMarks:
    verdict = lab.verdict(case, ending)
    # The nearest whole number: the last digits of a logarithm may differ from machine to machine.
    marks = int(verdict.share * of + 0.5)
    return CaseMarks(case.name, case.what, marks, of, verdict.measured, verdict.wrong, verdict.look)
