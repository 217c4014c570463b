"""The command line within Python: `python -m ftlab`, as the script `ftlab` runs it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from conftest import program

WITHIN = [sys.executable, "-m", "ftlab"]


def call(words: list[str], place: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=place, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def without_speed(said: str) -> list[str]:
    """The lines that do not depend on the clock."""
    return [line for line in said.splitlines() if not line.startswith("  speed ")]


def test_it_says_what_the_program_says_with_its_exit_codes(tmp_path: Path) -> None:
    load = ["--", "--name=w", "--rw=randwrite", "--bs=4k", "--number_ios=500"]
    small = ["run", "--drive", "generic-mlc-8", "--set", "nand.blocks_per_die=64", "--untimed", "--quiet"]
    calls = {
        0: [*small, *load],
        2: ["run", "nothing.fio", "--drive", "generic-mlc-8"],
        3: [*small, "--require", "wa > 100", *load],
    }
    for code, words in calls.items():
        within, apart = call([*WITHIN, *words], tmp_path), call([program(), *words], tmp_path)
        assert within.returncode == apart.returncode == code, within.stderr
        assert within.stderr == apart.stderr
        assert without_speed(within.stdout) == without_speed(apart.stdout)


def test_it_is_called_ftlab_whatever_started_it(tmp_path: Path) -> None:
    for words in (["run", "--help"], ["completions", "bash"], ["--no-such-option"]):
        within, apart = call([*WITHIN, *words], tmp_path), call([program(), *words], tmp_path)
        assert (within.stdout, within.stderr) == (apart.stdout, apart.stderr)


def test_a_server_goes_on_in_the_background(tmp_path: Path) -> None:
    image = ["--image", "disk.img"]
    began = call([*WITHIN, "serve", "--drive", "generic-mlc-8", *image, "--daemon"], tmp_path)
    assert began.returncode == 0, began.stderr
    pid = int((tmp_path / "disk.img.pid").read_text())
    command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    assert command[:4] == [sys.executable.encode(), b"-m", b"ftlab", b"serve"]
    stopped = call([*WITHIN, "stop", "disk.img.pid"], tmp_path)
    assert stopped.returncode == 0, stopped.stderr
    assert not (tmp_path / "disk.img.pid").exists()


def test_an_interrupt_ends_it_and_says_how_to_go_on(tmp_path: Path) -> None:
    words = ["review", "samsung-slc-64", "--test", "A1", "--test", "E1", "--jobs", "1", "--out", "o"]
    kept = tmp_path / "o/cells.jsonl"
    child = subprocess.Popen(
        [*WITHIN, *words], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    )
    assert child.stderr is not None
    # The first test is done at once, the other takes minutes.
    while child.poll() is None and not (kept.exists() and kept.read_text().count("\n") > 1):
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    said = child.stderr.read()
    assert child.wait() == 130, said
    assert "1 of 3 runs" in said and "--resume" in said, said
