"""What all tests have: a small drive, a short job, and the program to compare with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ftlab

#: Sixty-four blocks a die: 800 MB, prepared in hundredths of a second.
SMALL = {"nand.blocks_per_die": 64}
WRITES = {"rw": "randwrite", "bs": "4k", "iodepth": 8, "number_ios": 20_000}

REPOSITORY = Path(__file__).parents[3]


def program() -> str:
    """The program that was built with the module."""
    return os.environ.get("FTLAB") or str(REPOSITORY / "target/debug/ftlab")


@pytest.fixture(scope="session")
def small() -> ftlab.Drive:
    return ftlab.Drive("generic-mlc-8", SMALL)


@pytest.fixture(scope="session")
def result(small: ftlab.Drive) -> ftlab.Result:
    return ftlab.run(WRITES, small, state="used")


@pytest.fixture
def command_line(tmp_path: Path):
    """Runs the program in a folder of its own; gives what it printed, and on standard error."""

    def call(*arguments: str) -> tuple[str, str]:
        command = [program(), *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.stdout, done.stderr

    return call


@pytest.fixture
def python():
    """Runs a script in an interpreter of its own."""

    def call(script: str, *arguments: str, **options: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
        )

    return call
