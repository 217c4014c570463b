"""A drive in the caller's virtual time."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path

import numpy
import pytest

import ftlab

sys.path.append(str(Path(__file__).parents[1] / "examples"))

DRIVE = "samsung-980-pro-1000"


def device(**options: object) -> ftlab.Device:
    return ftlab.Device(DRIVE, shrink_to=3 << 30, **{"state": "filled", **options})


def test_an_event_loop_ends_as_a_batch_does() -> None:
    loop, batch = device(), device()
    offsets = [n * 7919 % 100_000 * 4096 for n in range(500)]
    sent: list[int] = []
    ends: list[ftlab.Completion] = []
    for offset in offsets:
        while loop.outstanding >= 16:
            ends += loop.advance_to_completion()
        sent.append(loop.now_ns)
        assert loop.submit("write", offset, 4096) == len(sent) - 1
    while (at_ns := loop.next_event_ns) is not None:
        ends += loop.advance(at_ns)
    table = batch.run("write", numpy.array(offsets), 4096, depth=16)
    assert table["submitted_ns"].to_list() == sent
    by_number = sorted(ends, key=lambda end: end.id)
    assert table["ended_ns"].to_list() == [end.at_ns for end in by_number]
    assert set(table["outcome"].to_list()) == {"good"}
    assert loop.counters["completions_hash"] == batch.counters["completions_hash"]


def test_it_ends_as_a_run_of_the_same_job(command_line) -> None:
    here = device()
    count = 5000
    here.run("write", [n * 4096 for n in range(count)], 4096, depth=4)
    job = ["--name=w", "--rw=write", "--bs=4k", "--iodepth=4", f"--size={count * 4}k", "--ioengine=libaio"]
    printed, said = command_line(
        "fio", "--drive", DRIVE, "--shrink-to", "3G", "--state", "filled", "--output-format=json", *job
    )
    assert json.loads(printed)["ftlab"]["completion_hash"] == f"{here.counters['completions_hash']:016x}", said


def test_commands_come_at_their_instants_and_say_where_time_went() -> None:
    split = device(split_latencies=True)
    at_ns = numpy.arange(200) * 50_000
    table = split.run(["read", "write"] * 100, numpy.arange(200) * 4096, 4096, at_ns=at_ns).to_pandas()
    assert (table.submitted_ns == at_ns).all()
    parts = table[["host_ns", "controller_ns", "link_ns", "flash_ns"]].sum(axis=1)
    assert (parts == table.lat_ns).all()
    assert (table.flash_ns[table.index % 2 == 0] > 0).all()


def test_a_cut_takes_what_no_flush_covers_and_a_copy_goes_on_alone() -> None:
    drive = device(keep_data=True)
    drive.submit("write", 0, data=b"a" * 4096)
    drive.submit("write", 4096, data=b"b" * 4096)
    while drive.outstanding:
        drive.advance_to_completion()
    flushed = copy.copy(drive)
    flushed.submit("flush")
    while flushed.outstanding:
        flushed.advance_to_completion()
    assert flushed.power_cut(1) == ftlab.PowerCut(1, 0, [], [])
    assert flushed.read(0, 8192) == b"a" * 4096 + b"b" * 4096
    lost = [drive.copy().power_cut(seed).lost for seed in range(20)]
    assert any(lost)
    assert all(of.offset + of.bytes <= 8192 for cut in lost for of in cut)
    assert drive.read(4096, 4096) == b"b" * 4096


def test_faults_of_requests_meet_a_device_with_data() -> None:
    def end(drive: ftlab.Device, *command: object, **options: object) -> ftlab.Completion:
        drive.submit(*command, **options)
        (only,) = drive.advance_to_completion()
        return only

    drive = device(keep_data=True, faults=["drop-flush --after 1", "error once --on write --after 1"])
    assert end(drive, "write", 0, data=b"a" * 4096).is_good
    assert end(drive, "flush").is_good
    assert end(drive, "write", 0, data=b"b" * 4096).outcome == "write-fault"
    assert end(drive, "write", 4096, data=b"c" * 4096).is_good
    assert end(drive, "flush").is_good
    assert drive.read(0, 8192) == b"a" * 4096 + b"c" * 4096
    # The flush that was answered and not done protects nothing; the one before it does.
    cuts = [(fork, fork.power_cut(seed).lost) for seed in range(20) for fork in [drive.copy()]]
    assert any(lost for _, lost in cuts)
    for fork, lost in cuts:
        assert fork.read(0, 4096) == b"a" * 4096
        assert (fork.read(4096, 4096) == b"c" * 4096) == (not lost)
    assert drive.faults["hits"].to_list() == [1, 1]
    assert drive.begin_fault("flip --count 1") == 3
    read = end(drive, "read", 4096, 4096)
    assert read.flip is not None and 4096 <= read.flip[0] < 8192
    received = drive.read(4096, 4096, read)
    assert [n for n in range(4096) if received[n] != ord("c")] == [read.flip[0] - 4096]
    assert received[read.flip[0] - 4096] == ord("c") ^ 1 << read.flip[1]
    assert drive.read(4096, 4096) == b"c" * 4096
    assert end(drive, "read", 4096, 4096).flip is None
    assert drive.end_faults(1) == 1
    assert drive.end_faults() == 2
    assert drive.faults.num_rows == 0
    with pytest.raises(ftlab.InputError, match="there is no such fault; there are stall"):
        drive.begin_fault("eror once")
    with pytest.raises(ftlab.InputError, match="the range ends at byte"):
        device(faults="bad 0..1t")


def test_a_state_goes_on_in_another_device() -> None:
    first = device()
    first.run("write", [n * 4096 for n in range(1000)], 4096)
    second = device(state=first.save_state())
    assert second.counters["nand_programs"] > 0
    assert second.now_ns == 0


def test_health_and_what_goes_wrong() -> None:
    intel = ftlab.Device("intel-x25-m-g2-160", shrink_to=3 << 30)
    assert 0xE1 in intel.smart["id"].to_list()
    assert intel.nvme_logs is None
    samsung = device()
    logs = samsung.nvme_logs
    assert logs is not None and logs["health"]["power_cycles"] == 1
    samsung.inject("unreadable", 8192)
    samsung.submit("read", 8192, 4096)
    assert [end.outcome for end in samsung.advance_to_completion()] == ["unrecoverable"]


def test_a_policy_of_ones_own_decides_and_what_it_raises_comes_out() -> None:
    def oldest(view: ftlab.VictimView) -> ftlab.Candidate:
        return max(view.candidates, key=lambda candidate: candidate.age)

    def none(view: ftlab.VictimView) -> ftlab.Candidate:
        raise RuntimeError("I do not know")

    def hash_with(**policy: object) -> int:
        drive = ftlab.Drive("generic-mlc-8", {"nand.blocks_per_die": 64}, **policy)
        here = ftlab.Device(drive, state="filled")
        places = here.capacity_bytes // 4096
        here.run("write", [n * 7919 % places * 4096 for n in range(40_000)], 4096, depth=8)
        return here.counters["operations_hash"]

    assert hash_with() != hash_with(victim=oldest)
    with pytest.raises(RuntimeError, match="I do not know"):
        hash_with(victim=none)


def test_a_device_at_work_refuses_whoever_asks_it_meanwhile() -> None:
    here: list[ftlab.Device] = []

    def asks(view: ftlab.VictimView) -> ftlab.Candidate:
        if here:
            here[0].now_ns
        return view.candidates[0]

    drive = ftlab.Drive("generic-mlc-8", {"nand.blocks_per_die": 64}, victim=asks)
    here.append(ftlab.Device(drive, state="filled"))
    places = here[0].capacity_bytes // 4096
    with pytest.raises(ftlab.RunError, match="the device is at work"):
        here[0].run("write", [n * 7919 % places * 4096 for n in range(40_000)], 4096, depth=8)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda d: d.submit("erase", 0, 4096), "'erase'|\"erase\" is none"),
        (lambda d: d.submit("read", 100, 4096), "give a multiple of 512"),
        (lambda d: d.submit("read", -1, 4096), "offset = -1: give a whole number"),
        (lambda d: d.submit("read", 0.5, 4096), "offset = 0.5: give a whole number"),
        (lambda d: d.submit("read", d.capacity_bytes, 4096), "reaches to byte"),
        (lambda d: d.submit("write", 0, 4096, data=b"x" * 4096), "keeps no data"),
        (lambda d: d.read(0, 512), "keeps no data"),
        (lambda d: d.power_cut(1), "keeps no account"),
        (lambda d: d.run("read", [0, 4096], [512, 512, 512]), "3 lengths for 2 offsets"),
        (lambda d: d.run("read", [0], 512, at_ns=[1], depth=2), "not both"),
        (lambda d: d.run("read", [0, 0], 512, at_ns=[9, 5]), "time goes on"),
        (lambda d: d.run("read", [0], 512, depth=0), "a depth of 0"),
        (lambda d: d.run("read", [0, 5], 512), "give a multiple of 512"),
        (lambda d: d.inject("rust"), "is no fault"),
        (lambda d: d.inject("die"), "of which"),
        (lambda d: d.inject("die", 10**12), "the drive has dies"),
    ],
)
def test_a_wrong_call_says_what_and_changes_nothing(wrong, why: str) -> None:
    drive = ftlab.Device("generic-mlc-8", {"nand.blocks_per_die": 64})
    before = drive.counters
    with pytest.raises(ftlab.InputError, match=why):
        wrong(drive)
    assert (drive.counters, drive.outstanding, drive.now_ns) == (before, 0, 0)


def test_a_device_that_cannot_be_is_an_input_error() -> None:
    with pytest.raises(ftlab.InputError, match="no-such-drive"):
        ftlab.Device("no-such-drive")
    with pytest.raises(ftlab.InputError, match="full"):
        device(state="full")
    with pytest.raises(ftlab.InputError, match="not a saved state|no saved state|saved state"):
        device(state=b"rubbish")


def test_a_queueing_model_of_simpy_hears_of_ends_when_they_are() -> None:
    import simpy
    import simpy_queue

    def device_of(clients: int) -> tuple[ftlab.Device, list[int]]:
        drive = device(state="used")
        return drive, simpy_queue.latencies(drive, 20_000, clients)

    drive, latencies_ns = device_of(2000)
    assert len(latencies_ns) == 2000
    assert device_of(2000)[1] == latencies_ns

    # Requests that come at instants of their own: SimPy sees the same ends as a batch in one call.
    at_ns, offsets = [n * 10_007 for n in range(500)], [n * 7919 % 50_000 * 4096 for n in range(500)]
    environment = simpy.Environment(initial_time=0)
    disk = simpy_queue.Disk(environment, device())
    ended_ns: dict[int, int] = {}

    def one(n: int):
        yield environment.timeout(at_ns[n])
        yield disk.request("read", offsets[n], 4096)
        ended_ns[n] = environment.now

    for n in range(500):
        environment.process(one(n))
    environment.run(until=10**9)
    batch = device().run("read", offsets, 4096, at_ns=at_ns)
    assert [ended_ns[n] for n in range(500)] == batch["ended_ns"].to_list()
