"""Sweeps: every drive with every setting, load and seed of a grid, one row a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping

from ftlab import _ftlab
from ftlab._drive import Drive, drive as drive_of
from ftlab._ftlab import InputError
from ftlab._results import to_pandas, to_polars
from ftlab._words import load as load_of, seed as seed_of, setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path
    from typing import Any, TypeAlias

    import pandas
    import polars
    import xarray
    from distributed import Client

    from ftlab._drive import DriveLike
    from ftlab._words import Load

    #: Settings of a grid: a value or a list of values for each dotted key, all tried with each other; a list of settings
    #: that belong together; or settings that are drawn.
    Grid: TypeAlias = "Mapping[str, Any] | Sequence[Mapping[str, Any]] | LatinHypercube"

#: Columns that say how a row came about, and are no figures.
_OF_ROWS = ("row", "run_id", "state", "clock", "status", "reason")


class LatinHypercube:
    """`points` settings drawn so that each range is hit once in every `points`-th of it.

    `ranges` has for each dotted key a pair (from, to), of whole numbers where both are, or a list of values to draw from
    evenly. Keys in `log` are drawn so that ratios count, and not differences.
    """

    def __init__(
        self,
        points: int,
        ranges: Mapping[str, tuple[float, float] | Sequence[Any]],
        seed: int = 1,
        log: Collection[str] = (),
    ) -> None:
        self.points, self.ranges, self.seed, self.log = points, ranges, seed, log

    def _words(self) -> dict[str, Any]:
        spans: dict[str, Any] = {}
        for key, span in self.ranges.items():
            if isinstance(span, tuple):
                if len(span) != 2:
                    raise InputError(f"latin_hypercube: {key}: give a pair (from, to), or a list of values")
                least, most = (setting(bound) for bound in span)
                spans[key] = {"from": least, "to": most, "log": key in self.log}
            else:
                spans[key] = [setting(value) for value in span]
        return {"points": self.points, "seed": self.seed, "set": spans}


class Sweep:
    """The table of a sweep, a row a run, in the order of the grid; an Arrow table that others read without a copy.

    `row`, `run_id`, `drive`, `load`, `state`, `clock`, `seed` and each setting say what a row is of; `status` (done,
    refused, failed or skipped) and `reason` how it ended; the rest are figures, named as in `Results.runs`.
    """

    def __init__(self, table: _ftlab.Table, path: Path | None, counts: dict[str, int]) -> None:
        #: The table.
        self.table = table
        #: Its Parquet file; None if it was kept nowhere.
        self.path = path
        #: How many rows are done, refused, failed and skipped.
        self.counts = counts

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas DataFrame."""
        return to_pandas(self.table)

    def to_polars(self) -> polars.DataFrame:
        """The table as a Polars DataFrame."""
        return to_polars(self.table)

    def to_xarray(self) -> xarray.Dataset:
        """The figures of a full grid with a dimension for the drives, each setting, the loads and the seeds.

        What has one value is a coordinate without a dimension. Raises `InputError` where rows are not every value with
        every other.
        """
        import math

        frame = self.to_pandas()
        settings = [name for name in frame.columns if "." in name]
        axes = ["drive", *settings, "load", "seed"]
        dims = [name for name in axes if frame[name].nunique(dropna=False) > 1] or ["seed"]
        sizes = {name: frame[name].nunique(dropna=False) for name in dims}
        if math.prod(sizes.values()) != len(frame):
            shape = " × ".join(f"{size} {name}" for name, size in sizes.items())
            raise InputError(
                f"{len(frame)} rows are no full grid of {shape}; use to_pandas() for lists and hypercubes"
            )
        figures = frame.drop(columns=[name for name in _OF_ROWS if name != "status"])
        alone = {name: frame[name].iloc[0] for name in axes if name not in dims}
        dataset: xarray.Dataset = figures.drop(columns=list(alone)).set_index(dims).to_xarray()
        return dataset.assign_coords(alone)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in self.counts.items() if count)
        return f"<ftlab.Sweep of {len(self)} rows: {counts}>"


def sweep(
    grid: Grid | str | os.PathLike[str],
    load: Load | Sequence[Load] | Mapping[str, Load] | None = None,
    drives: DriveLike | Sequence[DriveLike] | None = None,
    seeds: int | Sequence[int] = 1,
    state: str = "filled",
    untimed: bool = False,
    *,
    settings: Mapping[str, Any] | None = None,
    pace: str = "original",
    fit: str = "refuse",
    out: str | os.PathLike[str] | None = None,
    shard: str | None = None,
    client: Client | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
) -> Sweep:
    """Runs every drive with every setting, load and seed of a grid, as `ftlab sweep` does: the same rows, byte for byte.

    `grid` has settings by their dotted keys, each with a value or a list: `{"spare.op": [0.07, 0.28]}`; or is a list of
    settings that belong together, or a `LatinHypercube`. `settings` are tried with each of these. `load` is a load as
    `run` takes one, or several. `seeds` are the roots of all random streams, or how many from 1 on. Alternatively `grid` is
    the path of a grid's file, which says all of that. `pace` and `fit` are of recorded traces among the loads, as for `replay`.

    `out` is a folder that keeps the rows: those that are there are not run again, and what was interrupted goes on there.
    `shard="3/64"` runs the third of 64 shares, for `merge`. Rows run on `threads` of this machine, within `memory_gib` (GiB),
    or on a Dask cluster by its `client`: a worker that dies takes nothing with it. A run that cannot be made is a row with a
    reason. `progress` is called with the rows that are done and all that are to run; True shows them on standard error.

    Raises `InputError` when the grid is none, or no row of it can run.
    """
    native = _grid(grid, load, drives, seeds, state, untimed, settings, pace, fit)
    if out is None:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            made = _run(native, folder, shard, client, threads, memory_gib, progress)
            made.path = None
            return made
    return _run(native, os.fspath(out), shard, client, threads, memory_gib, progress)


def merge(folders: Iterable[str | os.PathLike[str]], out: str | os.PathLike[str]) -> Sweep:
    """Puts the tables that shards left in folders together: the table that one sweep over all of the grid leaves.

    Raises `InputError` when they are of several grids, `RunError` when rows are missing.
    """
    given = [os.fspath(folder) for folder in folders]
    if not given:
        raise InputError("there is nothing to merge; give the folders that shards were written to")
    path, counts = _ftlab.merge(given, os.fspath(out))
    return Sweep(_ftlab.read_table(path), path, counts)


def _several(given: Any) -> list[Any]:
    """What is one or several, as a list."""
    one = isinstance(given, (str, os.PathLike, Mapping, Drive))
    return [given] if one else list(given)


def _loads(given: Any) -> list[Any]:
    if isinstance(given, Mapping) and any(isinstance(value, str) and "\n" in value for value in given.values()):
        # Texts by their names.
        return [load_of(text, name) for name, text in given.items()]
    named = _several(given)
    if len(named) == 1:
        return [load_of(named[0])]
    # Loads without a file are numbered: the rows tell them apart.
    return [load_of(each, f"load-{number}") for number, each in enumerate(named, 1)]


def _grid(
    grid: Any,
    load: Any,
    drives: Any,
    seeds: int | Sequence[int],
    state: str,
    untimed: bool,
    settings: Mapping[str, Any] | None,
    pace: str,
    fit: str,
) -> _ftlab.Sweep:
    if isinstance(grid, (str, os.PathLike)):
        if load is not None or drives is not None or settings is not None:
            raise InputError("a grid's file says its loads, drives and settings itself; leave them out")
        return _ftlab.Sweep.of_file(os.fspath(grid))
    for what, given in (("load", load), ("drives", drives)):
        if given is None:
            raise InputError(f"a grid needs {what}; give at least one")
    words: dict[str, Any] = {
        "drives": [_drive_words(each) for each in _several(drives)],
        "loads": _loads(load),
        "seeds": seed_of(seeds) if isinstance(seeds, int) else [seed_of(seed) for seed in seeds],
        "state": state,
        "untimed": untimed,
        # What is as by default is not said, so that it is the same grid.
        "replay": {key: word for key, word, usual in [("pace", pace, "original"), ("fit", fit, "refuse")] if word != usual},
        "set": _values(settings or {}),
    }
    if isinstance(grid, LatinHypercube):
        words["latin_hypercube"] = grid._words()
    elif isinstance(grid, Mapping):
        words["set"] |= _values(grid)
    else:
        words["list"] = [{key: setting(value) for key, value in entry.items()} for entry in grid]
    return _ftlab.Sweep.of(words, "", "sweep")


def _drive_words(given: DriveLike) -> Any:
    if isinstance(given, (str, os.PathLike)) and "\n" not in os.fspath(given):
        return os.fspath(given)
    made = drive_of(given)
    if asked := made._native.callables:
        raise InputError(
            f"drives: {made.slug} asks {' and '.join(asked)}, and no id tells what a function does from run to run, or on "
            "another machine: run it with ftlab.run or ftlab.compare"
        )
    return {"name": made.slug, "text": made.text}


def _values(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with one or several values each."""

    def values(given: Any) -> Any:
        several = isinstance(given, Iterable) and not isinstance(given, str)
        return [setting(value) for value in given] if several else setting(given)

    return {key: values(given) for key, given in settings.items()}


def _run(
    native: _ftlab.Sweep,
    out: str,
    shard: str | None,
    client: Any,
    threads: int | None,
    memory_gib: float | None,
    progress: Callable[[int, int], object] | bool | None,
) -> Sweep:
    told = _teller(progress)
    store = _ftlab.Store.open(out, native)
    if client is None:
        native.run(store, shard, threads, memory_gib, told)
    else:
        from ftlab._dask import run_on

        run_on(client, native, store, shard, told)
    path, counts = store.finish(native, shard)
    return Sweep(_ftlab.read_table(path), path, counts)


def _teller(progress: Callable[[int, int], object] | bool | None) -> Callable[[int, int], object] | None:
    if callable(progress):
        return progress
    return _show if progress or (progress is None and sys.stderr.isatty()) else None


def _show(done: int, total: int) -> None:
    print(f"\r{done} of {total} rows", end="\n" if done == total else "", file=sys.stderr, flush=True)
