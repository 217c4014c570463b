"""Sweeps: the same rows from threads, shards, the command line and a cluster that loses a worker."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
from conftest import SMALL, WRITES
from distributed import Client, LocalCluster

import ftlab

#: 200 MB, so that a hundred runs with states of their own take seconds.
TINY = {"nand.blocks_per_die": 64, "nand.pages_per_block": 64}
GRID = {"gc.policy": ["greedy", "fifo"], "spare.op": [0.07, 0.14, 0.28, 0.4, 0.5], **TINY}
HUNDRED = {"load": {**WRITES, "number_ios": 5_000}, "drives": "generic-mlc-8", "seeds": 10, "state": "used"}
FEW = {"load": {**WRITES, "number_ios": 2000}, "drives": "generic-mlc-8", "untimed": True}


@pytest.fixture(scope="module")
def on_threads(tmp_path_factory: pytest.TempPathFactory) -> ftlab.Sweep:
    """A hundred runs."""
    return ftlab.sweep(GRID, **HUNDRED, out=tmp_path_factory.mktemp("threads"))


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Of a cluster of two single-threaded workers, which takes longer to come and go than most sweeps here."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_a_cluster_that_loses_a_worker_makes_the_same_rows(
    client: Client, on_threads: ftlab.Sweep, tmp_path: Path
) -> None:
    killed = []

    def progress(done: int, total: int) -> None:
        if done >= total // 3 and not killed:
            killed.append(next(iter(client.cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    on_dask = ftlab.sweep(GRID, **HUNDRED, out=tmp_path, client=client, progress=progress)
    assert killed
    assert len(on_dask) == 100 and on_dask.counts == {"done": 100, "refused": 0, "failed": 0, "skipped": 0}
    assert on_dask.path.read_bytes() == on_threads.path.read_bytes()
    # What is there is not run again.
    again = ftlab.sweep(GRID, **HUNDRED, out=tmp_path, client=client, progress=lambda *_: pytest.fail("it ran"))
    assert again.path.read_bytes() == on_threads.path.read_bytes()


def test_what_kills_its_workers_is_a_row_with_the_reason(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    import ftlab._dask

    monkeypatch.setattr(ftlab._dask, "run_rows", dies_of_row_three)
    sweep = ftlab.sweep({"spare.op": [0.1, 0.2, 0.3, 0.4, 0.5], **SMALL}, **FEW, client=client)
    assert sweep.counts == {"done": 4, "refused": 0, "failed": 0, "skipped": 1}
    rows = sweep.table.to_pydict()
    assert rows["status"][3] == "skipped" and rows["reason"][3] == "it cannot be"


def dies_of_row_three(grid: str, rows: list[int], state: bytes | None, model_version: int) -> tuple[bytes, float]:
    if 3 in rows:
        raise ftlab.RunError("it cannot be")
    from ftlab._dask import _unpacked

    return _unpacked(grid).run_rows(rows, state), 1.0


def test_a_state_is_prepared_once_for_loads_that_are_divided(client: Client, tmp_path: Path) -> None:
    loads = [{**WRITES, "iodepth": depth, "number_ios": 5000} for depth in range(1, 25)]
    one_state = {"load": loads, "drives": "generic-mlc-8", "state": "used"}
    on_threads = ftlab.sweep(TINY, **one_state, out=tmp_path / "threads")
    before = len(client.run_on_scheduler(tasks_done))
    on_dask = ftlab.sweep(TINY, **one_state, out=tmp_path / "dask", client=client)
    done = client.run_on_scheduler(tasks_done)[before:]
    assert sum("-state-" in key for key in done) == 1
    assert sum(key.rsplit("-", 1)[1].isdecimal() and "-state-" not in key for key in done) > 1
    assert on_dask.path.read_bytes() == on_threads.path.read_bytes()


def tasks_done(dask_scheduler) -> list[str]:
    """What the cluster's tasks came to, once for each time that one was done."""
    return [str(entry[0]) for entry in dask_scheduler.transition_log if entry[2] == "memory"]


def test_shards_are_merged_into_the_same_rows(on_threads: ftlab.Sweep, tmp_path: Path) -> None:
    shards = [tmp_path / f"shard-{number}" for number in range(1, 5)]
    for number, out in enumerate(shards, 1):
        ftlab.sweep(GRID, **HUNDRED, out=out, shard=f"{number}/4")
    merged = ftlab.merge(shards, tmp_path / "all")
    assert merged.path.read_bytes() == on_threads.path.read_bytes()
    with pytest.raises(ftlab.RunError, match="rows are missing"):
        ftlab.merge(shards[:3], tmp_path / "some")


def test_the_command_line_makes_the_same_rows(command_line, tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text("[job]\nrw=randwrite\nbs=4k\nnumber_ios=2000\n")
    (tmp_path / "grid.toml").write_text(
        "drives = ['generic-mlc-8']\nloads = ['job.fio']\nseeds = [3, 5]\nuntimed = true\n"
        "[set]\nnand.blocks_per_die = 64\nspare.op = [0.14, 0.28]\n"
    )
    command_line("sweep", "grid.toml", "--out", "there", "--quiet")
    here = ftlab.sweep(
        {"spare.op": numpy.array([0.14, 0.28]), "nand.blocks_per_die": numpy.int64(64)},
        {"rw": "randwrite", "bs": "4k", "number_ios": 2000},
        ftlab.Drive("generic-mlc-8"),
        seeds=[3, 5],
        untimed=True,
        out=tmp_path / "here",
    )
    bytes_there = (tmp_path / "there/sweep.parquet").read_bytes()
    assert here.path.read_bytes() == bytes_there
    of_file = ftlab.sweep(tmp_path / "grid.toml", out=tmp_path / "file")
    assert of_file.path.read_bytes() == bytes_there


def test_a_sweep_that_is_ended_goes_on(tmp_path: Path) -> None:
    grid = {"spare.op": [0.1, 0.2, 0.3, 0.4], **SMALL}
    few = {**FEW, "load": {**WRITES, "number_ios": 200_000}, "seeds": 4, "threads": 1, "out": tmp_path}
    seen = []

    def ends_early(done: int, total: int) -> None:
        seen.append((done, total))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ftlab.sweep(grid, **few, progress=ends_early)
    told = []
    sweep = ftlab.sweep(grid, **few, progress=lambda *of: told.append(of))
    assert sweep.counts["done"] == len(sweep) == 16
    [(done, total)] = seen
    assert total == 16 and told[-1][1] <= 16 - done


def test_runs_that_cannot_be_are_rows_with_a_reason() -> None:
    sweep = ftlab.sweep([{"gc.policy": "greedy"}, {"gc.policy": "none-such"}], settings=SMALL, **FEW)
    rows = sweep.table.to_pydict()
    assert rows["status"] == ["done", "refused"] and "none-such" in rows["reason"][1]
    assert sweep.path is None and rows["wa"][1] is None
    with pytest.raises(ftlab.InputError, match="no row of the grid can run"):
        ftlab.sweep({"gc.policy": "none-such"}, **FEW)


def test_hypercubes_lists_and_several_loads(tmp_path: Path) -> None:
    cube = ftlab.LatinHypercube(6, {"spare.op": (0.07, 0.5), "gc.reserve": (2, 4), "gc.policy": ["greedy", "fifo"]})
    drawn = ftlab.sweep(cube, settings=SMALL, **FEW).table.to_pydict()
    spares = sorted(drawn["spare.op"])
    width = (0.5 - 0.07) / 6
    assert [int((spare - 0.07) / width) for spare in spares] == list(range(6))
    assert set(drawn["gc.reserve"]) <= {2, 3, 4} and sorted(drawn["gc.policy"]) == ["fifo"] * 3 + ["greedy"] * 3
    log = ftlab.LatinHypercube(4, {"spare.op": (0.07, 0.56)}, log=["spare.op"])
    drawn = ftlab.sweep(log, settings=SMALL, **FEW).table.to_pydict()
    assert sum(spare < 0.2 for spare in drawn["spare.op"]) == 2
    loads = {**FEW, "load": [{"rw": "randwrite", "number_ios": 100}, {"rw": "write", "number_ios": 100}]}
    named = ftlab.sweep(SMALL, **loads).table.to_pydict()
    assert named["load"] == ["load-1", "load-2"]
    with pytest.raises(ftlab.InputError, match="give a pair"):
        ftlab.sweep(ftlab.LatinHypercube(2, {"spare.op": (1, 2, 3)}), **FEW)
    with pytest.raises(ftlab.InputError, match="a grid needs drives"):
        ftlab.sweep(SMALL, WRITES)
    for seeds in (-1, [1.5], [-1]):
        with pytest.raises(ftlab.InputError, match="give a whole number from 0"):
            ftlab.sweep(SMALL, **{**FEW, "seeds": seeds})
    with pytest.raises(ftlab.InputError, match="nothing to merge"):
        ftlab.merge([], tmp_path / "none")
    with pytest.raises(ftlab.InputError, match="leave them out"):
        ftlab.sweep("grid.toml", WRITES)


def test_a_full_grid_is_an_array(on_threads: ftlab.Sweep) -> None:
    array = on_threads.to_xarray()
    assert dict(array.sizes) == {"gc.policy": 2, "spare.op": 5, "seed": 10}
    frame = on_threads.to_pandas()
    row = frame[(frame["gc.policy"] == "fifo") & (frame["spare.op"] == 0.28) & (frame["seed"] == 4)]
    picked = array["wa"].sel({"gc.policy": "fifo", "spare.op": 0.28, "seed": 4})
    assert float(picked) == row["wa"].iloc[0]
    assert array.coords["drive"].item() == "generic-mlc-8"
    diagonal = ftlab.sweep([{"spare.op": 0.1, "gc.reserve": 2}, {"spare.op": 0.2, "gc.reserve": 3}], settings=SMALL, **FEW)
    with pytest.raises(ftlab.InputError, match="no full grid of 2 spare.op|no full grid of 2 gc.reserve"):
        diagonal.to_xarray()
    assert diagonal.to_polars().shape[0] == 2


def test_a_grid_that_is_absurd_is_refused_with_what_to_write(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"

    def refused(more: str) -> str:
        grid.write_text(f"drives = ['generic-mlc-8']\nloads = ['randwrite-4k-qd1']\n{more}\n")
        with pytest.raises(ftlab.InputError) as error:
            ftlab.sweep(grid)
        return str(error.value)

    assert "give how many seeds there are" in refused("seeds = -3")
    assert "4000000000 rows" in refused("seeds = 4_000_000_000")
    assert "`nan` is no value" in refused("[set]\nspare.op = [0.1, nan]")
    with pytest.raises(ftlab.InputError):
        ftlab.sweep({"spare.op": [0.1, float("nan")]}, "randwrite-4k-qd1", "generic-mlc-8", out=tmp_path / "out")


def test_a_recorded_trace_is_a_load_with_its_pace_and_fit(tmp_path: Path) -> None:
    far = "\n".join(f"{n * 1000},{(1 << 41) + n * 4096},4096,write" for n in range(200))
    (tmp_path / "far.csv").write_text(f"time_ns,offset_bytes,bytes,op\n{far}\n")
    refused = ftlab.sweep({"spare.op": 0.28}, tmp_path / "far.csv", "generic-mlc-8")
    assert refused.counts["refused"] == 1
    made = ftlab.sweep({"spare.op": 0.28}, tmp_path / "far.csv", "generic-mlc-8", pace="asap", fit="compact")
    assert made.counts["done"] == 1
    with pytest.raises(ftlab.InputError, match="replay: pace"):
        ftlab.sweep({"spare.op": 0.28}, tmp_path / "far.csv", "generic-mlc-8", pace="fast")
