"""The rows of a sweep on a Dask cluster.

A task is rows of one or several units of work, each of which begins with a state that is prepared once for all its loads;
as many as take some tenths of a second. Where there are fewer units than a cluster has use for, a unit's loads are divided, and
its state is a task of its own that they have in common. What a task comes to is the bytes of its rows. A worker that dies
loses its tasks to others, as Dask has it; a task that kills its workers is divided, and what is left of it is a row with the
reason.
"""

from __future__ import annotations

import functools
import math
import time
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ftlab import _ftlab
from ftlab._ftlab import InputError, RunError

#: What a task takes at least, in seconds, if there are rows enough: what Dask takes for one is a hundredth of that.
SECONDS_MIN = 0.2
#: What it takes while many rows are left.
SECONDS = 1.0
#: Tasks that are under way for each thread of the cluster: one runs, the next is there.
TASKS_PER_THREAD = 2
#: How often the cluster is asked how many threads it has, in seconds.
ASK_EVERY_SECONDS = 1.0
#: How often Dask tries a task again that failed.
RETRIES = 2


@dataclass(frozen=True)
class _Piece:
    """Rows that stay together, and the state that they begin with if it is made elsewhere."""

    rows: list[int]
    state: Any = None


def run_on(
    client: Any,
    sweep: _ftlab.Sweep,
    store: _ftlab.Store,
    shard: str | None,
    progress: Callable[[int, int], object] | None,
) -> None:
    """Runs the rows of a share that a store has not."""
    import distributed

    units = sweep.missing(store, shard)
    total, done = sum(map(len, units)), 0
    if not units:
        return
    name = f"ftlab-{uuid.uuid4().hex[:12]}"
    # Tasks of their own and no scattered data: what was on a worker that died is made again.
    grid = client.submit(str, sweep.packed(), key=f"{name}-grid", pure=False)
    pieces = deque(_pieces(client, sweep, units, name, grid))
    finished: Any = distributed.as_completed()
    running: dict[Any, list[_Piece]] = {}
    seconds, timed = 0.0, 0
    tasks = 0
    threads, asked = 0, -math.inf
    try:
        while pieces or running:
            # A cluster grows and shrinks, and to ask it costs as much as a small task.
            if time.monotonic() - asked > ASK_EVERY_SECONDS:
                threads, asked = _threads(client), time.monotonic()
            while pieces and len(running) < TASKS_PER_THREAD * threads:
                rows = _rows_of_task(seconds / timed if timed else None, total - done, threads)
                batch = _take(pieces, rows)
                tasks += 1
                future = client.submit(
                    run_rows,
                    grid,
                    _rows(batch),
                    batch[0].state,
                    _ftlab.MODEL_VERSION,
                    key=f"{name}-{tasks}",
                    pure=False,
                    retries=RETRIES,
                )
                running[future] = batch
                finished.add(future)
            future = next(finished)
            batch = running.pop(future)
            rows_of_batch = _rows(batch)
            try:
                table, took = future.result()
                seconds, timed = seconds + took, timed + len(rows_of_batch)
            except Exception as error:
                if not _is_of_task(error):
                    raise
                if len(batch) > 1:
                    # One of them is at fault: each goes by itself.
                    pieces.extendleft(batch)
                    seconds, timed = 0.0, 0
                    continue
                table = sweep.not_run(rows_of_batch, str(error))
            store.add(table)
            done += len(rows_of_batch)
            if progress:
                progress(done, total)
    finally:
        client.cancel([*running, grid], force=True)
        store.flush()


def _threads(client: Any) -> int:
    """How many rows the cluster runs at a time."""
    threads: dict[str, int] = client.nthreads()
    return max(1, sum(threads.values()))


def _pieces(client: Any, sweep: _ftlab.Sweep, units: list[list[int]], name: str, grid: Any) -> list[_Piece]:
    """Units as they are, or with their loads divided where that makes work for all."""
    if len(units) >= TASKS_PER_THREAD * _threads(client):
        return [_Piece(unit) for unit in units]
    pieces = []
    for unit in units:
        for group in sweep.alike(unit) or [unit]:
            if len(group) == 1 or group is unit:
                pieces.append(_Piece(group))
                continue
            key = f"{name}-state-{group[0]}"
            state = client.submit(save_state, grid, group[0], key=key, pure=False, retries=RETRIES)
            pieces.extend(_Piece([row], state) for row in group)
    return pieces


def _rows(batch: list[_Piece]) -> list[int]:
    return [row for piece in batch for row in piece.rows]


def _rows_of_task(seconds_per_row: float | None, left: int, threads: int) -> int:
    """How many rows a task gets: few until it is known what one takes, and at the end, so that no thread waits."""
    if not seconds_per_row:
        return 1
    least = math.ceil(SECONDS_MIN / seconds_per_row)
    most = math.ceil(SECONDS / seconds_per_row)
    return max(least, min(most, math.ceil(left / (2 * TASKS_PER_THREAD * threads))))


def _take(pieces: deque[_Piece], rows: int) -> list[_Piece]:
    """The next pieces that begin alike, of so many rows together or a few more."""
    batch = [pieces.popleft()]
    while pieces and len(_rows(batch)) < rows and pieces[0].state is batch[0].state:
        batch.append(pieces.popleft())
    return batch


def _is_of_task(error: Exception) -> bool:
    """Whether it is a task's rows that are at fault, and not the cluster."""
    from distributed.scheduler import KilledWorker

    return isinstance(error, (KilledWorker, RunError))


def run_rows(grid: str, rows: list[int], state: bytes | None, model_version: int) -> tuple[bytes, float]:
    """What a worker does: the rows as the bytes of a Parquet file, and the seconds that it took."""
    if model_version != _ftlab.MODEL_VERSION:
        raise InputError(
            f"a worker's ftlab has version {_ftlab.MODEL_VERSION} of the model, and this one {model_version}: install "
            "the same ftlab on all of them"
        )
    began = time.perf_counter()
    table = _unpacked(grid).run_rows(rows, state)
    return table, time.perf_counter() - began


def save_state(grid: str, row: int) -> bytes | None:
    """What a worker does before loads that are divided: the state that a row begins with. None if there is no such state,
    which each row then says itself."""
    return _unpacked(grid).save_state(row)


@functools.lru_cache(maxsize=2)
def _unpacked(grid: str) -> _ftlab.Sweep:
    return _ftlab.Sweep.unpacked(grid)
