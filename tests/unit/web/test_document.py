"""Robots as the page edits them: nothing is lost on the way, and a problem is at its cell."""

from __future__ import annotations

import pytest

from symoro.errors import FormatError
from symoro.formats import load
from symoro.robot import library
from symoro.web.document import document_of, placed, reading
from symoro.web.requests import Document


@pytest.mark.parametrize("name", library.names())
def test_a_document_gives_the_robot_back(name: str) -> None:
    robot = load(name)
    back, _ = reading(Document(**document_of(robot)))
    assert back == robot


@pytest.mark.parametrize(
    ("cell", "text", "said"),
    [
        (("joints", 2, "d"), "D3 +", "a value is missing"),
        (("joints", 3, "inertia", "XX"), "1/0", "division by 0"),
        (("joints", 4, "limits", "lower"), "2..3", ""),
        (("values", "D3"), "2 *", "a value is missing"),
        (("joints", 1, "parent"), 9, "antecedent"),
    ],
)
def test_a_problem_is_at_its_cell(cell: tuple[str | int, ...], text: object, said: str) -> None:
    data = document_of(load("rx90"))
    at = data
    for key in cell[:-1]:
        at = at[key]  # type: ignore[index]
    at[cell[-1]] = text  # type: ignore[index]
    document = Document(**data)
    try:
        _, problems = reading(document)
    except FormatError as error:
        problems = placed(error.problems, document)
    path = ".".join(str(k + 1 if isinstance(k, int) else k) for k in cell)
    at_cell = [str(p["message"]) for p in problems if p["path"] == path]
    assert any(said in message for message in at_cell), problems


def test_texts_cannot_leave_their_cell() -> None:
    data = document_of(load("planar2r"))
    data["title"] = 'a"\n[values]\nX = 1 \\ \u2028 "'
    robot, _ = reading(Document(**data))
    assert robot.title == data["title"]
    assert "X" not in robot.values


def test_a_document_keeps_the_working_mode_and_the_given_coordinates() -> None:
    robot = load("delta").in_branch(0, 1, 0).taking("joints")
    back, _ = reading(Document(**document_of(robot)))
    assert back == robot
