"""The notebooks run from their first cell to their last, and pages show what they draw.

With FTLAB_REDRAW_NOTEBOOKS=1 the pictures of the pages are drawn again.
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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_its_picture_is_shown(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in cells), "a notebook is kept without what it printed"
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output.get("data", {}) for cell in cells for output in cell.outputs]
    [drawn] = [base64.b64decode(data["image/png"]) for data in outputs if "image/png" in data]
    image = f"notebook-{path.stem}.png"
    kept = REPOSITORY / "docs/images" / image
    if os.environ.get("FTLAB_REDRAW_NOTEBOOKS"):
        kept.write_bytes(drawn)
    now, shown = (numpy.asarray(Image.open(io.BytesIO(of)).convert("L"), float) for of in (drawn, kept.read_bytes()))
    is_same = now.shape == shown.shape and (abs(now - shown) > 64).mean() < DIFFERENT_MAX
    assert is_same, f"docs/images/{image} is not what the notebook draws: FTLAB_REDRAW_NOTEBOOKS=1 make test-python"
    guide = (REPOSITORY / "docs/guides/python.md").read_text()
    assert f"(../images/{image})" in guide and f"(../../notebooks/{path.name})" in guide
