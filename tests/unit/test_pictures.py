"""Pictures of robots and curves: nothing is cut off, planar robots are seen along their normal, frames have names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import symoro
from symoro.figures import curves
from symoro.report.skeleton import plane_normal, skeleton


def cut_off(figure: Any) -> list[str]:
    """The texts of a figure that are not wholly in it."""
    FigureCanvasAgg(figure).draw()
    renderer = figure.canvas.get_renderer()
    width, height = figure.bbox.width, figure.bbox.height
    texts = [label for axes in figure.axes for label in (axes.title, axes.xaxis.label, axes.yaxis.label)]
    texts += [axes.zaxis.label for axes in figure.axes if hasattr(axes, "zaxis")]
    texts = [t for t in (*texts, *(t for legend in figure.legends for t in legend.get_texts())) if t.get_text()]
    boxes = [(t.get_text(), t.get_window_extent(renderer)) for t in texts]
    return [text for text, b in boxes if b.x0 < -1 or b.y0 < -1 or b.x1 > width + 1 or b.y1 > height + 1]


@pytest.mark.parametrize("name", ["rx90", "planar2r", "four-bar", "panda", "delta", "planar-3rrr", "diff-drive-2r"])
def test_no_label_of_a_picture_is_cut_off(name: str) -> None:
    assert cut_off(symoro.draw(name, shapes=False)) == []


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
