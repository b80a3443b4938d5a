"""Moving pictures of simulations: read back by Pillow, ffmpeg and Node, which we did not write."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from imageio_ffmpeg import count_frames_and_secs
from PIL import Image

import symoro
from support.close import assert_close
from symoro.motion.simulation import Simulation
from symoro.report.frames import frames


@cache
def swing() -> Simulation:
    return symoro.simulate("planar2r", duration=0.5, q0=[0.3, 0.4])


def data(path: Path) -> Any:
    found = re.search(r"const film = (.*);\n", path.read_text(encoding="utf-8"))
    assert found
    return json.loads(found[1])


@pytest.mark.long
def test_a_gif_has_a_picture_for_each_instant(tmp_path: Path) -> None:
    with Image.open(symoro.animate(swing(), tmp_path / "run.gif", rate=20.0)) as picture:
        assert picture.n_frames == 11
        assert picture.info["duration"] == 50
        first = np.asarray(picture.convert("L"))
        picture.seek(10)
        assert (first != np.asarray(picture.convert("L"))).any()


@pytest.mark.long
def test_a_film_takes_as_long_as_the_motion_by_its_speed(tmp_path: Path) -> None:
    frames, seconds = count_frames_and_secs(symoro.animate(swing(), tmp_path / "run.mp4", rate=20.0, speed=0.5))
    assert frames == 21
    assert_close(seconds, 21 / 20, 1e-6)


def test_a_page_needs_nothing_else_and_shows_where_the_links_are(tmp_path: Path) -> None:
    """The end of the last line is the origin of frame 2: by the closed form of a planar arm."""
    s = swing()
    page = symoro.animate(s, tmp_path / "run.html", rate=20.0)
    film, length = data(page), s.robot.values.numbers()["L1"]
    assert not re.search(r"https?:|src=|import ", page.read_text(encoding="utf-8"))
    rows = np.searchsorted(s.t, film["times"])
    ends = np.array(film["links"][1]["points"])[:, -1]
    expected = length * np.column_stack([np.cos(s.q[rows, 0]), np.sin(s.q[rows, 0]), 0 * s.q[rows, 0]])
    assert_close(ends, expected, 1e-5)
    script = page.read_text(encoding="utf-8").split("<script>")[1].split("</script>")[0]
    (tmp_path / "script.js").write_text(script, encoding="utf-8")
    subprocess.run(["node", "--check", tmp_path / "script.js"], check=True)


def test_a_base_that_moves_carries_its_links(tmp_path: Path) -> None:
    s = symoro.simulate("satellite", duration=0.4, V0=[0.5, 0, 0, 0, 0, 2.0], period=0.01)
    film = data(symoro.animate(s, tmp_path / "run.html", rate=10.0))
    rows = np.searchsorted(s.t, np.array(film["times"]) - 1e-9)
    turned = [pin.Quaternion(*x[[3, 0, 1, 2]]).matrix() for x in s.part("quat")[rows]]
    starts = np.array(film["links"][0]["points"])[:, 0]
    assert_close(starts, s.part("position")[rows], 1e-5)
    tip = symoro.forward_geometry("satellite", 3).compile()(s.q[rows])[:, :3, 3]
    expected = s.part("position")[rows] + np.einsum("tij,tj->ti", turned, tip)
    assert_close(np.array(film["links"][2]["points"])[:, -1], expected, 1e-5)


@pytest.mark.parametrize(
    ("file", "given", "message"),
    [
        ("run.avi", {}, r"'.avi' is not an animation \(allowed: .gif, .mp4, .html\)"),
        ("run", {}, "'no suffix' is not an animation"),
        ("run.html", {"rate": 0.0}, "rate = 0.0 is not allowed"),
        ("run.html", {"speed": float("nan")}, "speed = nan is not allowed"),
        ("run.gif", {"rate": 1e5}, "the animation would have 50001 pictures"),
    ],
)
def test_what_is_refused(file: str, given: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(symoro.SymoroError, match=message):
        symoro.animate(swing(), tmp_path / file, **given)
    assert not list(tmp_path.iterdir())


def test_a_batch_is_refused(tmp_path: Path) -> None:
    many = symoro.simulate("planar2r", duration=0.01, q0=np.zeros((2, 2)))
    with pytest.raises(symoro.SymoroError, match="an animation shows one run"):
        symoro.animate(many, tmp_path / "run.html")


def test_frames_of_a_run_are_plain_data() -> None:
    """The poses of links are those of forward geometry, the rows those of the run."""
    control = symoro.computed_torque("planar2r")
    s = symoro.simulate("planar2r", control, symoro.trajectory([0.3, 0.4], [1.0, 0.2], duration=0.5))
    found = json.loads(json.dumps(frames(s, rate=20.0)))
    assert_close(found["times"], np.arange(11) / 20, 1e-12)
    rows = np.rint(np.array(found["times"]) * 1000).astype(int)
    for name in ("q", "qd", "tau", "error"):
        assert_close(found[name], getattr(s, name)[rows], 1e-12)
    poses = np.array(found["poses"]["2"]).reshape(-1, 4, 4)
    assert_close(poses, symoro.forward_geometry("planar2r", 2).compile()(s.q[rows]), 1e-12)
    assert set(found["poses"]) == {"0", "1", "2"}
    with pytest.raises(symoro.SymoroError, match="rate = 0 is not allowed"):
        frames(s, rate=0)


@pytest.mark.long
def test_the_frames_of_legs_end_on_the_platform(tmp_path: Path) -> None:
    """The last frame of each leg of this robot is at its attachment, 0.4 m from the platform's origin."""
    s = symoro.simulate("3rps", duration=0.1, V0=[0, 0, 0.2, 0, 0, 0])
    found = frames(s, rate=20.0)
    T = np.array(found["poses"]["platform"]).reshape(-1, 4, 4)
    assert_close(T, s.T[[0, 50, 100]], 1e-12)
    for leg in range(3):
        end = np.array(found["poses"][str(2 * leg + 2)]).reshape(-1, 4, 4)
        angle = 2 * np.pi * leg / 3
        b = 0.4 * np.array([np.cos(angle), np.sin(angle), 0.0])
        assert_close(end[:, :3, 3], T[:, :3, :3] @ b + T[:, :3, 3], 1e-9)
    film = data(symoro.animate(s, tmp_path / "run.html", rate=20.0))
    assert len(film["links"]) == 6 + 3  # and a line from each leg to the platform
