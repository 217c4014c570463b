"""What every call has in common, and the calls beside runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy
import pytest
from conftest import REPOSITORY, SMALL, WRITES, program

import ftlab

ONE = {"rw": "randwrite", "bs": "4k", "number_ios": 500}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda small: ftlab.plan(ONE, small, p99_ns="5ms"), "p99_ns = '5ms': give a number of nanoseconds"),
        (lambda small: ftlab.plan(ONE, small, bytes_per_day="50GB"), "bytes_per_day = '50GB': give a number of bytes"),
        (lambda small: ftlab.plan(ONE, small, spares="7%"), "spares = '7%': give a list of shares"),
        (lambda small: ftlab.plan(ONE, small, spares=0.07), "spares = 0.07: give a list of shares"),
        (lambda small: ftlab.plan(ONE, small, wa=True), "wa = True: give a number"),
        (lambda small: ftlab.run(small, ONE), "generic-mlc-8 is a drive; give the load first"),
        (lambda small: ftlab.run("generic-mlc-8", ONE), "generic-mlc-8 is a drive; give the load first"),
        (lambda small: ftlab.run(7, small), "load: 7 is no load"),
        (lambda small: ftlab.run(ONE, 7), "drive: 7 is none"),
        (lambda small: ftlab.run(ONE, None), "drive: None is none"),
        (lambda small: ftlab.run(ONE, small, state=3), "state = 3: give a word"),
        (lambda small: ftlab.run(ONE, small, untimed="no"), "untimed = 'no': give True or False"),
        (lambda small: ftlab.run(ONE, small, quick=1), "quick = 1: give True or False"),
        (lambda small: ftlab.run(ONE, small, seed="1"), "seed = '1': give a whole number"),
        (lambda small: ftlab.run(ONE, small, memory_gib="4"), "memory_gib = '4': give GiB"),
        (lambda small: ftlab.run(ONE, small, testbed=3), "testbed = 3: give a name or a path"),
        (lambda small: ftlab.run(ONE, small, progress="yes"), "progress = 'yes': give True, or a function"),
        (lambda small: ftlab.run(ONE, small, window="1h"), "about recorded traces|two dots"),
        (lambda small: ftlab.run(ONE, small, device="sda"), "device is about recorded traces"),
        (lambda small: ftlab.run({"rw": "randwrite", "iodpeth": 8}, small), r'^load\["iodpeth"\]'),
        (lambda small: ftlab.run({"a": {"rw": "randwrte"}, "b": ONE}, small), r'^load\["a"\]\["rw"\]'),
        (lambda small: ftlab.plan({"rw": "randwrite", "iodpeth": 8}, small), r'^load\["iodpeth"\]'),
        (lambda small: ftlab.compare("A1", small, ["spare.op"]), "settings = .*: give a dictionary"),
        (lambda small: ftlab.compare([7], small, {"spare.op": [0.07, 0.28]}), "tests: 7 is no name of a test"),
        (lambda small: ftlab.sweep(ONE, small, 7), "grid = 7: give settings"),
        (lambda small: ftlab.sweep(ONE, small, {"spare.op": 0.1}, seeds="all"), "seeds = 'all': give a whole number"),
        (lambda small: ftlab.Drive(7), "drive: 7 is none"),
        (lambda small: ftlab.Drive("generic-mlc-8", ["spare.op"]), "settings = .*: give a dictionary"),
        (lambda small: ftlab.endurance(None, small, bytes_per_day="50GB"), "bytes_per_day = '50GB'"),
        (lambda small: ftlab.endurance(None, small, years=-1), "years = -1: give a number from"),
        (lambda small: ftlab.endurance("none.fio", small), "cannot read none.fio"),
        (lambda small: ftlab.calibrate([], small), "nothing to fit to"),
        (lambda small: ftlab.calibrate("none.json", small), "cannot read none.json"),
        (lambda small: ftlab.import_("qemu", "x"), "cannot read x|is none that is read here"),
        (lambda small: ftlab.import_("mqsim"), "mqsim has 0; give one or two"),
        (lambda small: ftlab.trace_info("none.csv"), "none.csv"),
        (lambda small: ftlab.theory.fifo("1.07"), "'1.07' is no number"),
        (lambda small: ftlab.theory.fifo(numpy.array([1.07, 0.9])), "must be finite and above 1"),
    ],
)
def test_a_wrong_argument_is_refused_in_words(call: Any, words: str, small: ftlab.Drive) -> None:
    with pytest.raises(ftlab.InputError, match=words) as raised:
        call(small)
    assert "Goals" not in str(raised.value) and "extract" not in str(raised.value)


def test_the_order_of_before_is_still_accepted(small: ftlab.Drive) -> None:
    test = "randread-4k-qd1"
    assert ftlab.review(test, small, quick=True).to_dict() == ftlab.review(small, test, quick=True).to_dict()
    assert ftlab.review([small], tests=[test], quick=True).to_dict() == ftlab.review(test, small, quick=True).to_dict()
    spares = {"spare.op": [0.07, 0.28]}
    now = ftlab.compare(ONE, small, spares)
    assert len(now.runs) == 2
    for before in (ftlab.compare(small, spares, ONE), ftlab.compare(small, settings=spares, tests=ONE)):
        assert before.to_dict() == now.to_dict()
    grid = {**SMALL, "spare.op": [0.07, 0.28]}
    now = ftlab.sweep(ONE, "generic-mlc-8", grid, untimed=True).table.to_pydict()
    for before in (
        ftlab.sweep(grid, ONE, "generic-mlc-8", 1, "filled", True),
        ftlab.sweep(grid, load=ONE, drives="generic-mlc-8", untimed=True),
        ftlab.sweep([{**SMALL, "spare.op": op} for op in (0.07, 0.28)], ONE, drives="generic-mlc-8", untimed=True),
        ftlab.sweep(load=ONE, drives="generic-mlc-8", grid=grid, untimed=True),
    ):
        assert before.table.to_pydict()["wa"] == now["wa"]
    with pytest.raises(TypeError, match="multiple values for argument 'load'"):
        ftlab.sweep(grid, ONE, load=ONE)  # type: ignore[misc]


def test_progress_is_heard_everywhere_and_true_shows_it(small: ftlab.Drive, capfd: pytest.CaptureFixture[str]) -> None:
    for call in (
        lambda progress: ftlab.run(ONE, small, progress=progress),
        lambda progress: ftlab.plan(ONE, small, spares=[0.28], quick=True, progress=progress),
        lambda progress: ftlab.review("randread-4k-qd1", small, quick=True, progress=progress),
        lambda progress: ftlab.compare(ONE, small, {"spare.op": [0.07, 0.28]}, progress=progress),
        lambda progress: ftlab.sweep(ONE, small, {"spare.op": [0.07, 0.28]}, progress=progress),
        lambda progress: ftlab.endurance(None, "intel-x25-m-g1-80", programs=1e6, progress=progress),
    ):
        heard: list[tuple[int, int]] = []
        call(lambda *of: heard.append(of))
        assert heard and heard == sorted(heard) and heard[-1][0] <= heard[-1][1]
        call(True)
        assert " of " in capfd.readouterr().err
        call(False)
        assert not capfd.readouterr().err


def test_forms_take_arrays_and_keep_their_shape() -> None:
    theory = ftlab.theory
    alphas = numpy.array([[1.07, 1.14], [1.28, 1.5]])
    assert theory.greedy(alphas, 256).tolist() == [[theory.greedy(alpha, 256) for alpha in row] for row in alphas.tolist()]
    assert theory.greedy(1.28, numpy.array([16, 256])).shape == (2,)
    assert theory.fifo([1.07, 1.28]).tolist() == [theory.fifo(1.07), theory.fifo(1.28)]
    assert theory.fifo_occupancy(numpy.array([1.07, 1.28]), 64).shape == (2, 65)
    for scalar in (1.28, numpy.float64(1.28), numpy.array(1.28)):
        assert type(theory.fifo(scalar)) is float and theory.fifo(scalar) == theory.fifo(1.28)


def test_a_part_of_a_trace_is_replayed(tmp_path: Path, small: ftlab.Drive) -> None:
    trace = tmp_path / "trace.csv"
    rows = "\n".join(f"{n * 10**6},write,{n * 4096},4096" for n in range(1000))
    trace.write_text(f"time_ns,op,offset_bytes,bytes\n{rows}\n")
    assert ftlab.replay(trace, small, window="..500ms").write_ios == 500
    assert ftlab.run(trace, small, window="100ms..200ms").write_ios == 100
    some = ftlab.replay(trace, small, share=0.5).write_ios
    assert some is not None and 0 < some < 1000 and ftlab.replay(trace, small, share="50%").write_ios == some
    assert ftlab.trace_info(trace, window="..500ms").writes == 500
    cut = ftlab.sweep(trace, small, {"spare.op": 0.28}, window="..500ms")
    assert cut.table["write_ios"].to_list() == [500]
    with pytest.raises(ftlab.InputError, match="is no format; give one of"):
        ftlab.replay(trace, small, format="cvs")


def test_a_life_is_the_command_lines(command_line: Any) -> None:
    import json

    life = ftlab.endurance(None, "intel-x25-m-g1-80", bytes_per_day=20e9, programs=1e6)
    told, _ = command_line(
        *("endurance", "--drive", "intel-x25-m-g1-80", "--per-day", "20", "--programs", "1e6"), "--output-format", "json"
    )
    there = json.loads(told)
    there.pop("provenance")
    assert life.to_dict() == there
    assert len(life.marks) == len(there["life"]) and "lived_years" in life._repr_html_()
    with pytest.raises(AttributeError, match="there is no figure `years_lived`"):
        life.years_lived  # noqa: B018


def test_other_simulators_files_are_converted(tmp_path: Path) -> None:
    samples = REPOSITORY / "crates/import/tests/samples"
    made = ftlab.import_("MQSim", samples / "device.xml", samples / "load.xml", name="theirs")
    assert made.jobs and len(made.taken) > 10 and "from" in made.taken and made.drive.kind == "ssd"
    written = made.save(tmp_path / "out")
    assert {Path(path).suffix for path in written} == {".toml", ".fio"}
    with pytest.raises(ftlab.InputError, match="is there already"):
        made.save(tmp_path / "out")


def test_a_calibration_is_a_drive(tmp_path: Path) -> None:
    made = ftlab.calibrate([], "generic-dc-tlc-1920", wa=3.1, used=0.9, name="mine")
    [now] = made.fitted["model_now"].to_list()
    assert now == pytest.approx(3.1, rel=0.01)
    made.save(tmp_path / "mine.toml")
    assert ftlab.Drive(tmp_path / "mine.toml").capacity_bytes == made.drive.capacity_bytes


def test_a_crash_log_finds_what_was_promised_and_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FTLAB", program())
    log = tmp_path / "disk.crash"
    with ftlab.disk("jmf602-mlc-64", size="64m", timing=False, crash_log=log) as disk:
        assert disk.crash_log == os.fspath(log)
        for number in range(1, 9):
            # A promise that no flush keeps.
            words = ["qemu-io", "-t", "writeback", "-f", "raw", "-c", f"write -P {number} {number * 4096} 4096", "-c", "abort", disk.uri]
            subprocess.run(words, capture_output=True, check=False)
            disk.mark(str(number))

    def check(path: str, mark: str) -> None:
        with open(path, "rb") as state:
            data = state.read()
        for number in range(1, int(mark or 0) + 1):
            assert data[number * 4096] == number, f"{number} is lost"

    held = ftlab.crash(log)
    assert held.states == 0 and held.log["marks"] == 8
    counts: list[tuple[int, int]] = []
    tried = ftlab.crash(log, check, states=20, progress=lambda *of: counts.append(of))
    assert tried.states == 20 and 0 < tried.failed <= 20 and not tried.passes
    assert "is lost" in tried.reasons["why"][0] and sum(tried.reasons["states"].to_list()) == tried.failed
    assert sum(tried.marks["states"].to_list()) == tried.states and sum(tried.marks["failed"].to_list()) == tried.failed
    assert counts[-1] == (20, 20) and tried.smallest is not None and "kept" not in tried.smallest
    again = ftlab.crash(log, check, state=tried.failures["state"][0])
    assert again.failed == 1
    assert ftlab.crash(log, "true", states=5).passes
    with pytest.raises(ZeroDivisionError):
        ftlab.crash(log, check, states=5, progress=lambda *_: 1 // 0)
    with pytest.raises(ftlab.InputError, match="none.crash"):
        ftlab.crash(tmp_path / "none.crash", check)
    with ftlab.disk("generic-mlc-8") as disk, pytest.raises(ftlab.RunError, match="has no crash log"):
        disk.mark("1")
