"""Disks at work, with the clients that people use."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import REPOSITORY

import ftlab


@pytest.fixture(scope="module", autouse=True)
def program() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FTLAB", os.environ.get("FTLAB") or str(REPOSITORY / "target/debug/ftlab"))
        yield


@pytest.fixture
def disk() -> Iterator[ftlab.Disk]:
    with ftlab.disk("generic-mlc-8") as disk:
        yield disk


def qemu_io(disk: ftlab.Disk, *commands: str) -> subprocess.CompletedProcess[str]:
    words = [word for command in commands for word in ("-c", command)]
    return subprocess.run(
        ["qemu-io", "-f", "raw", *words, disk.uri], capture_output=True, text=True, check=False, timeout=60
    )


def is_good(done: subprocess.CompletedProcess[str]) -> bool:
    said = done.stdout + done.stderr
    return done.returncode == 0 and "failed" not in said and "error" not in said.lower()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_client_reads_what_it_wrote_and_nothing_is_left(disk: ftlab.Disk) -> None:
    assert is_good(qemu_io(disk, "write -P 7 0 64k", "flush", "read -P 7 0 64k"))
    size = subprocess.run(["nbdinfo", "--size", disk.uri], capture_output=True, text=True, check=True)
    assert int(size.stdout) == ftlab.Drive("generic-mlc-8").capacity_bytes
    assert Path(disk.path).is_socket() and Path(disk.image).is_file()


def test_no_process_and_no_file_is_left_whatever_happened() -> None:
    with pytest.raises(ZeroDivisionError), ftlab.disk("generic-mlc-8") as disk:
        pid, folder = disk.pid, Path(disk.path).parent
        assert is_running(pid) and folder.is_dir()
        raise ZeroDivisionError
    assert not is_running(pid) and not folder.exists()
    with pytest.raises(ftlab.RunError, match="not at work"):
        disk.clear()


def ended_by(number: signal.Signals) -> tuple[int, Path]:
    """The server of a program that ends while it has a disk, and the folder of that."""
    script = textwrap.dedent("""
        import time, ftlab
        with ftlab.disk("generic-mlc-8") as disk:
            print(disk.pid, disk.path, flush=True)
            time.sleep(600)
    """)
    program = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    pid, path = program.stdout.readline().split()
    program.send_signal(number)
    assert program.wait(60) != 0
    program.stdout.close()
    return int(pid), Path(path).parent


def test_nothing_is_left_when_the_program_is_interrupted() -> None:
    pid, folder = ended_by(signal.SIGINT)
    assert not is_running(pid) and not folder.exists()


def test_a_server_ends_in_order_when_its_program_is_killed() -> None:
    pid, folder = ended_by(signal.SIGKILL)
    try:
        deadline = time.monotonic() + 60
        while is_running(pid):
            assert time.monotonic() < deadline, "it goes on"
            time.sleep(0.02)
        info = subprocess.run([os.environ["FTLAB"], "info", folder / "disk.img"], capture_output=True, text=True, check=True)
        assert "switched off in order" in info.stdout
    finally:
        shutil.rmtree(folder)


def test_a_forked_process_can_use_a_disk_and_does_not_end_it(disk: ftlab.Disk) -> None:
    child = os.fork()
    if child == 0:
        # What the context does at its end, however this process comes to it.
        try:
            is_fine = is_good(qemu_io(disk, "write -P 6 0 64k", "flush")) and disk.pid > 0
            disk.__exit__(None, None, None)
        except BaseException:
            is_fine = False
        os._exit(0 if is_fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert is_running(disk.pid) and Path(disk.path).is_socket()
    assert is_good(qemu_io(disk, "read -P 6 0 64k"))


def test_a_forked_process_does_not_keep_a_disk_whose_program_is_killed() -> None:
    script = textwrap.dedent("""
        import os, time, ftlab
        with ftlab.disk("generic-mlc-8") as disk:
            child = os.fork()
            if child > 0:
                print(disk.pid, disk.path, child, flush=True)
            time.sleep(600)
    """)
    program = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    pid, path, child = program.stdout.readline().split()
    folder = Path(path).parent
    try:
        program.kill()
        program.wait(60)
        deadline = time.monotonic() + 60
        while is_running(int(pid)):
            assert time.monotonic() < deadline, "the forked process keeps it"
            time.sleep(0.02)
        assert is_running(int(child))
    finally:
        os.kill(int(child), signal.SIGKILL)
        program.stdout.close()
        shutil.rmtree(folder)


def test_faults_come_when_they_are_asked_for_and_end(disk: ftlab.Disk) -> None:
    number = disk.fault("error 100% --on flush")
    assert number is not None
    assert not is_good(qemu_io(disk, "write -P 1 0 4k", "flush"))
    disk.clear(number)
    assert is_good(qemu_io(disk, "write -P 1 0 4k", "flush"))
    disk.fault("stall 1s")
    began = time.monotonic()
    assert is_good(qemu_io(disk, "read -P 1 0 4k"))
    assert time.monotonic() - began >= 1
    with pytest.raises(ftlab.InputError, match="no fault"):
        disk.fault("hiccup")
    with pytest.raises(ftlab.InputError, match="there is no fault 99"):
        disk.clear(99)


def test_a_power_cut_takes_what_was_not_flushed_the_same_way_every_time() -> None:
    def left() -> bytes:
        with ftlab.disk("jmf602-mlc-64", size="64m", timing=False) as disk:
            words = ["write -P 1 0 256k", "flush", "write -P 2 0 256k", "abort"]
            qemu_io(disk, *words)
            assert "lost" in disk.cut(seed=5)
            copied = subprocess.run(["nbdcopy", disk.uri, "-"], capture_output=True, check=True)
            return copied.stdout[: 256 << 10]

    first = left()
    assert set(first) <= {1, 2}
    assert left() == first


def test_a_reset_goes_back_to_a_base_that_is_never_written(tmp_path: Path) -> None:
    base = tmp_path / "base.img"
    with ftlab.disk("generic-mlc-8", image=base, state="used") as disk:
        assert is_good(qemu_io(disk, "write -P 3 0 64k", "flush"))
        began = disk.smart()
    with ftlab.disk(base=base) as one, ftlab.disk(base=base) as other:
        assert is_good(qemu_io(one, "read -P 3 0 64k", "write -P 4 0 64k", "flush"))
        one.snapshot("four")
        assert is_good(qemu_io(one, "write -P 5 0 64k"))
        assert is_good(qemu_io(other, "read -P 3 0 64k"))
        one.reset()
        assert is_good(qemu_io(one, "read -P 3 0 64k"))
        one.reset(to="four")
        assert is_good(qemu_io(one, "read -P 4 0 64k"))
        with pytest.raises(ftlab.InputError, match="its snapshots are four"):
            one.reset(to="five")
        now = one.smart()
    assert now["serial_number"] == began["serial_number"]


def test_what_cannot_be_started_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ftlab.InputError, match="no-such-drive"), ftlab.disk("no-such-drive"):
        pass
    with pytest.raises(ftlab.InputError, match="give a drive"):
        ftlab.disk()
    monkeypatch.setenv("FTLAB", str(tmp_path / "nothing"))
    with pytest.raises(ftlab.InputError, match="is no program"), ftlab.disk("generic-mlc-8"):
        pass


def test_a_disk_needs_nothing_but_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FTLAB")
    monkeypatch.setenv("PATH", str(tmp_path))
    with ftlab.disk("generic-mlc-8") as disk:
        assert disk.smart()
        pid = disk.pid
    assert not is_running(pid)
