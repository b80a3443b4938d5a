"""A notebook is executed by a kernel of Jupyter and rendered by nbconvert: robot, equations and pictures are shown."""

from __future__ import annotations

import os
import re
import warnings
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from matplotlib.mathtext import MathTextParser

import symoro

NOTEBOOK = Path(__file__).parents[2] / "examples" / "tour.ipynb"


@pytest.fixture(scope="module")
def executed() -> Any:
    """The notebook with the outputs of its cells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of Jupyter's own modules; the kernel is another process
        import nbformat
        from nbclient import NotebookClient

        book = nbformat.read(NOTEBOOK, as_version=4)
        assert not any(cell.get("outputs") for cell in book.cells), "the notebook is kept without outputs"
        os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")
        return NotebookClient(book, timeout=120, kernel_name="python3").execute()


@pytest.fixture(scope="module")
def page(executed: Any) -> str:
    """The notebook as HTML."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nbconvert import HTMLExporter

        return str(HTMLExporter(embed_images=True).from_notebook_node(executed)[0])


def results(book: Any) -> list[dict[str, str]]:
    """What each cell shows, by media type."""
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    return [dict(cell.outputs[-1].data) if cell.outputs else {} for cell in cells]


@pytest.mark.long
def test_cells_show_tables_equations_and_pictures(executed: Any) -> None:
    robot, picture, gravity, dynamics, function, torques, base, loop, linkage = results(executed)
    assert "<table>" in robot["text/html"]
    for drawing in (picture, linkage):
        assert ElementTree.fromstring(drawing["image/svg+xml"]).tag.endswith("svg")
    assert r"\begin{align}" in gravity["text/latex"]
    assert r"\Gamma_{1} &amp;=" in dynamics["text/html"]
    assert "q (2,), position of each joint, rad" in function["text/plain"]
    assert torques["text/plain"].startswith("array(")
    assert r"\mathrm{ZZR}_{1}" in base["text/latex"]
    assert loop["text/plain"].startswith("<Model loop_geometry of four-bar")
    kinds = {output.output_type for cell in executed.cells for output in cell.get("outputs", ())}
    assert kinds == {"execute_result"}, "no warnings and no errors"


@pytest.mark.long
def test_the_page_has_the_table_of_the_robot_and_mathematics(page: str) -> None:
    for joint in symoro.load("planar2r").joints:
        assert f"<td>{joint.name}</td>" in page
    assert "MathJax" in page
    assert page.count(r"\begin{align}") >= 4
    assert len(re.findall("<img[^>]*data:image/svg", page)) == 2
    reader = MathTextParser("path")
    for code in re.findall(r"\\begin\{align\}(.*?)\\end\{align\}", page, re.DOTALL):
        for line in code.strip().splitlines():
            left, right = unescape(line).removesuffix(r" \\").split("&=")
            reader.parse(f"${left} = {right}$")  # an error where it is not mathematics
