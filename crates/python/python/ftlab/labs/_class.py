"""The hand-ins of a class: all are graded by the same cases, and those that are the same program are found."""

from __future__ import annotations

import csv
import io
import keyword
import os
import tokenize
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ftlab.labs._files import CannotUse, hand_in
from ftlab.labs._grade import Grade, grade
from ftlab.labs._lab import Lab
from ftlab.labs._text import printable


@dataclass(frozen=True)
class Row:
    """A hand-in, with its marks."""

    name: str
    grade: Grade
    #: The first hand-in that is the same program.
    same_as: str


def hand_ins(lab: Lab, folder: Path) -> list[str]:
    """The files in a folder, and those of the lab's name in the folders in it; by name."""
    if not folder.is_dir():
        raise CannotUse(f"{folder} is no folder; give the folder of the hand-ins")
    found = [path.name for path in folder.glob("*.py") if path.is_file()]
    found += [f"{path.parent.name}/{path.name}" for path in folder.glob(f"*/{lab.file}") if path.is_file()]
    if not found:
        raise CannotUse(f"{folder} has no hand-ins; there should be files NAME.py, or folders with {lab.file}")
    for name in found:
        hand_in(folder / name)
    return sorted(found)


def grade_all(lab: Lab, folder: Path, files: Sequence[str], seed: int) -> Iterator[Row]:
    """The rows of the hand-ins, in their order; as many at a time as there are cores."""
    seen: dict[str, str] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        grades = pool.map(lambda name: grade(lab, folder / name, seed), files)
        for name, found in zip(files, grades):
            first = seen.setdefault(nameless((folder / name).read_bytes()), name)
            yield Row(printable(name), found, "" if first == name else printable(first))


def table(rows: Sequence[Row]) -> str:
    """The rows as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    cases = [case.case for case in rows[0].grade.cases]
    writer.writerow(["hand_in", "lab", "seed", "marks", *cases, "same_as", "hints"])
    for row in rows:
        found = row.grade
        marks = [case.marks for case in found.cases]
        hints = "\n".join(line for wrong, look in found.hints() for line in (*wrong, look))
        writer.writerow([row.name, found.lab, found.seed, found.marks, *marks, row.same_as, hints])
    return out.getvalue()


def nameless(source: bytes) -> str:
    """A program without comments, texts of documentation and layout, and with its names numbered: what a copy has in common with its
    original when somebody gave it other names.

    Examples
    --------
    >>> nameless(b"a = b + 1  # mine") == nameless(b"c=d+1")
    True
    """
    numbers: dict[str, str] = {}
    words = []
    is_first = True
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING)
    try:
        tokens = [token for token in tokenize.tokenize(io.BytesIO(source).readline) if token.type not in skipped]
    except (SyntaxError, tokenize.TokenError, ValueError):
        return source.decode(errors="replace")
    for token, following in zip(tokens, tokens[1:]):
        is_alone = is_first and token.type == tokenize.STRING and following.type == tokenize.NEWLINE
        is_first = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
            words.append(numbers.setdefault(token.string, f"name {len(numbers)}"))
        elif token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE):
            words.append(tokenize.tok_name[token.type])
        elif not is_alone:
            words.append(token.string)
    return "\n".join(words)
