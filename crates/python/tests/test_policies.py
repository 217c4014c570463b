"""Policies that are Python's functions: what they see, what they decide, and how a run ends with what they raise."""

from __future__ import annotations

import json
import pickle
import signal
import time
from pathlib import Path

import pytest
from conftest import SMALL, WRITES

import ftlab

FEW = {**WRITES, "number_ios": 3_000}


def emptiest(view: ftlab.VictimView) -> ftlab.Candidate:
    """What greedy does."""
    return min(view.candidates, key=lambda candidate: (candidate.valid_slots, -candidate.age))


def in_step(view: ftlab.PacingView) -> bool:
    """What a drive does by itself."""
    return view.is_behind or view.owed_slots >= min(view.left_slots, view.row_slots)


@pytest.fixture(scope="module")
def tiny() -> ftlab.Drive:
    return ftlab.Drive("generic-mlc-8", {"nand.blocks_per_die": 64, "nand.pages_per_block": 32})


def whole(result: ftlab.Result) -> tuple[dict, list[dict]]:
    """All of a result but what its drive is made of, and that. Its name says the settings, so it goes as well."""
    content = result.to_dict()
    [sheet] = content["drives"]
    sheet.pop("file_hash")
    sheet.pop("name")
    return content, sheet.pop("parameters")


@pytest.mark.parametrize("stripe", [1, 2])
def test_greedy_and_collection_in_step_are_the_same_in_python(tiny: ftlab.Drive, stripe: int) -> None:
    drive = ftlab.Drive(tiny, {"map.stripe_dies": stripe})
    expected, numbers = whole(ftlab.run(FEW, drive, state="used"))
    mine = ftlab.Drive(drive, victim=emptiest, pacing=in_step)
    got, named = whole(ftlab.run(FEW, mine, state="used"))
    assert got == expected
    # Its sheet says who decided.
    names = {row["key"]: row["value"] for row in named if row not in numbers}
    assert names == {"gc.policy": "python:emptiest", "gc.pacing": "python:in_step"}


def test_greedy_of_packed_mapping_is_the_same_in_python() -> None:
    packed = ftlab.Drive("ocz-vertex2", {"nand.blocks_per_die": 64, "spare.op": 0.14})
    expected, _ = whole(ftlab.run(FEW, ftlab.Drive(packed, {"gc.policy": "greedy"}), state="used"))
    got, _ = whole(ftlab.run(FEW, ftlab.Drive(packed, victim=emptiest), state="used"))
    assert got == expected
    with pytest.raises(ftlab.InputError, match="pacing"):
        ftlab.Drive(packed, pacing=in_step)


def test_what_a_function_decides_is_done(tiny: ftlab.Drive) -> None:
    views = []

    def oldest(view: ftlab.VictimView) -> ftlab.Candidate:
        views.append(view)
        return max(view.candidates, key=lambda candidate: candidate.age)

    policies = ["greedy", "fifo", "python:oldest"]
    table = ftlab.compare(
        ftlab.Drive(tiny, victim=oldest), {"gc.policy": policies}, "sync-write-4k-1", state="used", quick=True
    ).runs.to_pydict()
    assert table["setting_gc.policy"] == policies
    greedy, fifo, mine = table["op_stream_hash"]
    assert mine == fifo != greedy
    first = views[0]
    assert all(0 <= one.valid_slots <= first.slots_per_superblock for one in first.candidates)
    assert len({one.age for one in first.candidates}) == len({one.superblock for one in first.candidates})
    paced = {}
    for copies in (True, False):
        drive = ftlab.Drive(tiny, pacing=lambda view, copies=copies: copies)
        paced[copies] = ftlab.run(WRITES, drive, state="used")
    usual = ftlab.run(WRITES, tiny, state="used")
    # A drive that puts collection off has it all to do when a write has no room.
    assert paced[False].write_lat_ns_max > 2 * usual.write_lat_ns_max
    assert len({paced[True].op_stream_hash, paced[False].op_stream_hash, usual.op_stream_hash}) == 3


def test_what_a_function_raises_is_what_the_run_raises(tiny: ftlab.Drive) -> None:
    def breaks(view: object) -> ftlab.Candidate:
        raise ZeroDivisionError("of mine")

    for repeats in (1, 3):
        with pytest.raises(ZeroDivisionError, match="of mine"):
            ftlab.run(FEW, ftlab.Drive(tiny, victim=breaks), state="used", repeats=repeats)
    with pytest.raises(ZeroDivisionError, match="of mine"):
        ftlab.run(FEW, ftlab.Drive(tiny, pacing=breaks), state="used")
    with pytest.raises(ZeroDivisionError, match="of mine"):
        ftlab.plan(FEW, ftlab.Drive(tiny, victim=breaks), quick=True)
    kept = []
    for says, words in [
        (lambda view: None, "<lambda> said None; it must say one of view.candidates"),
        (lambda view: view.candidates[0].superblock, "it must say one of view.candidates"),
        (lambda view: kept.append(view.candidates[0]) or kept[0], "<ftlab.Candidate .*it must say one of"),
    ]:
        with pytest.raises(ftlab.InputError, match=words):
            ftlab.run(WRITES, ftlab.Drive(tiny, victim=says), state="used")
    with pytest.raises(ftlab.InputError, match="said 1; it must say True or False"):
        ftlab.run(FEW, ftlab.Drive(tiny, pacing=lambda view: 1), state="used")
    with pytest.raises(ftlab.InputError, match="is no policy; give a function"):
        ftlab.Drive(tiny, victim="greedy")
    breaks.__name__ = "two words"
    with pytest.raises(ftlab.InputError, match="`python:two words` is no name of a policy: use letters, digits and any of"):
        ftlab.Drive(tiny, victim=breaks)
    # The interpreter and the drive are as they were.
    assert ftlab.run(FEW, tiny, state="used").wa > 1


def test_ctrl_c_ends_a_function_that_never_ends(python) -> None:
    script = """
import ftlab
def never(view):
    print("begun", flush=True)
    while True:
        pass
drive = ftlab.Drive("generic-mlc-8", {"nand.blocks_per_die": 64}, victim=never)
try:
    ftlab.run({"rw": "randwrite", "number_ios": 100}, drive, state="used")
except KeyboardInterrupt:
    print("ended", flush=True)
"""
    child = python(script)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (0, "ended\n"), err


def test_a_drive_that_asks_functions_is_this_programs_alone(tiny: ftlab.Drive) -> None:
    mine = ftlab.Drive(tiny, victim=emptiest)
    assert mine == ftlab.Drive(tiny, victim=emptiest) != tiny
    assert ftlab.Drive(mine, {"spare.op": 0.5}).parameters.to_pydict()["value"].count("python:emptiest") == 1
    with pytest.raises(ftlab.InputError, match="no drive file can say python:emptiest"):
        pickle.dumps(mine)
    with pytest.raises(ftlab.InputError, match="no id tells what a function does"):
        ftlab.sweep({"spare.op": 0.1}, FEW, [tiny, mine])
    with pytest.raises(ftlab.InputError, match="policy `python:emptiest` is none of"):
        ftlab.Drive(tiny, {"gc.policy": "python:emptiest"})
    with pytest.raises(ftlab.InputError, match="at a pace of its own"):
        ftlab.Drive(tiny, {"gc.batch": 1}, pacing=in_step)


def test_several_drives_run_together_by_their_names(command_line, tmp_path: Path, small: ftlab.Drive) -> None:
    job = "[global]\nbs=4k\nnumber_ios=2000\n[a]\nfilename=one\nrw=randread\n[b]\nfilename=two\nrw=randwrite\n"
    (tmp_path / "two.fio").write_text(job)
    settings = [f"{key}={value}" for key, value in SMALL.items()]
    command_line(
        *("run", "two.fio", "--drive", "one=generic-mlc-8", "--drive", "two=generic-mlc-8", "--set", *settings),
        *("--out", "out"),
    )
    here = ftlab.run(job, {"one": small, "two": small})
    devices = here.devices.to_pydict()
    assert (devices["device"], devices["drive"]) == (["one", "two"], ["generic-mlc-8"] * 2)
    assert (here.read_ios, here.write_ios) == (2000, 2000)
    there = json.loads((tmp_path / "out/results.json").read_text())
    assert here.to_dict()["runs"][0]["at"] == there["runs"][0]["at"]
    content = {"schema": 1}
    for drive, words in [
        ({}, "give at least one"),
        ({"": "generic-mlc-8"}, "is no name of a drive"),
        ({"nand": 3}, "give a drive, or for the content of a drive file its schema"),
        ({"one": "none-such"}, "none-such"),
        (content, "drive"),
    ]:
        with pytest.raises(ftlab.InputError, match=words):
            ftlab.run(job, drive)
    with pytest.raises(ftlab.InputError, match="two"):
        ftlab.run(job, {"one": "generic-mlc-8"})
