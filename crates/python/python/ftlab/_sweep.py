"""Sweeps: every drive with every setting, load and seed of a grid, one row a run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ftlab import _ftlab
from ftlab._drive import Drive, drive as drive_of
from ftlab._ftlab import InputError
from ftlab._order import also, of_sweeps
from ftlab._tables import Tabular
from ftlab._words import flag, load as load_of, machine, naming, progress as hearer, replaying, seed as seed_of, setting, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path
    from typing import Any, TypeAlias

    import xarray
    from distributed import Client
    from matplotlib.axes import Axes

    from ftlab._drive import DriveLike
    from ftlab._words import Load, Progress

    #: Settings of a grid: a value or a list of values for each dotted key, all tried with each other; a list of settings
    #: that belong together; or settings that are drawn.
    Grid: TypeAlias = "Mapping[str, Any] | Sequence[Mapping[str, Any]] | LatinHypercube"

#: Columns that say how a row came about, and are no figures.
_OF_ROWS = ("row", "run_id", "state", "clock", "status", "reason")


#: Words of a replay that are as by default, and are not said, so that it is the same grid.
_USUAL = (("pace", "original"), ("fit", "refuse"))


class LatinHypercube:
    """Settings drawn so that each of `points` equal parts of each range is hit once.

    Parameters
    ----------
    points : int
        Number of settings.
    ranges : dict
        For each dotted key a pair (from, to), of whole numbers where both are, or a list of values to draw from evenly.
    seed : int, default 1
        Root of what they are drawn by.
    log : collection of str
        Keys that are drawn so that ratios count, and not differences.

    Examples
    --------
    >>> import ftlab
    >>> drawn = ftlab.LatinHypercube(4, {"spare.op": (0.07, 0.5)})
    >>> writes = {"rw": "randwrite", "bs": "4k", "number_ios": 1000}
    >>> len(ftlab.sweep(writes, "generic-mlc-8", drawn, untimed=True, settings={"nand.blocks_per_die": 64}))
    4
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


class Sweep(Tabular):
    """The table of a sweep, a row for each run, in the order of the grid; an Arrow table that others read without a copy.

    `row`, `run_id`, `drive`, `load`, `state`, `clock`, `seed` and each setting say what a row is of; `status` (done,
    refused, failed or skipped) and `reason` how it ended; the rest are figures, named as in `Results.runs`. `sweep()` makes it.
    """

    def __init__(self, table: _ftlab.Table, path: Path | None, counts: dict[str, int]) -> None:
        #: The table.
        self.table = table
        #: Its Parquet file; None if it was kept nowhere.
        self.path = path
        #: How many rows are done, refused, failed and skipped.
        self.counts = counts

    @property
    def _as_table(self) -> _ftlab.Table:
        return self.table

    def to_xarray(self) -> xarray.Dataset:
        """The figures of a full grid with a dimension for the drives, each setting, the loads and the seeds.

        An axis with one value is a coordinate without a dimension.

        Returns
        -------
        xarray.Dataset

        Raises
        ------
        InputError
            When rows are not every value with every other.
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

    def plot(self, x: str | None = None, y: str = "wa", *, by: str | None = None, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws a figure over a setting: the mean over seeds.

        Parameters
        ----------
        x : str, optional
            The setting along the axis; by default the first with several numbers.
        y : str, default "wa"
            The figure.
        by : str, optional
            A line for each value of this column; by default the first setting with several words.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into; new ones without it.
        **options
            Passed on to Matplotlib.

        Returns
        -------
        matplotlib.axes.Axes
        """
        cells = {name: self.table[name].to_list() for name in self.table.column_names if "." in name or name == "drive"}
        varied = {name: of for name, of in cells.items() if len(set(of)) > 1}
        numbers = [name for name, of in varied.items() if all(isinstance(cell, (int, float)) for cell in of)]
        words = [name for name in varied if name not in numbers]
        if x is None:
            if not numbers:
                raise InputError("x: no setting has several numbers; say what is along the axis")
            x = numbers[0]
        return self.table.plot(x, y, by=by or (words[0] if words and words[0] != x else None), ax=ax, **options)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in self.counts.items() if count)
        return f"<ftlab.Sweep of {len(self)} rows: {counts}>"


@also(("grid", "load", "drives", "seeds", "state", "untimed"), of_sweeps)
def sweep(
    load: Load | Sequence[Load] | Mapping[str, Load] | None = None,
    drives: DriveLike | Sequence[DriveLike] | None = None,
    grid: Grid | str | os.PathLike[str] | None = None,
    seeds: int | Sequence[int] = 1,
    state: str = "filled",
    untimed: bool = False,
    *,
    settings: Mapping[str, Any] | None = None,
    pace: str = "original",
    fit: str = "refuse",
    window: str | None = None,
    share: float | str | None = None,
    device: str | Sequence[str] | None = None,
    format: str | None = None,
    out: str | os.PathLike[str] | None = None,
    shard: str | None = None,
    client: Client | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Runs every drive with every setting, load and seed of a grid, as `ftlab sweep` does: the same rows, byte for byte.

    The order of earlier versions, `sweep(grid, load, drives)`, is accepted too.

    Parameters
    ----------
    load : str, path, dict or list
        One load or several, as for `run`.
    drives : Drive, str, path or list
        One drive or several.
    grid : dict, list, LatinHypercube or path
        Settings by their dotted keys, each with a value or a list: ``{"spare.op": [0.07, 0.28]}``; a list of settings that
        belong together; settings that are drawn; or the path of a grid's file, which says loads and drives as well.
    seeds : int or list of int, default 1
        Roots of all random streams, or how many from 1 on.
    state : str, default "filled"
        The state in which drives begin. Take "steady-fast" where write amplification is in question: in "used", short loads
        end before collection has settled.
    untimed : bool, default False
        Run without a clock: write amplification alone, and much faster.
    settings : dict, optional
        Settings that are tried with each of the grid.
    pace, fit : str
        Of recorded traces among the loads, as for `replay`.
    window, share, device, format : optional
        The part of recorded traces that is replayed, as for `replay`.
    out : str or path, optional
        A folder that keeps the rows: those that are there are not run again, and what was interrupted goes on there.
    shard : str, optional
        A share of the rows, for `merge`: "3/64" runs the third of 64.
    client : distributed.Client, optional
        Run on this Dask cluster: a worker that dies takes nothing with it.
    threads : int, optional
        Threads of this machine; by default all cores.
    memory_gib : float, optional
        GiB for drives and their copies; by default half of the free memory.
    progress : bool or callable, optional
        Called with the rows that are done and all that are to run; True shows them on standard error, as a terminal does
        without it.

    Returns
    -------
    Sweep
        A run that cannot be made is a row with a reason.

    Raises
    ------
    InputError
        When the grid is none, or no row of it can run.

    Examples
    --------
    >>> import ftlab
    >>> writes = {"rw": "randwrite", "bs": "4k", "number_ios": 5000}
    >>> grid = {"spare.op": [0.07, 0.28], "nand.blocks_per_die": 64}
    >>> table = ftlab.sweep(writes, "generic-mlc-8", grid, state="steady-fast", untimed=True)
    >>> little, much = table.table["wa"]
    >>> little > much
    True
    """
    if grid is None and load is not None and drives is None and isinstance(load, (str, os.PathLike)):
        # A grid's file says all of it.
        load, grid = None, load
    words = replaying(pace, fit, window, share, device, format)
    state, untimed = word("state", state, "used"), flag("untimed", untimed)
    native = _grid({} if grid is None else grid, load, drives, seeds, state, untimed, settings, words)
    given = machine(threads, memory_gib)
    hears = _hearer(progress)
    if out is None:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            made = _run(native, folder, shard, client, given, hears)
            made.path = None
            return made
    return _run(native, os.fspath(out), shard, client, given, hears)


def merge(folders: Iterable[str | os.PathLike[str]], out: str | os.PathLike[str]) -> Sweep:
    """Puts the tables that shards left in folders together: the table that one sweep over all of the grid leaves.

    Parameters
    ----------
    folders : iterable of str or path
        The folders that shards were written to.
    out : str or path
        The folder for the whole table.

    Returns
    -------
    Sweep

    Raises
    ------
    InputError
        When they are of several grids.
    RunError
        When rows are missing.
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


def _named_loads(given: Any) -> list[tuple[str, Any]]:
    """Loads by the names that they have in messages."""
    named = _several(given)
    return [("job", named[0])] if len(named) == 1 else [(f"load-{number}", each) for number, each in enumerate(named, 1)]


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
    replay: dict[str, Any],
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
        "seeds": _seeds(seeds),
        "state": state,
        "untimed": untimed,
        "replay": {key: said for key, said in replay.items() if said and (key, said) not in _USUAL},
        "set": _values(settings or {}),
    }
    if isinstance(grid, LatinHypercube):
        words["latin_hypercube"] = grid._words()
    elif isinstance(grid, Mapping):
        words["set"] |= _values(grid)
    elif not isinstance(grid, Iterable):
        raise InputError(f'grid = {grid!r}: give settings, for example {{"spare.op": [0.07, 0.28]}}, or a LatinHypercube')
    else:
        words["list"] = [{key: setting(value) for key, value in entry.items()} for entry in grid]
    with naming.each(_named_loads(load)):
        return _ftlab.Sweep.of(words, "", "sweep")


def _seeds(seeds: Any) -> int | list[int]:
    """How many seeds there are, or each of them."""
    if isinstance(seeds, (str, bytes)) or (not isinstance(seeds, int) and not isinstance(seeds, Iterable)):
        return seed_of(seeds, "seeds")
    return seed_of(seeds, "seeds") if isinstance(seeds, int) else [seed_of(seed, "seeds") for seed in seeds]


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
    machine: dict[str, Any],
    hears: Any,
) -> Sweep:
    store = _ftlab.Store.open(out, native)
    if client is None:
        native.run(store, shard, machine["threads"], machine["memory_gib"], hears)
    else:
        from ftlab._dask import run_on

        run_on(client, native, store, shard, hears)
    path, counts = store.finish(native, shard)
    return Sweep(_ftlab.read_table(path), path, counts)


def _hearer(progress: Progress | None) -> Any:
    """Who hears of progress: by default a terminal."""
    import sys

    return hearer(sys.stderr.isatty() if progress is None else progress, "rows")
