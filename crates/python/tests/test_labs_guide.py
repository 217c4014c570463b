"""The teacher's page: its commands run in their order, and what it shows of their output is what they print.

With FTLAB_REDRAW_GUIDES=1 the outputs are drawn again.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from conftest import REPOSITORY

from ftlab.labs import collect, erase, recover, streams, victim

PAGE = REPOSITORY / "docs/guides/teach-with-ftlab.md"
BLOCK = re.compile(r"^```sh python\n(.*?)^```\n\n```text python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_page_runs_and_shows_what_is_printed(tmp_path: Path) -> None:
    (tmp_path / "crates").symlink_to(REPOSITORY / "crates")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def drawn(block: re.Match[str]) -> str:
        call = ["bash", "-e", "-c", block[1]]
        done = subprocess.run(call, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout, block[1]
        return f"```sh python\n{block[1]}```\n\n```text python\n{done.stdout}```"

    text = PAGE.read_text()
    redrawn = BLOCK.sub(drawn, text)
    # None is left out.
    assert len(BLOCK.findall(text)) == text.count("```sh") > 5
    if os.environ.get("FTLAB_REDRAW_GUIDES"):
        PAGE.write_text(redrawn)
    else:
        assert redrawn.splitlines() == text.splitlines(), "FTLAB_REDRAW_GUIDES=1 make test-python draws it again"


def test_the_page_says_what_the_grader_goes_by() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE.read_text(), re.MULTILINE))
    for name, part in (("erase", erase.FOR_ANSWERS), ("collect", collect.FOR_ANSWERS), ("streams", streams.FOR_ANSWERS)):
        assert rows[name].startswith(f"{part:.0%}".replace("%", " % |"))
    assert rows["recover"].startswith(f"{recover.FOR_RECOVERIES:.0%}".replace("%", " %"))
    for name, slack in (("erase", erase.SLACK), ("collect", collect.SLACK), ("victim", victim.SLACK), ("streams", streams.SLACK)):
        assert f"| {slack:.0%}".replace("%", " %") in rows[name]
    assert f"{streams.SLACK_GUESSED:.0%} without handles".replace("%", " %") in rows["streams"]
