"""What docs/formats.md shows can be read."""

import re
from pathlib import Path

from symoro.formats import dh, toml
from symoro.robot.robot import Robot
from symoro.robot.values import as_value, to_text

DOCS = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")


def example(language: str) -> str:
    return re.findall(rf"```{language}\n(.*?)```", DOCS, re.DOTALL)[0]


def test_the_example_in_toml_says_every_key():
    text = example("toml")
    keys = set(re.findall(r"^(\w+) =", text, re.MULTILINE))
    assert keys >= {*toml.DOCUMENT, *toml.BASE, *toml.JOINT} - {"home", "base", "joints", "cuts", "frames", "values"}
    start, end = text.index("[[joints]]"), text.index("[[cuts]]")
    six = text[start:end] + "[[joints]]\n[[joints]]\nkind = 'fixed'\n" + "[[joints]]\nkind = 'fixed'\n" * 3
    cut = re.compile(r"\[\[cuts\]\].*?(?=\[\[frames\]\])", re.DOTALL)
    robot = toml.read_text(cut.sub("", text[:start] + six + text[end:]), "example").robot
    assert robot.link_count == 6


def test_the_example_of_a_table():
    robot = dh.read_text(example("csv"), "table").robot
    assert [joint.variable for joint in robot.joints] == ["q1", "q2", "x3"]


def test_the_other_way_to_give_an_inertia():
    text = re.findall(r"```toml\n(.*?)```", DOCS, re.DOTALL)[1]
    assert as_value("3.5") == toml.read_text(text, "link").robot.inertia(1).M


def test_the_robots_in_python():
    text = next(block for block in re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL) if "from_mdh" in block)
    names: dict[str, Robot] = {}
    exec(compile(text, "docs/formats.md", "exec"), names)
    assert [joint.parent for joint in names["tree"].joints] == [0, 1, 1]
    assert names["table"].frames[0].name == "flange"
    assert to_text(names["loaded"].inertia(3).MZ) == "MP*ZP"
    assert names["arm"].inertia(3).is_zero
