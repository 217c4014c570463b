"""Runs, replays, reviews, comparisons and plans."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ftlab import _ftlab
from ftlab._drive import by_name, drive as drive_of, several
from ftlab._ftlab import InputError
from ftlab._order import also, of_comparisons, of_reviews, split
from ftlab._results import Plans, Result, Results
from ftlab._words import flag, how, naming, number, path, progress as hearer, replaying, setting, text, word
from ftlab._words import load as load_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ftlab._drive import DriveLike
    from ftlab._words import Load, Progress


def run(
    load: Load,
    drive: DriveLike | Mapping[str, DriveLike],
    state: str = "filled",
    seed: int = 1,
    untimed: bool = False,
    repeats: int = 1,
    *,
    quick: bool = False,
    pace: str = "original",
    fit: str = "refuse",
    window: str | None = None,
    share: float | str | None = None,
    device: str | Sequence[str] | None = None,
    format: str | None = None,
    testbed: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
    progress: Progress | None = None,
) -> Result:
    """Runs a load on a drive, as `ftlab run` does.

    The interpreter's lock is free meanwhile, and Ctrl-C ends the run.

    Parameters
    ----------
    load : str, path or dict
        The path of a job file of fio's, of a script or of a trace, the name of one that comes with ftlab, the text of one, or
        fio's options as a dictionary: ``{"rw": "randwrite", "bs": "4k", "iodepth": 8, "number_ios": 10_000}``.
    drive : Drive, str, path or dict
        A drive; or several by name, ``{"nvme0": "generic-mlc-8", "nvme1": "intel-520-240"}``: each job of a job file runs on
        the drives that its `filename` names, in one run, and `devices` of the result has a row for each drive.
    state : str, default "filled"
        The state in which the drive begins: new, filled, filled-random, seasoned, used, restored, steady or steady-fast. Take
        one of the last two for figures of a drive with months of writes behind it.
    seed : int, default 1
        Root of all random streams: the same seed gives the same figures.
    untimed : bool, default False
        Run without a clock: write amplification alone, and much faster.
    repeats : int, default 1
        Make the run this often, with seeds that follow from `seed`; figures are means then.
    quick : bool, default False
        Cut jobs with a runtime short.
    pace : str, default "original"
        The times at which requests of a recorded trace are issued: "original", "scaled=2x" (twice as fast), "closed=N" (N at a
        time) or "asap".
    fit : {"refuse", "wrap", "compact", "scale"}
        The treatment of addresses of a recorded trace beyond the drive.
    window : str, optional
        Only the part of a recorded trace from one time to another, such as "10m..1h" or "..30s".
    share : float or str, optional
        Only this share of the addresses of a recorded trace, with all of their requests: 0.1 or "10%".
    device : str or list of str, optional
        Only the requests of a recorded trace to these devices.
    format : str, optional
        The format of a recorded trace; recognised without it.
    testbed : str or path, optional
        The machine that the drive is in; by default one of the drive's time.
    threads : int, optional
        Threads of this machine; by default all cores.
    memory_gib : float, optional
        GiB for drives and their copies; by default half of the free memory.
    progress : bool or callable, optional
        Called with how much is done and how much there is to do; True shows that on standard error. What it raises ends the work.

    Returns
    -------
    Result

    Raises
    ------
    InputError
        When something that was asked for is wrong.
    RunError
        When a run fails.

    Examples
    --------
    >>> import ftlab
    >>> small = ftlab.Drive("generic-mlc-8", {"nand.blocks_per_die": 64})
    >>> result = ftlab.run({"rw": "randread", "bs": "4k", "number_ios": 1000}, small)
    >>> result.read_ios
    1000
    """
    given = load_of(load)
    with naming(load):
        native = _ftlab.run(
            given,
            by_name(drive),
            word("state", state, "used"),
            flag("untimed", untimed),
            how(seed, repeats, quick, testbed, threads, memory_gib),
            replaying(pace, fit, window, share, device, format),
            hearer(progress),
        )
    return Result(native)


def replay(
    trace: object,
    drive: DriveLike | Mapping[str, DriveLike],
    state: str = "filled",
    seed: int = 1,
    untimed: bool = False,
    repeats: int = 1,
    *,
    quick: bool = False,
    pace: str = "original",
    fit: str = "refuse",
    window: str | None = None,
    share: float | str | None = None,
    device: str | Sequence[str] | None = None,
    format: str | None = None,
    testbed: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
    progress: Progress | None = None,
) -> Result:
    """Replays a recorded trace on a drive, as `ftlab run` does.

    Parameters
    ----------
    trace : str, path or table
        The path of a trace in any format that ftlab reads, or a table of requests: a pandas or Polars DataFrame, or anything
        else that Arrow reads. Its columns are `time_ns` (or `_us`, `_ms`, `_s`), `op` (read, write, trim or flush),
        `offset_bytes` (or `lba`, of 512 bytes) and `bytes` (or `sectors`, of 512 bytes). A table needs ``ftlab[pandas]``.
    drive : Drive, str, path or dict
        A drive, or several by name.
    state : str, default "filled"
        The state in which the drive begins: new, filled, filled-random, seasoned, used, restored, steady or steady-fast. Take
        one of the last two for figures of a drive with months of writes behind it.
    seed : int, default 1
        Root of all random streams: the same seed gives the same figures.
    untimed : bool, default False
        Run without a clock: write amplification alone, and much faster.
    repeats : int, default 1
        Make the run this often, with seeds that follow from `seed`; figures are means then.
    quick : bool, default False
        Cut jobs with a runtime short.
    pace : str, default "original"
        The times at which requests of a recorded trace are issued: "original", "scaled=2x" (twice as fast), "closed=N" (N at a
        time) or "asap".
    fit : {"refuse", "wrap", "compact", "scale"}
        The treatment of addresses of a recorded trace beyond the drive.
    window : str, optional
        Only the part of a recorded trace from one time to another, such as "10m..1h" or "..30s".
    share : float or str, optional
        Only this share of the addresses of a recorded trace, with all of their requests: 0.1 or "10%".
    device : str or list of str, optional
        Only the requests of a recorded trace to these devices.
    format : str, optional
        The format of a recorded trace; recognised without it.
    testbed : str or path, optional
        The machine that the drive is in; by default one of the drive's time.
    threads : int, optional
        Threads of this machine; by default all cores.
    memory_gib : float, optional
        GiB for drives and their copies; by default half of the free memory.
    progress : bool or callable, optional
        Called with how much is done and how much there is to do; True shows that on standard error. What it raises ends the work.

    Returns
    -------
    Result

    Raises
    ------
    InputError
        When something that was asked for is wrong.
    RunError
        When a run fails.

    Examples
    --------
    >>> import ftlab, pandas
    >>> requests = pandas.DataFrame({"time_ns": range(0, 10**9, 10**6), "op": "write", "offset_bytes": 4096, "bytes": 4096})
    >>> ftlab.replay(requests, "generic-mlc-8").write_ios
    1000
    """
    drives = by_name(drive)
    words = (word("state", state, "used"), flag("untimed", untimed), how(seed, repeats, quick, testbed, threads, memory_gib))
    trace_words = replaying(pace, fit, window, share, device, format)
    if isinstance(trace, (str, os.PathLike)):
        file = os.fspath(trace)
        if not os.path.isfile(file):
            raise InputError(f"cannot read {file}: there is no such file")
        return Result(_ftlab.run(file, drives, *words, trace_words, hearer(progress)))
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "requests.parquet")
        _write_table(trace, file)
        try:
            return Result(_ftlab.run(file, drives, *words, trace_words, hearer(progress)))
        except InputError as error:
            # The file is nobody's but this function's.
            raise InputError(str(error).replace(file, "the table of requests")) from None


def _write_table(table: object, file: str) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError("tables of requests need pyarrow: pip install 'ftlab[pandas]'") from error
    try:
        parquet.write_table(pyarrow.table(table), file)
    except (TypeError, ValueError) as error:
        raise InputError(f"this is neither the path of a trace nor a table of requests: {error}") from error


@also(("drives", "tests"), of_reviews)
def review(
    tests: str | Load | Sequence[str | Load] | None = None,
    drives: DriveLike | Iterable[DriveLike] | None = None,
    *,
    suite: str | os.PathLike[str] | None = None,
    state: str | None = None,
    seed: int = 1,
    repeats: int = 1,
    quick: bool = False,
    pace: str = "original",
    fit: str = "refuse",
    window: str | None = None,
    share: float | str | None = None,
    device: str | Sequence[str] | None = None,
    format: str | None = None,
    testbed: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
    progress: Progress | None = None,
) -> Results:
    """Runs tests of the reviews on drives, as `ftlab review` does.

    The order of earlier versions, drives before tests, is accepted too.

    Parameters
    ----------
    tests : str, load or list, optional
        Codes and names of `ftlab tests`, and loads of your own; without it, all tests that run by default.
    drives : Drive, str, path or list, optional
        The drives; without it, those of the 2008 review, or of the suite.
    suite : str or path, optional
        A suite of your own, or the name of one that comes with ftlab: modern.
    state : str, optional
        Every test begins in this state, in place of the states of the reviews.
    seed : int, default 1
        Root of all random streams: the same seed gives the same figures.
    repeats : int, default 1
        Make the run this often, with seeds that follow from `seed`; figures are means then.
    quick : bool, default False
        Cut jobs with a runtime short.
    pace : str, default "original"
        The times at which requests of a recorded trace are issued: "original", "scaled=2x" (twice as fast), "closed=N" (N at a
        time) or "asap".
    fit : {"refuse", "wrap", "compact", "scale"}
        The treatment of addresses of a recorded trace beyond the drive.
    window : str, optional
        Only the part of a recorded trace from one time to another, such as "10m..1h" or "..30s".
    share : float or str, optional
        Only this share of the addresses of a recorded trace, with all of their requests: 0.1 or "10%".
    device : str or list of str, optional
        Only the requests of a recorded trace to these devices.
    format : str, optional
        The format of a recorded trace; recognised without it.
    testbed : str or path, optional
        The machine that the drive is in; by default one of the drive's time.
    threads : int, optional
        Threads of this machine; by default all cores.
    memory_gib : float, optional
        GiB for drives and their copies; by default half of the free memory.
    progress : bool or callable, optional
        Called with how much is done and how much there is to do; True shows that on standard error. What it raises ends the work.

    Returns
    -------
    Results
        With `figures`, the published figures beside those of the model.

    Raises
    ------
    InputError
        When something that was asked for is wrong.
    RunError
        When a run fails.

    Examples
    --------
    >>> import ftlab
    >>> results = ftlab.review("A1", "intel-x25-m-g1-80", quick=True)
    >>> "F0178" in results.figures["id"].to_list()
    True
    """
    given = [] if drives is None else several(drives)
    names, loads = split(tests)
    native = _ftlab.review(
        [drive._native for drive in given],
        names,
        loads,
        None if suite is None else path("suite", suite, "modern"),
        None if state is None else word("state", state, "used"),
        how(seed, repeats, quick, testbed, threads, memory_gib),
        replaying(pace, fit, window, share, device, format),
        hearer(progress),
    )
    return Results(native)


@also(("drive", "settings", "tests"), of_comparisons)
def compare(
    tests: str | Load | Sequence[str | Load],
    drive: DriveLike,
    settings: Mapping[str, Any],
    *,
    state: str | None = None,
    seed: int = 1,
    repeats: int = 1,
    quick: bool = False,
    pace: str = "original",
    fit: str = "refuse",
    window: str | None = None,
    share: float | str | None = None,
    device: str | Sequence[str] | None = None,
    format: str | None = None,
    testbed: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
    progress: Progress | None = None,
) -> Results:
    """Runs tests on a drive with numbers of its file at several values, as `ftlab compare` does.

    The order of earlier versions, `compare(drive, settings, tests)`, is accepted too.

    Parameters
    ----------
    tests : str, load or list
        Codes and names of `ftlab tests`, and loads of your own.
    drive : Drive, str, path or dict
        The drive.
    settings : dict
        A value or a list of values for each dotted key, ``{"spare.op": [0.07, 0.28]}``; each is tried with each of the others,
        and is in the columns ``setting_…`` of `runs`. Of a drive with a function for a policy, ``gc.policy`` may name it beside
        others: ``{"gc.policy": ["greedy", "python:emptiest"]}``.
    state : str, optional
        Every test begins in this state, in place of the states of the reviews.
    seed : int, default 1
        Root of all random streams: the same seed gives the same figures.
    repeats : int, default 1
        Make the run this often, with seeds that follow from `seed`; figures are means then.
    quick : bool, default False
        Cut jobs with a runtime short.
    pace : str, default "original"
        The times at which requests of a recorded trace are issued: "original", "scaled=2x" (twice as fast), "closed=N" (N at a
        time) or "asap".
    fit : {"refuse", "wrap", "compact", "scale"}
        The treatment of addresses of a recorded trace beyond the drive.
    window : str, optional
        Only the part of a recorded trace from one time to another, such as "10m..1h" or "..30s".
    share : float or str, optional
        Only this share of the addresses of a recorded trace, with all of their requests: 0.1 or "10%".
    device : str or list of str, optional
        Only the requests of a recorded trace to these devices.
    format : str, optional
        The format of a recorded trace; recognised without it.
    testbed : str or path, optional
        The machine that the drive is in; by default one of the drive's time.
    threads : int, optional
        Threads of this machine; by default all cores.
    memory_gib : float, optional
        GiB for drives and their copies; by default half of the free memory.
    progress : bool or callable, optional
        Called with how much is done and how much there is to do; True shows that on standard error. What it raises ends the work.

    Returns
    -------
    Results

    Raises
    ------
    InputError
        When something that was asked for is wrong.
    RunError
        When a run fails.

    Examples
    --------
    >>> import ftlab
    >>> small = ftlab.Drive("generic-mlc-8", {"nand.blocks_per_die": 64})
    >>> writes = {"rw": "randwrite", "bs": "4k", "number_ios": 5000}
    >>> results = ftlab.compare(writes, small, {"spare.op": [0.07, 0.28]}, state="steady-fast")
    >>> little, much = results.runs["wa"]
    >>> little > much
    True
    """
    if not isinstance(settings, Mapping):
        raise InputError(f'settings = {settings!r}: give a dictionary, for example {{"spare.op": [0.07, 0.28]}}')
    swept = []
    for key, values in settings.items():
        several = isinstance(values, Iterable) and not isinstance(values, str)
        texts = [text(setting(value)) for value in (values if several else [values])]
        if not texts or len(set(texts)) < len(texts):
            raise InputError(f"settings: {key}: give at least one value, and each once")
        swept.append((key, texts))
    names, loads = split(tests)
    with naming(tests):
        native = _ftlab.compare(
            drive_of(drive)._native,
            swept,
            names,
            loads,
            None if state is None else word("state", state, "used"),
            how(seed, repeats, quick, testbed, threads, memory_gib),
            replaying(pace, fit, window, share, device, format),
            hearer(progress),
        )
    return Results(native)


def plan(
    load: Load,
    drives: DriveLike | Iterable[DriveLike],
    *,
    bytes_per_day: float | None = None,
    wa: float | None = None,
    life_years: float | None = None,
    p99_ns: float | None = None,
    spares: Sequence[float] = (),
    rates: Sequence[float] = (),
    full_size: bool = False,
    state: str = "filled",
    seed: int = 1,
    quick: bool = False,
    pace: str = "original",
    fit: str = "refuse",
    window: str | None = None,
    share: float | str | None = None,
    device: str | Sequence[str] | None = None,
    format: str | None = None,
    testbed: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
    progress: Progress | None = None,
) -> Plans:
    """Says how long drives last under a load, how fast they answer, and how much spare area that takes, as `ftlab plan` does.

    Parameters
    ----------
    load : str, path or dict
        A load, as for `run`.
    drives : Drive, str, path or list
        One drive or several.
    bytes_per_day : float, optional
        Bytes that the host writes a day; by default those that the load writes at its own rate. Jobs that have a rate keep it.
    wa : float, optional
        Find the least spare area with at most this write amplification.
    life_years : float, optional
        Find the least spare area with which the drive lasts this many years.
    p99_ns : float, optional
        Find the least spare area with at most this 99th percentile of latency, in nanoseconds.
    spares : list of float, optional
        Spare areas of the curve, as shares of the user's capacity.
    rates : list of float, optional
        Rates of the load for a curve of latency, in requests a second.
    full_size : bool, default False
        Simulate every drive in its own size; without it, a drive under a job is simulated in a form of 16 GB.
    state : str, default "filled"
        The state in which the drive begins: new, filled, filled-random, seasoned, used, restored, steady or steady-fast. Take
        one of the last two for figures of a drive with months of writes behind it.
    seed : int, default 1
        Root of all random streams: the same seed gives the same figures.
    quick : bool, default False
        Cut jobs with a runtime short.
    pace : str, default "original"
        The times at which requests of a recorded trace are issued: "original", "scaled=2x" (twice as fast), "closed=N" (N at a
        time) or "asap".
    fit : {"refuse", "wrap", "compact", "scale"}
        The treatment of addresses of a recorded trace beyond the drive.
    window : str, optional
        Only the part of a recorded trace from one time to another, such as "10m..1h" or "..30s".
    share : float or str, optional
        Only this share of the addresses of a recorded trace, with all of their requests: 0.1 or "10%".
    device : str or list of str, optional
        Only the requests of a recorded trace to these devices.
    format : str, optional
        The format of a recorded trace; recognised without it.
    testbed : str or path, optional
        The machine that the drive is in; by default one of the drive's time.
    threads : int, optional
        Threads of this machine; by default all cores.
    memory_gib : float, optional
        GiB for drives and their copies; by default half of the free memory.
    progress : bool or callable, optional
        Called with how much is done and how much there is to do; True shows that on standard error. What it raises ends the work.

    Returns
    -------
    Plans

    Raises
    ------
    InputError
        When something that was asked for is wrong.
    RunError
        When a run fails.

    Examples
    --------
    >>> import ftlab
    >>> small = ftlab.Drive("generic-mlc-8", {"nand.blocks_per_die": 64})
    >>> writes = {"rw": "randwrite", "bs": "4k", "number_ios": 20_000}
    >>> [plan] = ftlab.plan(writes, small, wa=2.0, spares=[0.28], quick=True).plans
    >>> 0.2 < plan["goals"][0]["spare"] < 0.6
    True
    """
    wanted = {
        "bytes_per_day": (bytes_per_day, "a number of bytes, for example 50e9"),
        "wa": (wa, "a number, for example 2.0"),
        "life_years": (life_years, "a number of years, for example 5"),
        "p99_ns": (p99_ns, "a number of nanoseconds, for example 5e6 for 5 ms"),
    }
    goals: dict[str, Any] = {
        name: None if value is None else number(name, value, what) for name, (value, what) in wanted.items()
    }
    if isinstance(spares, (str, bytes)) or not isinstance(spares, Iterable):
        raise InputError(f"spares = {spares!r}: give a list of shares, for example [0.07, 0.28]")
    goals["spares"] = [number("spares", spare, "shares, for example [0.07, 0.28]") for spare in spares]
    if isinstance(rates, (str, bytes)) or not isinstance(rates, Iterable):
        raise InputError(f"rates = {rates!r}: give a list of requests a second, for example [5e3, 10e3]")
    goals["rates"] = [number("rates", rate, "requests a second, for example [5e3, 10e3]") for rate in rates]
    goals["full_size"] = flag("full_size", full_size)
    given = load_of(load)
    with naming(load):
        native = _ftlab.plan(
            given,
            [drive._native for drive in several(drives)],
            word("state", state, "used"),
            goals,
            how(seed, 1, quick, testbed, threads, memory_gib),
            replaying(pace, fit, window, share, device, format),
            hearer(progress),
        )
    return Plans(native)
