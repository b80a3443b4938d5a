"""What Python and notebooks show of robots, models and functions: short, complete and without a second meaning."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import symoro
from symoro.ir.notebook import LINES
from symoro.robot import library


class Tables(HTMLParser):
    """The cells of every table of an HTML text, row by row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "br":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if self.open[-1:] in (["td"], ["th"]):
            self.rows[-1].append(data)


@pytest.mark.parametrize("name", library.names())
def test_a_robot_is_one_line_and_its_table_has_every_joint(name: str) -> None:
    robot = symoro.load(name)
    assert "\n" not in repr(robot)
    assert len(repr(robot)) < 160
    tables = Tables(robot._repr_html_())
    assert not tables.open
    frames = [row for row in tables.rows if row[3:4] and row[3].startswith(("revolute", "prismatic", "fixed"))]
    assert [row[1] for row in frames] == [joint.name for joint in robot.joints]


def test_letters_of_html_in_a_description_are_texts() -> None:
    robot = symoro.Robot.from_mdh([(0, 0, 0, 0)], title="<script>alert('1')</script> & co")
    assert "<script>" not in robot._repr_html_()
    assert "&lt;script&gt;" in robot._repr_html_()


@pytest.mark.parametrize("thing", ["model", "procedure", "base parameters", "function", "assembly"])
def test_results_say_what_they_are_in_few_lines(thing: str) -> None:
    made = {
        "model": symoro.inverse_dynamics("puma560"),
        "procedure": symoro.loop_geometry("four-bar"),
        "base parameters": symoro.base_parameters("rx90"),
        "function": symoro.inverse_dynamics("puma560").compile("numpy"),
        "assembly": symoro.loop_geometry("four-bar").compile("numpy"),
    }[thing]
    assert len(repr(made)) < 500
    assert all(len(line) < 121 for line in repr(made).splitlines())


def test_a_model_says_its_inputs_outputs_and_operations() -> None:
    model = symoro.inverse_dynamics("planar2r", optimize=False)
    call = "q[2], qd[2], qdd[2], wrench[1, 6]=… -> GAM[2]"
    assert repr(model) == f"<Model inverse_dynamics of planar2r: {call}; {model.ops}>"


def test_a_function_says_units_and_what_is_optional() -> None:
    lines = repr(symoro.inverse_dynamics("stanford").compile("numpy")).splitlines()
    assert lines[1] == "  q (6,), position of each joint, rad or m"
    assert lines[-1].endswith("N or N·m, optional")


def test_a_notebook_shows_the_first_equations_of_a_long_model_and_says_how_many_more() -> None:
    model = symoro.inverse_dynamics("rx90")
    text = model._repr_html_()
    assert text.count(r"&amp;=") == LINES
    assert f"and {len(model.equations()) - LINES} more" in text
    short = symoro.gravity("planar2r")._repr_html_()
    assert short.count("&amp;=") == len(symoro.gravity("planar2r").equations())
    assert "more" not in short
    assert symoro.gravity("planar2r")._repr_latex_().startswith(r"\begin{align}")
