"""Runs, replays, reviews, comparisons and plans."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ftlab import _ftlab
from ftlab._drive import by_name, drive as drive_of, several
from ftlab._ftlab import InputError
from ftlab._results import Plans, Result, Results
from ftlab._words import load as load_of, seed as seed_of, setting, text, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    from ftlab._drive import DriveLike
    from ftlab._words import Load

    #: Called with how much is done and how much there is to do.
    Progress: TypeAlias = Callable[[int, int], object]


def _how(
    seed: int,
    repeats: int,
    quick: bool,
    testbed: str | os.PathLike[str] | None,
    threads: int | None,
    memory_gib: float | None,
) -> dict[str, Any]:
    return {
        "seed": seed_of(seed),
        "repeats": whole("repeats", repeats),
        "quick": quick,
        "testbed": None if testbed is None else os.fspath(testbed),
        "threads": None if threads is None else whole("threads", threads),
        "memory_gib": memory_gib,
    }


def run(
    load: Load,
    drive: DriveLike | Mapping[str, DriveLike],
    state: str = "filled",
    seed: int = 1,
    untimed: bool = False,
    repeats: int = 1,
    *,
    quick: bool = False,
    testbed: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
    progress: Progress | None = None,
) -> Result:
    """Runs a load on a drive, as `ftlab run` does.

    `load` is the path of a job file of fio's, of a script or of a trace, the name of one that comes along, the text of
    one, or fio's options as a dictionary: `{"rw": "randwrite", "bs": "4k", "iodepth": 8, "number_ios": 10_000}`.
    `drive` may be several by name, `{"nvme0": "generic-mlc-8", "nvme1": "intel-520-240"}`: each job of a job file runs on
    the drives that its `filename` names, in one run, and `devices` of the result has a row for each drive.
    `state` is what the drive has been through, as on the command line `filled` if left out: new, filled, filled-random,
    seasoned, used, restored, steady or steady-fast. `untimed` runs without a clock: write amplification only, and much faster. With `repeats`, the run is made
    so often with seeds that follow from `seed`, and figures are means. `quick` cuts jobs with a runtime short. `testbed` is
    the machine that the drive is in, by default one of its time. `threads` and `memory_gib` (GiB) limit what the runs take; by default they have all
    cores and half of the free memory. The interpreter's lock is free meanwhile, and Ctrl-C ends the run.

    Raises `InputError` when load, drive or state are none, `RunError` when the run fails.
    """
    how = _how(seed, repeats, quick, testbed, threads, memory_gib)
    native = _ftlab.run(
        load_of(load), by_name(drive), state, untimed, how, {"pace": "original", "fit": "refuse"}, progress
    )
    return Result(native)


def replay(
    trace: object,
    drive: DriveLike,
    state: str = "filled",
    seed: int = 1,
    untimed: bool = False,
    repeats: int = 1,
    *,
    pace: str = "original",
    fit: str = "refuse",
    testbed: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
    progress: Progress | None = None,
) -> Result:
    """Replays a recorded trace on a drive, as `ftlab run` does.

    `trace` is the path of a trace in any format that ftlab reads, or a table of requests: a pandas or Polars DataFrame,
    or anything else that Arrow reads. Its columns are `time_ns` (or `_us`, `_ms`, `_s`), `op` (read, write, trim or flush),
    `offset_bytes` (or `lba`, of 512 bytes) and `bytes` (or `sectors`, of 512 bytes); a table needs `ftlab[pandas]`.
    `pace` is when requests are issued: "original" (at their own times), "scaled=2x" (twice as fast), "closed=N" (N at a
    time) or "asap". `fit` is what is done with addresses beyond the drive: "refuse", "wrap", "compact" or "scale". The rest is
    as in `run`.

    Raises `InputError` when the trace cannot be read or does not fit.
    """
    how = _how(seed, repeats, False, testbed, threads, memory_gib)
    drives = by_name(drive_of(drive))
    replaying = {"pace": pace, "fit": fit}
    if isinstance(trace, (str, os.PathLike)):
        path = os.fspath(trace)
        if not os.path.isfile(path):
            raise InputError(f"cannot read {path}: there is no such file")
        return Result(_ftlab.run(path, drives, state, untimed, how, replaying, progress))
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "requests.parquet")
        _write_table(trace, file)
        try:
            return Result(_ftlab.run(file, drives, state, untimed, how, replaying, progress))
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


def review(
    drives: DriveLike | Iterable[DriveLike] | None = None,
    tests: str | Sequence[str] = (),
    *,
    suite: str | os.PathLike[str] | None = None,
    seed: int = 1,
    repeats: int = 1,
    quick: bool = False,
    testbed: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
    progress: Progress | None = None,
) -> Results:
    """Runs tests of the reviews on drives, as `ftlab review` does.

    Without `drives`, those of the 2008 review; without `tests` (codes and names of `ftlab tests`), all that run by
    default. `suite` is the path of a suite of your own, or the name of one
    that comes with ftlab: modern. The rest is as in `run`; `progress` is called with the runs that are
    done and all there are.
    """
    given = [] if drives is None else several(drives)
    native = _ftlab.review(
        [drive._native for drive in given],
        [tests] if isinstance(tests, str) else list(tests),
        None if suite is None else os.fspath(suite),
        _how(seed, repeats, quick, testbed, threads, memory_gib),
        progress,
    )
    return Results(native)


def compare(
    drive: DriveLike,
    settings: Mapping[str, Any],
    tests: str | Sequence[str],
    *,
    state: str | None = None,
    seed: int = 1,
    repeats: int = 1,
    quick: bool = False,
    testbed: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
    progress: Progress | None = None,
) -> Results:
    """Runs tests on a drive with numbers of its file at several values, as `ftlab compare` does.

    `settings` has a value or a list of values for each dotted key: `{"spare.op": [0.07, 0.28]}`; each is tried with each of
    the others, and stands in the columns `setting_…` of `runs`. Of a drive with a function for a policy, `gc.policy` may
    name it beside others: `{"gc.policy": ["greedy", "python:emptiest"]}`. `tests` are codes and names of `ftlab tests`. In place of
    the states of the reviews, every test begins in `state` if one is given. The rest is as in `run`.
    """
    swept = []
    for key, values in settings.items():
        several = isinstance(values, Iterable) and not isinstance(values, str)
        texts = [text(setting(value)) for value in (values if several else [values])]
        if not texts or len(set(texts)) < len(texts):
            raise InputError(f"settings: {key}: give at least one value, and each once")
        swept.append((key, texts))
    native = _ftlab.compare(
        drive_of(drive)._native,
        swept,
        [tests] if isinstance(tests, str) else list(tests),
        state,
        _how(seed, repeats, quick, testbed, threads, memory_gib),
        progress,
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
    state: str = "filled",
    pace: str = "original",
    fit: str = "refuse",
    seed: int = 1,
    quick: bool = False,
    testbed: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_gib: float | None = None,
) -> Plans:
    """Says how long drives last under a load, how fast they answer, and how much spare area that takes, as `ftlab plan` does.

    The host writes `bytes_per_day`, by default what the load writes at its own rate. Goals, for each of which the least
    spare area is found: write amplification of at most `wa`, rated cycles that last `life_years`, and a 99th percentile of
    latency of at most `p99_ns` nanoseconds. `spares` are the spare areas of the curve, as shares of the user's capacity.
    `pace` and `fit` are of a recorded trace, as for `replay`.
    """
    native = _ftlab.plan(
        load_of(load),
        [drive._native for drive in several(drives)],
        state,
        {
            "bytes_per_day": bytes_per_day,
            "wa": wa,
            "life_years": life_years,
            "p99_ns": p99_ns,
            "spares": list(spares),
        },
        _how(seed, 1, quick, testbed, threads, memory_gib),
        {"pace": pace, "fit": fit},
    )
    return Plans(native)
