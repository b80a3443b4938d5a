"""Reports of the work: a page, a PDF file, and a notebook that makes the results again, with the user's edits."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import symoro
from support.page_server import Page, page_server
from symoro.errors import LoopWarning
from symoro.ir.latex import lines
from symoro.report.work import JointState, ReportedModel, Work, write
from symoro.report.work.mathml import mathml
from symoro.robot.values import to_text


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with page_server() as found:
        yield found


def edited(page: Page) -> dict[str, Any]:
    robot = page.robot("planar2r")
    robot["joints"][1]["d"] = "2*L1 + 0.1"
    robot["title"] = "Arm <b>& \\ '''"
    return robot


def wanted(robot: dict[str, Any], kind: str) -> dict[str, Any]:
    models = [
        {"model": "inverse_dynamics", "options": {"params": "base"}},
        {"model": "jacobian", "options": {"link": 2}},
    ]
    state = {"q": {"q1": 0.3, "q2": -0.7}, "qd": {"q1": 0.5, "q2": 0.4}, "qdd": {"q1": -0.2, "q2": 0.9}}
    return {"robot": robot, "kind": kind, "models": models, **state}


def run(cells: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Execute the cells as a notebook does; after each one, its text and the names that there are."""
    names: dict[str, Any] = {}
    after = []
    for cell in cells:
        if cell["cell_type"] == "code":
            *most, last = "".join(cell["source"]).splitlines()
            exec("\n".join(most), names)
            try:
                names["_"] = eval(last, names)
            except SyntaxError:
                exec(last, names)
            after.append(("".join(cell["source"]), dict(names)))
    return after


def test_the_notebook_makes_the_results_again_with_the_edits(page: Page) -> None:
    answer = page.ask("POST", "/api/report", wanted(edited(page), "ipynb"))
    assert answer.status == 200, answer.body
    made = json.loads(answer.body)
    assert made["nbformat"] == 4
    after = run(made["cells"])
    names = after[-1][1]
    robot = names["robot"]
    assert to_text(robot.joint(2).d) == "2*L1 + 0.1"
    expected = symoro.inverse_dynamics(robot, params="base").compile()([0.3, -0.7], [0.5, 0.4], [-0.2, 0.9])
    values = [found["_"] for text, found in after if text.endswith("inverse_dynamics.compile()(q, qd, qdd)")]
    np.testing.assert_allclose(values, [expected], rtol=1e-12)
    assert names["jacobian"].options["link"] == 2


@pytest.mark.long
@pytest.mark.filterwarnings("default")
def test_jupyter_executes_the_notebook(page: Page) -> None:
    import nbformat
    from nbclient import NotebookClient

    answer = page.ask("POST", "/api/report", wanted(edited(page), "ipynb"))
    book = nbformat.reads(answer.body.decode(), as_version=4)
    done = NotebookClient(book, timeout=120).execute()
    shown = [output for cell in done.cells for output in cell.get("outputs", ())]
    assert any("image/svg+xml" in output.get("data", {}) for output in shown)
    assert not any(output.output_type == "error" for output in shown)


def test_the_page_has_tables_counts_figures_and_escaped_texts(page: Page) -> None:
    answer = page.ask("POST", "/api/report", wanted(edited(page), "html"))
    assert answer.status == 200, answer.body
    text = answer.body.decode()
    assert "<b>" not in text
    assert "2*L1 + 0.1" in text
    assert text.count("data:image/png") == 2
    assert "<script" not in text
    model = symoro.inverse_dynamics("planar2r", params="base")
    assert text.count("<math>") > len(model.equations())


def test_the_pdf_is_a_file_of_pages(page: Page) -> None:
    given = wanted(edited(page), "pdf")
    answer = page.ask("POST", "/api/report", given | {"models": given["models"][1:]})
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.body.startswith(b"%PDF-")
    assert answer.body.count(b"/Type /Page\n") + answer.body.count(b"/Type /Page ") >= 1


def test_a_report_speaks_the_language_of_the_page(page: Page) -> None:
    asked = wanted(edited(page), "html") | {"language": "fr"}
    text = page.ask("POST", "/api/report", asked).body.decode()
    assert '<html lang="fr">' in text
    assert "<h2>Opérations</h2>" in text
    assert "<h2>Matrice jacobienne</h2>" in text
    assert "<td>pivot</td>" in text
    assert page.ask("POST", "/api/report", asked | {"language": "xx"}).status == 422


@pytest.mark.parametrize("kind", ["docx", "", None])
def test_another_kind_is_refused_with_what_is_allowed(page: Page, kind: Any) -> None:
    answer = page.ask("POST", "/api/report", wanted(page.robot("planar2r"), kind))
    assert answer.status == 422
    assert "kind" in answer.json()["message"]


def test_a_report_of_a_robot_without_numbers_has_no_figures(page: Page) -> None:
    robot = page.robot("planar2r") | {"values": {}}
    answer = page.ask("POST", "/api/report", wanted(robot, "html"))
    assert answer.status == 200, answer.body
    assert b"data:image" not in answer.body


def test_a_model_that_does_not_exist_fails_with_a_message(page: Page) -> None:
    data = wanted(page.robot("planar2r"), "html") | {"models": [{"model": "no_such_model"}]}
    answer = page.ask("POST", "/api/report", data)
    assert answer.status == 422
    assert "no_such_model" in answer.json()["message"]


@pytest.mark.parametrize("kind", [pytest.param("pdf", marks=pytest.mark.long), "ipynb"])
def test_a_report_of_a_parallel_robot(page: Page, kind: str) -> None:
    given = {"robot": page.robot("3rps"), "kind": kind, "models": [{"model": "inverse_geometry"}]}
    answer = page.ask("POST", "/api/report", given)
    assert answer.status == 200, answer.body
    if kind == "ipynb":
        assert "inverse_geometry" in run(json.loads(answer.body)["cells"])[-1][1]


@pytest.mark.parametrize("name", ["flexible-joints", "five-bar", "satellite"])
def test_a_report_of_springs_loops_and_free_bases(name: str) -> None:
    model = symoro.inverse_dynamics(name)
    part = ReportedModel(model.name, model.title, model.citation, {}, model.program, model.source.known)
    work = Work(symoro.load(name), (part,), JointState({"q1": 0.1}))
    open_loops = pytest.warns(LoopWarning, match="open in this picture") if name == "five-bar" else nullcontext()
    with open_loops:
        assert b"<math>" in write(work, "html")
    assert b"inverse_dynamics" in write(work, "ipynb")


MODELS: dict[str, Callable[[], symoro.Model]] = {
    "direct_dynamics": lambda: symoro.direct_dynamics("rx90", method="inertia-matrix"),
    "inverse_geometry": lambda: symoro.inverse_geometry("stanford"),
    "derivative": lambda: symoro.inverse_dynamics("planar2r").derivative("q"),
}


@pytest.mark.parametrize("name", MODELS)
def test_formulas_become_well_formed_mathml_with_the_same_symbols(name: str) -> None:
    for names, tex in lines(MODELS[name]().program, lambda name, form: form):
        root = ET.fromstring(mathml(tex.replace("&=", "=", 1)).replace("&nbsp;", " "))
        letters = "".join(root.itertext())
        assert "=" in letters, names
        assert "\\" not in letters, tex
        digits = [c for c in tex if c.isdigit()]
        assert sorted(digits) == sorted(c for c in letters if c.isdigit()), tex
        for tag, count in (("msub", 2), ("msup", 2), ("mfrac", 2), ("mover", 2), ("msubsup", 3)):
            assert all(len(node) == count for node in root.iter(tag)), tex
