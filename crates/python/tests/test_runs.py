"""Runs, reviews, comparisons, plans and replays: the command line's figures and words, from Python."""

from __future__ import annotations

import json
import pickle
import signal
import threading
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest
from conftest import SMALL, WRITES

import ftlab

JOB = "[job]\nrw=randwrite\nbs=4k\niodepth=8\nnumber_ios=20000\n"


def test_a_run_is_the_command_lines(command_line, tmp_path: Path, result: ftlab.Result) -> None:
    (tmp_path / "job.fio").write_text(JOB)
    setting = [f"{key}={value}" for key, value in SMALL.items()]
    command_line("run", "job.fio", "--drive", "generic-mlc-8", "--set", *setting, "--state", "used", "--out", "out")
    there = json.loads((tmp_path / "out/results.json").read_text())
    here = result.to_dict()
    # The program says its commit, and which numbers it set itself.
    there.pop("provenance")
    there["runs"][0].pop("settings")
    assert here == there
    by_path = ftlab.run(tmp_path / "job.fio", ftlab.Drive("generic-mlc-8", SMALL), state="used")
    by_text = ftlab.run(JOB, ftlab.Drive("generic-mlc-8", SMALL), state="used")
    assert by_path.to_dict() == here
    assert by_text.op_stream_hash == result.op_stream_hash


def test_scalars_are_attributes_with_their_units(result: ftlab.Result) -> None:
    run = result.to_dict()["runs"][0]
    assert result.seconds == run["seconds"] > 0
    assert result.wa == run["at"][0]["inside"]["wa"] > 1
    assert result.write_lat_ns_p99 == dict(map(tuple, run["write"]["lat_ns_percentiles"]))[99.0]
    assert result.metric_iops == run["metrics"]["iops"]
    assert result.read_lat_ns_mean is None and result.read_ios == 0
    assert {"wa", "write_iops", "runs"} <= set(dir(result))
    with pytest.raises(AttributeError, match="no figure `p99`; there are"):
        result.p99  # noqa: B018


def test_untimed_runs_and_repeats(small: ftlab.Drive) -> None:
    untimed = ftlab.run(WRITES, small, state="used", untimed=True)
    assert untimed.seconds == 0 and untimed.wa > 1
    one, three = (ftlab.run(WRITES, small, state="used", repeats=repeats) for repeats in (1, 3))
    assert three.metric_iops_repeats == 3 and three.metric_iops_ci95_half_width > 0
    assert one.metric_iops != three.metric_iops
    assert ftlab.run(WRITES, small, state="used", seed=2).op_stream_hash != one.op_stream_hash


def test_drives_are_made_of_names_files_texts_and_dictionaries(tmp_path: Path) -> None:
    assert "intel-320-120" in ftlab.drives()
    named = ftlab.Drive("intel-320-120", {"spare.op": 0.28})
    assert named.kind == "ssd" and named.flash_bytes > named.capacity_bytes > 90e9
    numbers = named.parameters.to_pydict()
    at = numbers["key"].index("spare.op")
    assert (numbers["value"][at], numbers["source"][at]) == ("0.28", "set")
    file = tmp_path / "mine.toml"
    file.write_text(named.text)
    assert ftlab.Drive(file).slug == "mine"
    assert ftlab.Drive(named.text, name="intel-320-120") == named
    assert ftlab.Drive(ftlab.Drive("intel-320-120"), {"spare.op": 0.28}) == named
    content = tomllib.loads(named.text)
    assert ftlab.Drive(content, name="x").capacity_bytes == named.capacity_bytes
    assert pickle.loads(pickle.dumps(named)) == named != ftlab.Drive("intel-320-120")


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (lambda: ftlab.run("randwrite-4k-qd1", "nope"), ["run", "job.fio", "--drive", "nope"]),
        (
            lambda: ftlab.run(JOB, ftlab.Drive("generic-mlc-8", {"spare.oo": 1})),
            ["run", "job.fio", "--drive", "generic-mlc-8", "--set", "spare.oo=1"],
        ),
        (
            lambda: ftlab.run(Path("wrong.fio"), "generic-mlc-8"),
            ["run", "wrong.fio", "--drive", "generic-mlc-8"],
        ),
        (
            lambda: ftlab.run("large.fio", "generic-mlc-8"),
            ["run", "large.fio", "--drive", "generic-mlc-8"],
        ),
        (
            lambda: ftlab.run("job.fio", "generic-mlc-8", testbed="none"),
            ["run", "job.fio", "--drive", "generic-mlc-8", "--testbed", "none"],
        ),
        (
            lambda: ftlab.review("generic-mlc-8", "A99"),
            ["review", "generic-mlc-8", "--test", "A99"],
        ),
        (
            lambda: ftlab.plan("reads.fio", "generic-mlc-8"),
            ["plan", "reads.fio", "--drive", "generic-mlc-8"],
        ),
    ],
)
def test_errors_have_the_command_lines_words(call, arguments, command_line, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.fio").write_text(JOB)
    Path("wrong.fio").write_text("[a]\nrw=rendwrite\n")
    Path("large.fio").write_text(JOB + "offset=900g\n")
    Path("reads.fio").write_text("[job]\nrw=randread\nnumber_ios=1000\n")
    _, told = command_line(*arguments)
    with pytest.raises(ftlab.InputError) as raised:
        call()
    assert told == f"error: {raised.value}\n"


def test_what_is_wrong_is_refused_with_what_to_do(small: ftlab.Drive) -> None:
    for call, words in [
        (lambda: ftlab.run(WRITES, small, state="usd"), "give one of new, filled"),
        (lambda: ftlab.run(WRITES, small, repeats=0), "give a number from 1 to"),
        (lambda: ftlab.run(WRITES, small, seed=-1), "give a whole number from 0"),
        (lambda: ftlab.run(WRITES, small, threads=0), "from 1 to 1024"),
        (lambda: ftlab.run(WRITES, small, threads=1_000_000), "from 1 to 1024"),
        (lambda: ftlab.run(WRITES, small, memory_gib=-1.0), "more than 0"),
        (lambda: ftlab.run(WRITES, small, testbed="none-such"), "none-such"),
        (lambda: ftlab.run("no-such.fio", small), "there is no file no-such.fio"),
        (lambda: ftlab.Drive("generic-mlc-8", {"spare.op": None}), "no value of a setting"),
        (lambda: ftlab.replay("none.csv", small), "there is no such file"),
        (lambda: ftlab.compare(small, {"name": ["a", "b"]}, "A1"), "nothing to compare"),
        (lambda: ftlab.plan(WRITES, small, wa=0.5), "give a number from 1 to"),
        (lambda: ftlab.plan(WRITES, []), "give at least one"),
        (lambda: ftlab.theory.fifo(0.9), "must be finite and above 1"),
    ]:
        with pytest.raises(ftlab.InputError, match=words):
            call()
    assert issubclass(ftlab.InputError, ValueError) and issubclass(ftlab.RunError, RuntimeError)


def test_the_interpreter_goes_on_meanwhile(small: ftlab.Drive) -> None:
    turns, over = 0, threading.Event()

    def run() -> None:
        ftlab.run({**WRITES, "number_ios": 300_000}, small, state="used")
        over.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not over.wait(0.002):
        turns += 1
    thread.join()
    assert turns > 5


def test_ctrl_c_ends_a_run_and_not_the_interpreter(python) -> None:
    script = """
import sys, ftlab
try:
    print("begun", flush=True)
    ftlab.run({"rw": "randwrite", "time_based": 1, "runtime": 100_000}, "generic-mlc-8", state="used")
except KeyboardInterrupt:
    print(ftlab.run({"rw": "randwrite", "number_ios": 100}, "generic-mlc-8", state="new").write_ios)
"""
    child = python(script)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (0, "100\n"), err


def test_an_exception_of_progress_ends_the_work(small: ftlab.Drive) -> None:
    def progress(done: int, total: int) -> None:
        raise KeyError(f"{done} of {total}")

    with pytest.raises(KeyError, match="1 of"):
        ftlab.review([small], ["A1", "randread-4k-qd1"], quick=True, progress=progress)


def test_a_comparison_tries_each_value_with_each(small: ftlab.Drive, tmp_path: Path) -> None:
    settings = {"spare.op": [0.07, 0.28], "gc.policy": ["greedy", "fifo"]}
    results = ftlab.compare(small, settings, "randwrite-4k-qd1", state="steady-fast", quick=True)
    table = results.runs.to_pydict()
    pairs = list(zip(table["setting_spare.op"], table["setting_gc.policy"], strict=True))
    assert sorted(pairs) == [("0.07", "fifo"), ("0.07", "greedy"), ("0.28", "fifo"), ("0.28", "greedy")]
    results.save(tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"results.json", "index.html"}


def test_a_plan_says_what_spare_area_it_takes(small: ftlab.Drive) -> None:
    plans = ftlab.plan({"rw": "randwrite", "bs": "4k", "number_ios": 50_000}, small, wa=2.0, spares=[0.28], quick=True)
    [plan] = plans.plans
    [goal] = plan["goals"]
    assert 0.2 < goal["spare"] < 0.6 and plan["now"]["wa"] > 1


def test_a_plan_at_several_rates_is_a_curve(small: ftlab.Drive) -> None:
    load = {"rw": "randrw", "bs": "4k", "number_ios": 20_000}
    [plan] = ftlab.plan(load, small, spares=[0.28], rates=[200, 100], quick=True).plans
    assert [at["asked_iops"] for at in plan["rates"]] == [100, 200]
    assert all(at["keeps_up"] and at["read"]["p99_ns"] > 0 for at in plan["rates"])
    with pytest.raises(ftlab.InputError, match="rates = 0: give a number from 1"):
        ftlab.plan(load, small, rates=[0], quick=True)


def test_requests_are_replayed_from_a_file_and_from_tables(small: ftlab.Drive, tmp_path: Path) -> None:
    count = 2_000
    draw = numpy.random.default_rng(1)
    frame = pandas.DataFrame(
        {
            "time_ns": numpy.arange(count) * 100_000,
            "op": "write",
            "offset_bytes": draw.integers(0, 100_000, count) * 4096,
            "bytes": 4096,
        }
    )
    frame.to_csv(tmp_path / "trace.csv", index=False)
    of_file = ftlab.replay(tmp_path / "trace.csv", small, state="used")
    of_table = ftlab.replay(frame, small, state="used")
    assert of_file.write_ios == of_table.write_ios == count
    assert of_file.write_lat_ns_p99 == of_table.write_lat_ns_p99
    fast = ftlab.replay(frame, small, state="used", pace="asap")
    assert fast.seconds < of_table.seconds
    far = frame.assign(offset_bytes=frame.offset_bytes + (1 << 40))
    with pytest.raises(ftlab.InputError, match="compact"):
        ftlab.replay(far, small)
    assert ftlab.replay(far, small, fit="compact").write_ios == count
    far.to_csv(tmp_path / "far.csv", index=False)
    plans = ftlab.plan(str(tmp_path / "far.csv"), small, fit="compact", spares=[0.28], quick=True)
    assert plans.plans[0]["now"]["wa"] >= 1
    with pytest.raises(ftlab.InputError, match="compact"):
        ftlab.plan(str(tmp_path / "far.csv"), small, spares=[0.28], quick=True)
    for wrong, words in [("fast", "pace: give original"), ("scaled=0x", "pace: scaled=2x")]:
        with pytest.raises(ftlab.InputError, match=words):
            ftlab.replay(frame, small, pace=wrong)
    with pytest.raises(ftlab.InputError, match="`squeeze` is no fit; give one of refuse"):
        ftlab.replay(frame, small, fit="squeeze")
    with pytest.raises(ftlab.InputError, match="^the table of requests, row 1: .* one column time_ns"):
        ftlab.replay(frame.drop(columns="time_ns"), small)
    with pytest.raises(ftlab.InputError, match="nor a table of requests"):
        ftlab.replay(object(), small)


def test_closed_forms() -> None:
    theory = ftlab.theory
    greedy = theory.greedy(1.28, 256)
    assert greedy < theory.choices(1.28, 256, 10) < theory.random(1.28)
    assert greedy < theory.fifo(1.28) < theory.random(1.28)
    for occupancy in (
        theory.fifo_occupancy(1.28, 64),
        theory.greedy_occupancy(1.28, 64),
        theory.choices_occupancy(1.28, 64, 10),
    ):
        assert len(occupancy) == 65 and sum(occupancy) == pytest.approx(1)
    classes = [(0.2, 0.8), (0.8, 0.2)]
    assert theory.fifo_mixed(1.28, classes) > 1
    assert sum(theory.spare_by_root(classes)) == pytest.approx(1)
    assert 0 < theory.in_use_after_trims_of_used(0.1) < theory.in_use_after_trims_of_any(0.1) < 1
    assert theory.alpha_in_use(1.28, 0.5) == pytest.approx(2.56)


def test_a_suite_that_comes_with_ftlab_is_asked_for_by_its_name() -> None:
    results = ftlab.review(["generic-nvme-tlc-8"], ["nvme-randread-4k-qd1"], suite="modern", quick=True)
    assert results.runs.to_pydict()["test"] == ["nvme-randread-4k-qd1"]
    with pytest.raises(ftlab.InputError, match="no suite that comes with ftlab is called"):
        ftlab.review("generic-mlc-8", suite="modren")


def test_a_damaged_table_of_requests_is_an_error_without_control_characters(tmp_path: Path) -> None:
    trace = tmp_path / "trace\x1b[2J.parquet"
    trace.write_bytes(b"PAR1" + bytes(range(200)) + (150).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(ftlab.InputError) as error:
        ftlab.replay(trace, "generic-mlc-8")
    assert "parquet" in str(error.value).lower() and "\x1b" not in str(error.value)


@pytest.mark.parametrize("how", [{"repeats": -1}, {"repeats": 1.5}, {"threads": 0}, {"threads": -2}, {"repeats": 10**12}])
def test_counts_that_are_none_are_refused_with_what_to_give(how: dict[str, Any]) -> None:
    with pytest.raises(ftlab.InputError, match="give a whole number from 1"):
        ftlab.run({"rw": "randwrite", "number_ios": 10}, "generic-mlc-8", **how)
