"""What callers may write, as the words that the native half reads."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping

from ftlab import _ftlab
from ftlab._ftlab import InputError

# What only types need is not imported: it would take as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, TypeAlias

    #: What a number or a word of a drive file is set to. A number is in the unit of the file; words may have one: "28%".
    Setting: TypeAlias = float | int | bool | str

    #: A load: the path of a job file of fio's, a script or a trace, or the name of one that comes with ftlab; the text of one
    #: (it has more than one line); or options of fio's, for one job (`{"rw": "randwrite", "bs": "4k"}`) or for several by
    #: name.
    Load: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]

    #: Called with how much is done and how much there is to do; True shows that on standard error.
    Progress: TypeAlias = Callable[[int, int], object] | bool


def _plain(value: Any) -> Any:
    """A value of NumPy's types as one of Python's."""
    is_scalar = hasattr(value, "item") and getattr(value, "ndim", 0) == 0
    return value.item() if is_scalar else value


def setting(value: Any) -> Setting:
    """A value of a setting, of NumPy's types too."""
    value = _plain(value)
    if isinstance(value, (bool, int, float, str)):
        return value
    raise InputError(f"`{value!r}` is no value of a setting; give a number, a word, True or False")


def seed(value: Any, name: str = "seed") -> int:
    """A root of random streams, of NumPy's types too."""
    value = _plain(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 64:
        raise InputError(f"{name} = {value!r}: give a whole number from 0 to {(1 << 64) - 1}")
    return value


def whole(name: str, value: Any) -> int:
    """How many of something there are to be, of NumPy's types too."""
    value = _plain(value)
    # How many there may be at most is known where they are used.
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 32:
        raise InputError(f"{name} = {value!r}: give a whole number from 1 on")
    return value


def number(name: str, value: Any, what: str) -> float:
    """A number, of NumPy's types too; `what` says of what, with an example."""
    value = _plain(value)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise InputError(f"{name} = {value!r}: give {what}")
    return float(value)


def within(name: str, value: Any, what: str, least: float, most: float) -> float:
    """A number between two others."""
    given = number(name, value, what)
    if not least <= given <= most:
        raise InputError(f"{name} = {given:g}: give a number from {least:g} to {most:g}")
    return given


def flag(name: str, value: Any) -> bool:
    """True or False."""
    value = _plain(value)
    if not isinstance(value, bool):
        raise InputError(f"{name} = {value!r}: give True or False")
    return value


def word(name: str, value: Any, example: str) -> str:
    """A word."""
    if not isinstance(value, str):
        raise InputError(f'{name} = {value!r}: give a word in quotation marks, for example "{example}"')
    return value


def path(name: str, value: Any, example: str) -> str:
    """A path, or a name in its place."""
    if not isinstance(value, (str, os.PathLike)):
        raise InputError(f'{name} = {value!r}: give a name or a path, for example "{example}"')
    return os.fspath(value)


def progress(given: Any, what: str = "parts") -> Callable[[int, int], object] | None:
    """Who hears of progress."""
    if given is None or given is False:
        return None
    if given is True:

        def show(done: int, total: int) -> None:
            print(f"\r{done} of {total} {what}", end="\n" if done == total else "", file=sys.stderr, flush=True)

        return show
    if not callable(given):
        raise InputError(f"progress = {given!r}: give True, or a function of two numbers: how much is done, and of how much")
    hears: Callable[[int, int], object] = given
    return hears


def assignments(settings: Mapping[str, Any] | None) -> list[str]:
    """Settings as `key=value`."""
    if settings is not None and not isinstance(settings, Mapping):
        raise InputError(f'settings = {settings!r}: give a dictionary, for example {{"spare.op": 0.28}}')
    return [f"{key}={text(setting(value))}" for key, value in (settings or {}).items()]


def text(value: Setting) -> str:
    """A value as drive files have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def load(given: Any, name: str | None = None) -> Any:
    """A load as the native half reads one: a path or a name, or a text with a name."""
    if isinstance(given, Mapping):
        return {"name": name or "job", "text": job_file(given)}
    if not isinstance(given, (str, os.PathLike)):
        slug = getattr(given, "slug", None)
        if isinstance(slug, str):
            raise InputError(f"load: {slug} is a drive; give the load first and the drive behind it, as in run(load, drive)")
        raise InputError(f"load: {given!r} is no load; give a path, a name, a text, or fio's options as a dictionary")
    given = os.fspath(given)
    if "\n" in given:
        return {"name": name or "load", "text": given}
    if given in _ftlab.drive_names() and not os.path.exists(given):
        raise InputError(f"load: {given} is a drive; give the load first and the drive behind it, as in run(load, drive)")
    return given


def _lines(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines of a job file, each with the place in the dictionary that it is from."""
    if not any(isinstance(value, Mapping) for value in options.values()):
        options = {"job": options}
        is_one = True
    else:
        is_one = False
    lines = []
    for section, keys in options.items():
        if not isinstance(keys, Mapping):
            raise InputError(f'load: `{section}` stands beside jobs and is none; put it into the job "global"')
        lines.append((f"[{section}]", "load" if is_one else f'load["{section}"]'))
        for key, value in keys.items():
            # fio writes an option that is on as its name alone.
            plain = int(value) if isinstance(value, bool) else value
            lines.append((f"{key}={plain}", f'load["{key}"]' if is_one else f'load["{section}"]["{key}"]'))
    return lines


def job_file(options: Mapping[str, Any]) -> str:
    """fio's job file of options of one job, or of several by name."""
    return "\n".join(line for line, _ in _lines(options)) + "\n"


class naming:
    """Errors of loads that were given as dictionaries name the key, and no line of a text that nobody wrote."""

    def __init__(self, given: Any, name: str = "job") -> None:
        self._loads = [(name, given)] if isinstance(given, Mapping) else []

    @classmethod
    def each(cls, loads: Iterable[tuple[str, Any]]) -> naming:
        """Of several loads by their names."""
        made = cls(None)
        made._loads = [(name, given) for name, given in loads if isinstance(given, Mapping)]
        return made

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not isinstance(error, InputError) or not self._loads:
            return
        import re

        said = str(error)
        for name, given in self._loads:
            places = [place for _, place in _lines(given)]

            def place(found: re.Match[str], places: list[str] = places) -> str:
                line = int(found[1])
                return places[line - 1] if 1 <= line <= len(places) else found[0]

            said = re.sub(rf"(?<![\w-]){re.escape(name)}(?:, line |:)(\d+)", place, said)
        if said != str(error):
            raise InputError(said) from None


def replaying(
    pace: Any = "original",
    fit: Any = "refuse",
    window: Any = None,
    share: Any = None,
    device: Any = None,
    format: Any = None,
    action: Any = None,
) -> dict[str, Any]:
    """How a recorded trace is read and replayed."""
    devices = [] if device is None else [device] if isinstance(device, str) else list(device)
    if share is not None and not isinstance(share, str):
        # A share of addresses is one of 1, like every share here.
        share = f"{within('share', share, 'a share of the addresses, for example 0.1', 0.0, 1.0) * 100:.12g}%"
    return {
        "pace": word("pace", pace, "scaled=2x"),
        "fit": word("fit", fit, "compact"),
        "format": None if format is None else word("format", format, "msr"),
        "action": None if action is None else word("action", action, "q"),
        "devices": [word("device", each, "sda") for each in devices],
        "window": None if window is None else word("window", window, "10m..1h"),
        "share": share,
    }


def how(
    seed_given: Any,
    repeats: Any,
    quick: Any,
    testbed: Any,
    threads: Any,
    memory_gib: Any,
) -> dict[str, Any]:
    """How runs are made."""
    return {
        "seed": seed(seed_given),
        "repeats": whole("repeats", repeats),
        "quick": flag("quick", quick),
        "testbed": None if testbed is None else path("testbed", testbed, "linux-2024-io-uring"),
        **machine(threads, memory_gib),
    }


def machine(threads: Any, memory_gib: Any) -> dict[str, Any]:
    """How much of this machine runs take."""
    return {
        "threads": None if threads is None else whole("threads", threads),
        "memory_gib": None if memory_gib is None else number("memory_gib", memory_gib, "GiB, for example 4 or 0.5"),
    }
