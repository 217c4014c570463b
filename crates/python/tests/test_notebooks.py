"""The notebooks run from their first cell to their last, and they and the pages show what comes of it.

With FTLAB_REDRAW_NOTEBOOKS=1 their outputs and the pictures of the pages are made again.
"""

from __future__ import annotations

import base64
import io
import os
from pathlib import Path

import nbformat
import numpy
import pytest
from conftest import REPOSITORY
from nbclient import NotebookClient
from PIL import Image

NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))

#: How much of a picture may differ: no more than edges that another machine rounds otherwise.
DIFFERENT_MAX = 0.01


def texts(notebook: nbformat.NotebookNode) -> list[str]:
    """What the cells of a notebook print and show, but for pictures."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    shown = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs if not is_picture(output)]
    return [text for text in shown if text]


def is_picture(output: nbformat.NotebookNode) -> bool:
    return "image/png" in output.get("data", {})


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_what_it_shows_is_kept(path: Path, tmp_path: Path) -> None:
    redraw = "FTLAB_REDRAW_NOTEBOOKS=1 make test-python"
    notebook, kept = (nbformat.read(path, as_version=4) for _ in range(2))
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in cells for output in cell.outputs]
    [drawn] = [base64.b64decode(output.data["image/png"]) for output in outputs if is_picture(output)]
    image = f"notebook-{path.stem}.png"
    picture = REPOSITORY / "docs/images" / image
    if os.environ.get("FTLAB_REDRAW_NOTEBOOKS"):
        picture.write_bytes(drawn)
        for cell in cells:
            # When it ran, nobody asks.
            cell.metadata.pop("execution", None)
        notebook.metadata.pop("language_info", None)
        nbformat.write(notebook, path)
        kept = notebook
    now, shown = (numpy.asarray(Image.open(io.BytesIO(of)).convert("L"), float) for of in (drawn, picture.read_bytes()))
    is_same = now.shape == shown.shape and (abs(now - shown) > 64).mean() < DIFFERENT_MAX
    assert is_same, f"docs/images/{image} is not what the notebook draws: {redraw}"
    assert texts(kept) == texts(notebook), f"{path.name} is kept with other outputs than it has: {redraw}"
    assert any(is_picture(output) for cell in kept.cells for output in cell.get("outputs", [])), redraw
    guide = (REPOSITORY / "docs/guides/python.md").read_text()
    assert f"(../images/{image})" in guide and f"(../../notebooks/{path.name})" in guide
