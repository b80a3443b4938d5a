"""What docs/formats.md shows can be read."""

import re
from pathlib import Path

from symoro.formats import dh, toml

DOCS = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")


def example(language: str) -> str:
    return re.findall(rf"```{language}\n(.*?)```", DOCS, re.DOTALL)[0]


def test_the_example_in_toml_says_every_key():
    text = example("toml")
    keys = set(re.findall(r"^(\w+) =", text, re.MULTILINE))
    assert keys >= {*toml.DOCUMENT, *toml.BASE, *toml.JOINT} - {"base", "joints", "cuts", "frames", "values"}
    start, end = text.index("[[joints]]"), text.index("[[cuts]]")
    six = text[start:end] + "[[joints]]\n[[joints]]\nkind = 'fixed'\n" + "[[joints]]\nkind = 'fixed'\n" * 3
    cut = re.compile(r"\[\[cuts\]\].*?(?=\[\[frames\]\])", re.DOTALL)
    robot = toml.read_text(cut.sub("", text[:start] + six + text[end:]), "example").robot
    assert robot.link_count == 6


def test_the_example_of_a_table():
    robot = dh.read_text(example("csv"), "table").robot
    assert [joint.variable for joint in robot.joints] == ["q1", "q2", "x3"]
