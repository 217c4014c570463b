"""Docstrings: in sections that tools read, with examples that run."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator

import pytest
from conftest import program

import ftlab

#: What callers call: its docstring has each of its parameters.
CALLS = [name for name in ftlab.__all__ if inspect.isfunction(getattr(ftlab, name))]
CALLS += [f"theory.{name}" for name in ftlab.theory.__all__]

MODULES = ["", "theory", "_crash", "_device", "_disk", "_drive", "_others", "_results", "_runs", "_sweep"]
MODULES += ["labs._class", "labs._lab", "labs._nand", "labs._text"]


@pytest.fixture(autouse=True)
def the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FTLAB", program())


def examples() -> Iterator[doctest.DocTest]:
    import importlib

    for name in MODULES:
        module = importlib.import_module(f"ftlab.{name}" if name else "ftlab")
        yield from (test for test in doctest.DocTestFinder().find(module) if test.examples)


@pytest.mark.parametrize("example", list(examples()), ids=lambda test: test.name)
def test_an_example_gives_what_it_shows(example: doctest.DocTest) -> None:
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append)
    assert not said, "".join(said)


def of(name: str) -> object:
    thing: object = ftlab
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


@pytest.mark.parametrize("name", CALLS)
def test_a_call_has_its_parameters_results_and_an_example(name: str) -> None:
    call = of(name)
    doc = inspect.getdoc(call)
    assert doc is not None
    for section in ("Parameters", "Returns", "Examples"):
        is_optional = section == "Parameters" and not inspect.signature(call).parameters or name == "merge"
        assert is_optional or f"\n{section}\n{'-' * len(section)}\n" in doc, section
    if inspect.signature(call).parameters:
        [_, part] = doc.split("\nParameters\n----------\n")
        part = re.split(r"\n\w+\n---", part)[0]
        heads = re.findall(r"^([*\w][\w, *]*) : ", part, re.MULTILINE)
        documented = [word.strip("* ") for head in heads for word in head.split(",")]
        assert documented == list(inspect.signature(call).parameters)


#: Calls that take a load and drives, and those that take loads or tests.
FIRST = {"run": "load", "replay": "trace", "plan": "load", "endurance": "load", "sweep": "load", "review": "tests", "compare": "tests"}


@pytest.mark.parametrize("name", FIRST)
def test_parameters_are_the_same_in_the_same_order_everywhere(name: str) -> None:
    order = [
        *("state", "seed", "seeds", "untimed", "repeats", "quick", "settings", "pace", "fit", "window", "share", "device"),
        *("format", "testbed", "out", "shard", "client", "threads", "memory_gib", "progress"),
    ]
    names = list(inspect.signature(of(name)).parameters)  # type: ignore[arg-type]
    assert names[0] == FIRST[name] and names[1] in ("drive", "drives") and names[-1] == "progress"
    common = [one for one in names if one in order and not (name in ("compare", "sweep") and one in ("settings", "seeds"))]
    assert common == sorted(common, key=order.index)
