"""The order of arguments: the load first, then the drives, then the rest. The order of earlier versions goes on."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from ftlab import _ftlab
from ftlab._ftlab import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")


def also(old: tuple[str, ...], is_old: Callable[[tuple[Any, ...], dict[str, Any]], bool]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Has a function accept its positional arguments in an order of before, where they are recognised by it."""
    import functools

    def of(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **named: P.kwargs) -> R:
            if args and is_old(args, named):
                if len(args) > len(old):
                    raise TypeError(f"{function.__name__}() takes at most {len(old)} positional arguments")
                for name, value in zip(old, args):
                    if name in named:
                        raise TypeError(f"{function.__name__}() got multiple values for argument '{name}'")
                    named[name] = value
                return function(**named)  # type: ignore[call-arg]
            return function(*args, **named)

        return call

    return of


def are_drives(given: Any) -> bool:
    """Whether something is a drive or several, and no load."""
    if isinstance(given, Mapping):
        return "schema" in given
    if isinstance(given, (str, os.PathLike)):
        name = os.fspath(given)
        return "\n" not in name and (name.endswith(".toml") or name.lower() in _ftlab.drive_names())
    # An iterator is not looked into: it could be read only once.
    if isinstance(given, Collection):
        return len(given) > 0 and all(are_drives(each) for each in given)
    return isinstance(getattr(given, "slug", None), str)


def is_grid(given: Any) -> bool:
    """Whether something is the settings of a grid, and no load."""
    if hasattr(given, "points") and hasattr(given, "ranges"):
        return True
    if isinstance(given, Mapping):
        has_dots = any("." in key for key in given if isinstance(key, str))
        return has_dots and not any(isinstance(value, Mapping) for value in given.values())
    if isinstance(given, (str, os.PathLike)) or not isinstance(given, Collection):
        return False
    return len(given) > 0 and all(isinstance(entry, Mapping) and is_grid(entry) for entry in given)


def of_reviews(args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether a review was asked for as before: drives, tests."""
    if len(args) > 1 and are_drives(args[1]):
        return False
    return "tests" in named or are_drives(args[0]) or (args[0] is None and len(args) > 1)


def of_comparisons(args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether a comparison was asked for as before: drive, settings, tests."""
    if len(args) > 1 and isinstance(args[1], Mapping) and "schema" not in args[1]:
        return True
    return "tests" in named or (len(args) == 1 and are_drives(args[0]))


def of_sweeps(args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether a sweep was asked for as before: grid, load, drives, seeds, state, untimed."""
    if "grid" in named:
        return False
    if "load" in named or is_grid(args[0]):
        return True
    is_file = isinstance(args[0], (str, os.PathLike)) and os.fspath(args[0]).endswith(".toml")
    # A grid's file says all of it.
    return is_file and (len(args) == 1 or not are_drives(args[1])) and "drives" not in named


def split(tests: Any) -> tuple[list[str], list[Any]]:
    """Names of tests, and loads beside them."""
    from ftlab._words import load as load_of

    if tests is None:
        return [], []
    one = isinstance(tests, (str, os.PathLike, Mapping))
    names: list[str] = []
    loads: list[Any] = []
    for each in [tests] if one else list(tests):
        if isinstance(each, str) and "\n" not in each and not _is_path(each):
            names.append(each)
        elif isinstance(each, (str, os.PathLike, Mapping)):
            loads.append(load_of(each))
        else:
            raise InputError(f"tests: {each!r} is no name of a test and no load; `ftlab tests` lists the names")
    return names, loads


def _is_path(name: str) -> bool:
    return os.sep in name or os.path.splitext(name)[1] in (".fio", ".toml", ".json", ".csv") or os.path.isfile(name)
