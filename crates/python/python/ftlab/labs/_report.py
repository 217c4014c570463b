"""What is printed for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from ftlab.labs._class import Row
from ftlab.labs._files import TASK
from ftlab.labs._grade import Grade
from ftlab.labs._lab import Case, Lab
from ftlab.labs._text import printable

WIDTH = 110


def labs(all_labs: Iterable[Lab]) -> str:
    """The labs, and what to type next."""
    rows = [["lab", "name", "what it is about", "handed in"]]
    rows += [[str(lab.number), lab.name, lab.title, lab.file] for lab in all_labs]
    next_steps = [
        ["python -m ftlab.labs start LAB FOLDER", "writes a task and the file to fill in"],
        ["python -m ftlab.labs --help", "says the other commands"],
    ]
    return f"{_columns(rows)}\n\n{_columns(next_steps)}"


def started(lab: Lab, folder: Path) -> str:
    """What a student does next."""
    task, file = (printable(str(folder / name)) for name in (TASK, lab.file))
    return (
        f"Lab {lab.number}, {lab.title}: read {task}, and write {file}. For its marks:\n\n"
        f"  python -m ftlab.labs grade {lab.name} {file}"
    )


def grade(found: Grade) -> str:
    """Marks, and hints."""
    rows = [["case", "marks", "of", "measured"]]
    rows += [[case.case, str(case.marks), str(case.of), case.measured] for case in found.cases]
    rows += [["total", str(found.marks), str(found.of), ""]]
    parts = [f"{found.file}, lab {found.lab}: {found.title}, cases of seed {found.seed}", _columns(rows, numbers=(1, 2))]
    hints = found.hints()
    if hints:
        paragraphs = ["\n".join(_filled(line) for line in (*wrong, look)) for wrong, look in hints]
        parts.append("Hints\n" + "\n\n".join(paragraphs))
    if found.printed:
        parts.append(f"Your program printed {found.printed} lines, which are not shown: the cases are hidden.")
    return "\n\n".join(parts)


def hand_in(row: Row) -> str:
    """A line of a class."""
    same = f"  the same program as {row.same_as}" if row.same_as else ""
    return f"{row.grade.marks:3}  {row.name}{same}"


def cases(lab: Lab, seed: int, drawn: Sequence[tuple[Case, dict[str, float]]]) -> str:
    """All of the cases of a seed, for a teacher."""
    parts = [f"Lab {lab.number}, {lab.title}: cases of seed {seed}"]
    for case, known in drawn:
        numbers = ", ".join(f"{name} {_value(value)}" for name, value in case.numbers.items())
        figures = ", ".join(f"{name} {value:.3f}" for name, value in known.items())
        lines = [f"{case.name}: {case.what}", _filled(numbers), _filled(figures)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _value(value: object) -> str:
    """A number of a case, or several, in parentheses."""
    if isinstance(value, dict):
        return f"({', '.join(f'{key} {_value(one)}' for key, one in value.items())})"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(_value(one) for one in value)})"
    return "-" if value is None else str(value)


def _columns(rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]

    def cell(at: int, text: str) -> str:
        return text.rjust(widths[at]) if at in numbers else text.ljust(widths[at])

    return "\n".join("  ".join(cell(at, text) for at, text in enumerate(row)).rstrip() for row in rows)


def _filled(text: str) -> str:
    indent = "  "
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=2 * indent, break_long_words=False, break_on_hyphens=False)
