"""What callers may write, as the words that the native half reads."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ftlab._ftlab import InputError

# What only types need is not imported: it would take as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    #: What a number or a word of a drive file is set to. A number is in the unit of the file; words may have one: "28%".
    Setting: TypeAlias = float | int | bool | str

    #: A load: the path of a job file of fio's, a script or a trace, or the name of one that comes along; the text of one
    #: (it has more than one line); or options of fio's, for one job (`{"rw": "randwrite", "bs": "4k"}`) or for several by
    #: name.
    Load: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]


def setting(value: Any) -> Setting:
    """A value of a setting, of NumPy's types too."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, (bool, int, float, str)):
        return value
    raise InputError(f"`{value!r}` is no value of a setting; give a number, a word, True or False")


def seed(value: Any) -> int:
    """A root of random streams, of NumPy's types too."""
    value = value.item() if hasattr(value, "item") else value
    if not isinstance(value, int) or not 0 <= value < 1 << 64:
        raise InputError(f"seed = {value}: give a whole number from 0 to {(1 << 64) - 1}")
    return value


def whole(name: str, value: Any) -> int:
    """How many of something there are to be, of NumPy's types too."""
    value = value.item() if hasattr(value, "item") else value
    # How many there may be at most is known where they are used.
    if not isinstance(value, int) or not 0 <= value < 1 << 32:
        raise InputError(f"{name} = {value}: give a whole number from 1 on")
    return value


def assignments(settings: Mapping[str, Any] | None) -> list[str]:
    """Settings as `key=value`."""
    return [f"{key}={text(setting(value))}" for key, value in (settings or {}).items()]


def text(value: Setting) -> str:
    """A value as drive files have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def load(given: Load, name: str | None = None) -> Any:
    """A load as the native half reads one: a path or a name, or a text with a name."""
    if isinstance(given, Mapping):
        return {"name": name or "job", "text": job_file(given)}
    given = os.fspath(given)
    if "\n" in given:
        return {"name": name or "load", "text": given}
    return given


def job_file(options: Mapping[str, Any]) -> str:
    """fio's job file of options of one job, or of several by name."""
    if not any(isinstance(value, Mapping) for value in options.values()):
        options = {"job": options}
    lines = []
    for section, keys in options.items():
        if not isinstance(keys, Mapping):
            raise InputError(f"load: `{section}` stands beside jobs and is none; put it into the job \"global\"")
        lines.append(f"[{section}]")
        for key, value in keys.items():
            # fio writes an option that is on as its name alone.
            lines.append(f"{key}={int(value) if isinstance(value, bool) else value}")
    return "\n".join(lines) + "\n"
