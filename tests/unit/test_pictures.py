"""Pictures of robots and curves: nothing is cut off, planar robots are seen along their normal, frames have names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import symoro
from support.raised import raised
from symoro.errors import InputError, LoopWarning, ShapeError, SymoroError
from symoro.figures import curves
from symoro.report.skeleton import plane_normal, skeleton


def cut_off(figure: Any) -> list[str]:
    """The texts of a figure that are not wholly in it."""
    FigureCanvasAgg(figure).draw()
    renderer = figure.canvas.get_renderer()
    width, height = figure.bbox.width, figure.bbox.height
    texts = [
        label for axes in figure.axes for label in (axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label)
    ]
    texts += [axes.zaxis.label for axes in figure.axes if hasattr(axes, "zaxis")]
    texts = [t for t in (*texts, *(t for legend in figure.legends for t in legend.get_texts())) if t.get_text()]
    boxes = [(t.get_text(), t.get_window_extent(renderer)) for t in texts]
    return [text for text, b in boxes if b.x0 < -1 or b.y0 < -1 or b.x1 > width + 1 or b.y1 > height + 1]


_ROBOTS = [
    "rx90",
    "planar2r",
    "four-bar",
    "panda",
    "delta",
    "planar-3rrr",
    "diff-drive-2r",
    "puma560",
    "kuka-iiwa",
    "scara",
]
_LONG = [f"left_shoulder_pan_joint_of_the_left_arm_number_{k}" for k in range(1, 5)]


@pytest.mark.parametrize("name", _ROBOTS)
def test_no_label_of_a_picture_is_cut_off(name: str) -> None:
    assert cut_off(symoro.draw(name, shapes=False)) == []


def test_long_titles_are_broken_into_lines() -> None:
    robot = replace(symoro.load("scara"), title="An arm whose file has a title of more than one line " * 3)
    assert cut_off(symoro.draw(robot)) == []


def named(robot: symoro.Robot, names: Sequence[str]) -> symoro.Robot:
    """The robot with other names of its joints, and no frames."""
    joints = tuple(replace(joint, name=name) for joint, name in zip(robot.joints, names, strict=True))
    return replace(robot, joints=joints, frames=())


def test_names_are_shown_as_they_are_written() -> None:
    names = ["_shoulder", "$el_{bow$"]
    robot = replace(named(symoro.load("planar2r"), names), title="$a_{b$")
    figure = symoro.draw(robot)
    cut_off(figure)
    assert {"0", names[1]} == {text.get_text() for text in figure.axes[0].texts}
    shown = curves(np.arange(3.0), {"position (rad)": np.eye(3)[:, :2]}, names, title="$a_{b$")
    cut_off(shown)
    assert [text.get_text() for text in shown.legends[0].get_texts()] == names


@pytest.mark.parametrize(
    ("name", "q", "words"),
    [
        ("planar2r", [np.nan, 0], "not finite"),
        ("planar2r", ["a", "b"], "real numbers"),
        ("planar2r", [1j, 0], "real numbers"),
        ("planar2r", np.zeros((3, 2)), "one configuration"),
        ("planar2r", [0], "shape"),
        ("five-bar-legs", np.ones((4, 4)), "no pose"),
        ("five-bar-legs", np.eye(4) + 9 * np.eye(4, k=3), "do not reach"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(name: str, q: Any, words: str) -> None:
    with pytest.raises((InputError, ShapeError), match=words) as refused:
        symoro.draw(name, q)
    assert isinstance(refused.value, SymoroError)


def test_values_without_a_number_are_refused() -> None:
    with raised("pictures.no_place", InputError):
        symoro.draw("planar2r", values={"L1": np.nan})


def test_an_open_loop_is_not_drawn_as_a_closed_one_in_silence() -> None:
    with pytest.warns(LoopWarning, match="open"):
        symoro.draw("four-bar", [0.9, 0.1, 0.1])
    symoro.draw("four-bar")


def test_a_planar_robot_is_seen_along_its_normal_and_its_forearm_is_drawn() -> None:
    robot = symoro.load("planar2r")
    shape = skeleton(robot, [0.3, 0.5])
    assert plane_normal(robot, shape) == 2
    assert plane_normal(symoro.load("scara"), skeleton(symoro.load("scara"))) is None
    (forearm,) = shape.ends.values()
    assert np.allclose(forearm[0], shape.poses[2][:3, 3])
    assert np.linalg.norm(forearm[1] - forearm[0]) > 0.1


def test_frames_have_their_names() -> None:
    texts = {text.get_text() for text in symoro.draw("rx90").axes[0].texts}
    assert {"0", *(frame.name for frame in symoro.load("rx90").frames)} <= texts


def test_curves_of_joints_with_long_names_fit_beside_their_legend() -> None:
    t = np.linspace(0, 1, 20)
    names = [f"left_shoulder_pan_joint_number_{k}" for k in range(6)]
    figure = curves(t, {"position (rad)": np.sin(np.outer(t, range(6)))}, names, title="Six joints")
    assert cut_off(figure) == []
    legend, axes = figure.legends[0], figure.axes[0]
    assert legend.get_window_extent().x0 >= axes.get_window_extent().x1


@pytest.mark.parametrize("count", [1, 20, 100])
def test_legends_of_many_joints_are_not_cut_off(count: int) -> None:
    names = [f"joint_of_a_snake_{k}" for k in range(count)]
    assert cut_off(curves(np.arange(2.0), {"position (rad)": np.ones((2, count))}, names)) == []


def test_pictures_of_an_identification_have_units_and_their_legend_beside_the_panels() -> None:
    robot = named(symoro.load("scara"), _LONG)
    t = np.arange(0, 1, 0.01)
    q = np.sin(np.outer(t, [5, 7, 9, 11])) * [1, 1, 1, 0.1]
    tau = np.cos(np.outer(t, [5, 7, 9, 11]))
    figure = symoro.identify(robot, {"t": t, "q": q, "tau": tau}).plot()
    assert cut_off(figure) == []
    assert [axes.get_ylabel() for axes in figure.axes] == ["N·m", "N·m", "N·m", "N"]
    assert figure.legends[0].get_window_extent().y1 <= figure.axes[-1].get_window_extent().y0


def test_legends_of_workspaces_hide_no_pose() -> None:
    grid = np.linspace(-1.2, 1.2, 5)
    figure = symoro.workspace("planar2r", x=grid, y=grid, link="tip").draw()
    assert cut_off(figure) == []
    assert figure.legends[0].get_window_extent().y1 <= figure.axes[0].get_window_extent().y0


def test_curves_have_units() -> None:
    law = symoro.computed_torque("scara", frequency=10)
    path = symoro.trajectory([0] * 4, [0.5, 0.5, 0.5, 0.1], duration=0.05)
    run = symoro.simulate("scara", law, path, period=0.01)
    assert [axes.get_ylabel() for axes in run.plot().axes] == [
        "position (rad or m)",
        "error (rad or m)",
        "torque (N·m or N)",
    ]
    assert all("(" in axes.get_ylabel() for axes in path.plot().axes)
