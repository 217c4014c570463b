"""The command line: lists the labs, gives a student's files, grades, and shows a teacher the cases."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from ftlab.labs import _files, _report
from ftlab.labs._class import grade_all, hand_ins, table
from ftlab.labs._grade import grade
from ftlab.labs._lab import Lab
from ftlab.labs._labs import LABS, by_name
from ftlab.labs._text import printable

#: The exit code of wrong use, as with the program `ftlab`.
WRONG_USE = 2
#: The exit code after Ctrl-C.
INTERRUPTED = 130

_SEED = "which hidden cases are drawn: a whole number from 0 on; the same number draws the same cases"


def _lab(word: str) -> Lab:
    try:
        return by_name(word)
    except KeyError:
        names = ", ".join(f"{lab.number} or {lab.name}" for lab in LABS)
        raise argparse.ArgumentTypeError(f"{word!r} is no lab; give {names}") from None


def _seed(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise argparse.ArgumentTypeError(f"{word!r} is no seed; give a whole number from 0 on")
    return int(word)


def _parser() -> argparse.ArgumentParser:
    words = "Labs for a course on flash storage. Without a command, lists them."
    parser = argparse.ArgumentParser("python -m ftlab.labs", description=words)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, words: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
        made.add_argument("lab", type=_lab, metavar="LAB", help="its number or its name")
        return made

    start = command("start", "write the task and the file to fill in into a folder")
    start.add_argument("folder", type=Path, metavar="FOLDER", help="is made if it is missing; nothing in it is replaced")
    marks = command("grade", "grade a hand-in: marks, and hints where some are missing")
    marks.add_argument("file", type=Path, metavar="FILE", help="what was handed in")
    marks.add_argument("--seed", type=_seed, default=0, metavar="N", help=f"{_SEED} (0 if left out)")
    marks.add_argument("--json", action="store_true", help="print all of it as JSON")
    many = command("class", "grade all hand-ins of a folder")
    many.add_argument("folder", type=Path, metavar="FOLDER", help="with a file NAME.py, or a folder with the lab's file, for each hand-in")
    many.add_argument("--seed", type=_seed, required=True, metavar="N", help=_SEED)
    many.add_argument("--csv", type=Path, metavar="FILE", help="write the marks to this table as well")
    hidden = command("cases", "show the hidden cases of a seed, and what is known of each")
    hidden.add_argument("--seed", type=_seed, required=True, metavar="N", help=_SEED)
    hidden.add_argument("--json", action="store_true", help="print all of it as JSON")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the arguments say, and gives the exit code."""
    asked = _parser().parse_args(arguments)
    try:
        _do(asked)
    except (_files.CannotUse, OSError) as error:
        print(f"error: {printable(str(error))}", file=sys.stderr)
        return WRONG_USE
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _do(asked: argparse.Namespace) -> None:
    if asked.command is None:
        print(_report.labs(LABS))
    elif asked.command == "start":
        _files.start(asked.lab, asked.folder)
        print(_report.started(asked.lab, asked.folder))
    elif asked.command == "grade":
        found = grade(asked.lab, _files.hand_in(asked.file), asked.seed)
        print(found.to_json() if asked.json else _report.grade(found))
    elif asked.command == "class":
        _grade_class(asked.lab, asked.folder, asked.seed, asked.csv)
    else:
        drawn = [(case, asked.lab.known(case)) for case in asked.lab.drawn(asked.seed)]
        made = [{"case": case.name, "what": case.what, "numbers": case.numbers, "known": known} for case, known in drawn]
        print(json.dumps(made, indent=2) if asked.json else _report.cases(asked.lab, asked.seed, drawn))


def _grade_class(lab: Lab, folder: Path, seed: int, csv: Path | None) -> None:
    files = hand_ins(lab, folder)
    if csv is not None:
        _files.check_replaceable(csv, [folder / name for name in files])
    rows = []
    for row in grade_all(lab, folder, files, seed):
        print(_report.hand_in(row), flush=True)
        rows.append(row)
    if csv is not None:
        _files.write_whole(csv, table(rows))
        print(f"Table: {printable(str(csv))}")
