"""Files of users: hand-ins that are read, tasks and tables that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ftlab.labs._lab import Lab

TASK = "task.md"


class CannotUse(Exception):
    """A file or a folder that cannot be used as it was asked. The message says why, and what to do."""


def start(lab: Lab, folder: Path) -> None:
    """Writes the task and the file to fill in. If one of them is there, nothing is written."""
    package = Path(__file__).parent / lab.name
    names = (TASK, lab.file)
    for name in names:
        if os.path.lexists(folder / name):
            raise CannotUse(f"{folder / name} is there already, and nothing was written; give another folder, or move the file away")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise CannotUse(f"{folder} cannot be a folder, as a file is in its place; give another name") from None
    for name in names:
        # One that has come meanwhile stays as it is.
        with open(folder / name, "xb") as out:
            out.write((package / name).read_bytes())


def hand_in(file: Path) -> Path:
    """A file that was handed in, and can be read."""
    if not file.exists():
        raise CannotUse(f"{file} is not there; give the file that was handed in")
    if not file.is_file():
        raise CannotUse(f"{file} is no file; give the file that was handed in")
    with open(file, "rb"):
        return file


def check_replaceable(file: Path, hand_ins: Sequence[Path]) -> None:
    """Nothing but a regular file that was not handed in is replaced."""
    if file.exists() and not file.is_file():
        raise CannotUse(f"{file} is no regular file, and is not replaced; give another name")
    if any(file.exists() and file.samefile(one) for one in hand_ins):
        raise CannotUse(f"{file} was handed in, and is not replaced; give another name")
    if not file.absolute().parent.is_dir():
        raise CannotUse(f"{file.absolute().parent} is no folder; make it first, or give another name")


def write_whole(file: Path, text: str) -> None:
    """Puts a text at its place when all of it is written."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with open(beside, "x", encoding="utf-8", newline="") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.replace(beside, file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
