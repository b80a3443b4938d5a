"""symoro report, as users type it."""

from __future__ import annotations

import json
import re

import symoro as library_of_symoro


def test_a_page_has_the_models_and_the_configuration(symoro, tmp_path):
    file = tmp_path / "arm.html"
    done = symoro("report", "planar2r", "idm", "jacobian", "--q", "0.3,-0.8", "--out", file)
    assert (done.status, done.out.strip()) == (0, str(file))
    text = file.read_text(encoding="utf-8")
    for model in (library_of_symoro.inverse_dynamics("planar2r"), library_of_symoro.jacobian("planar2r", link=2)):
        assert model.title in text
    assert "data:image/png;base64," in text
    assert symoro("report", "planar2r", "idm", "--out", file).status == 1
    assert file.read_text(encoding="utf-8") == text
    assert symoro("report", "planar2r", "idm", "--out", file, "--force").status == 0


def test_a_notebook_makes_the_model_again(symoro, tmp_path):
    file = tmp_path / "arm.ipynb"
    done = symoro("report", "planar2r", "idm", "-o", "params=base", "--out", file, "--json")
    assert json.loads(done.out)["models"] == ["inverse_dynamics"]
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert re.search(r"params.*base", code)
    space: dict[str, object] = {}
    exec(code, space)
    models = [x for x in space.values() if isinstance(x, library_of_symoro.Model)]
    assert [m.ops for m in models] == [library_of_symoro.inverse_dynamics("planar2r", params="base").ops]


def test_what_cannot_be_written_is_refused_before_work(symoro, tmp_path):
    done = symoro("report", "planar2r", "idm", "--out", tmp_path / "arm.doc")
    assert done.status == 2
    assert "allowed: .html, .pdf, .ipynb" in done.err
    assert symoro("report", "planar2r", "idm", "--q", "1", "--out", tmp_path / "a.html").status == 2
    assert symoro("report", "nothing", "idm").status == 2
    assert not list(tmp_path.iterdir())
