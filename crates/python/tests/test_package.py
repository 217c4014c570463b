"""The package itself: quick to import, typed, and as its pages say."""

from __future__ import annotations

import ast
import re
import resource
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import REPOSITORY
from test_notebooks import NOTEBOOKS

import ftlab
from ftlab import _ftlab, labs

EXAMPLES = sorted((REPOSITORY / "crates/python/examples").glob("*.py"))

#: What a program needs that imports it: the standard library's modules that Python has not loaded by itself. More of them
#: make the import slow, which is what a command line of one's own notices.
IMPORTED_MAX = 60


#: Of processors for an example: many times what it takes.
CPU_SECONDS_MAX = 20


def run(arguments: list[str], **options: object) -> str:
    """What a program prints, which is to succeed."""
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_import_brings_few_modules_and_none_but_the_standard_library_s() -> None:
    script = """
import sys
before = set(sys.modules)
import ftlab
print(*set(sys.modules) - before)
"""
    loaded = run([sys.executable, "-c", script]).split()
    packages = {name.split(".")[0] for name in loaded}
    assert packages <= {"ftlab"} | sys.stdlib_module_names, packages
    assert not packages & {"asyncio", "concurrent", "multiprocessing", "unittest"}, packages
    assert len(loaded) <= IMPORTED_MAX, sorted(loaded)


def test_types_hold_in_the_package_the_examples_and_the_notebooks(tmp_path: Path) -> None:
    for path in NOTEBOOKS:
        cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        (tmp_path / f"{path.stem.replace('-', '_')}.py").write_text("\n\n".join(cells) + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "crates/python/python/ftlab", "crates/python/examples", str(tmp_path)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_say_what_is_there() -> None:
    stubs = ast.parse((REPOSITORY / "crates/python/python/ftlab/_ftlab.pyi").read_text())

    def said(node: ast.Module | ast.ClassDef) -> set[str]:
        names = {part.name for part in node.body if isinstance(part, (ast.ClassDef, ast.FunctionDef))}
        return names | {part.target.id for part in node.body if isinstance(part, ast.AnnAssign)}

    def there(thing: object) -> set[str]:
        own = vars(thing) if isinstance(thing, type) else {name: None for name in dir(thing)}
        python_s = {"__module__", "__doc__", "__new__", "__repr__", "__hash__", "__eq__", "__weakref__", "__all__"}
        python_s |= {"__file__", "__loader__", "__name__", "__package__", "__spec__"}
        orders = {f"__{name}__" for name in ("lt", "le", "gt", "ge", "ne", "delitem", "setitem")}
        return set(own) - python_s - orders

    assert said(stubs) == there(_ftlab)
    for part in stubs.body:
        if isinstance(part, ast.ClassDef) and part.name not in ("InputError", "RunError"):
            assert said(part) == there(getattr(_ftlab, part.name)), part.name


def test_everything_public_says_what_it_is() -> None:
    things = {name: getattr(ftlab, name) for name in ftlab.__all__ if name != "__version__"}
    things |= {f"theory.{name}": getattr(ftlab.theory, name) for name in ftlab.theory.__all__}
    things |= {f"labs.{name}": getattr(labs, name) for name in labs.__all__}
    for name, thing in things.items():
        assert thing.__doc__, name
        own = vars(thing) if isinstance(thing, type) else {}
        for part, of in own.items():
            if not part.startswith("_") and (callable(of) or isinstance(of, property)):
                assert of.__doc__, f"{name}.{part}"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run([sys.executable, str(example)], cwd=tmp_path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < CPU_SECONDS_MAX


def blocks_of(page: str) -> list[str]:
    text = (REPOSITORY / page).read_text()
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def typed_blocks(guide: str) -> dict[str, object]:
    """Runs the blocks of a guide that are no examples, one after the other; gives the names that are there then."""
    page = f"docs/guides/{guide}.md"
    examples = [example.read_text() for example in EXAMPLES]
    others = [block for block in blocks_of(page) if block not in examples]
    assert others
    typed: dict[str, object] = {"__name__": "typed"}
    for block in others:
        exec(compile(block, page, "exec"), typed)  # noqa: S102
    return typed


def test_the_guide_to_embedding_runs() -> None:
    typed = typed_blocks("embed-a-drive")
    ends = typed["ends"]
    parts = ends[["host_ns", "controller_ns", "link_ns", "flash_ns"]]
    assert (parts.sum(axis=1) == ends["lat_ns"]).all()
    # One bit of what was read, and none of what is stored.
    assert sum(typed["received"]) == 1 << typed["end"].flip[1] and not any(typed["held"])


def test_pages_show_the_examples_and_what_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {example.stem: example.read_text() for example in EXAMPLES}
    assert len(texts["hundred_runs"].splitlines()) == 10
    for name in ("hundred_runs", "dask_local", "morris", "least_spare"):
        assert texts[name] in blocks_of("docs/guides/python.md"), name
    # The rest go one after the other, as a reader types them.
    monkeypatch.chdir(tmp_path)
    typed = typed_blocks("python")
    # What was published of a drive stands beside what its review gives.
    figures = typed["figures"]
    assert isinstance(figures, ftlab.Table) and "F0178" in figures["id"].to_list()
