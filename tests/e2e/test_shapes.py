"""Visuals of URDF files: pictures show them at their places, and rewritten files keep them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.robot_files import URDF, XACRO, packages
from support.written_urdf import joint, robot
from symoro.cli import main
from symoro.formats import urdf
from symoro.formats.mesh.triangles import read
from symoro.report.skeleton import skeleton
from symoro.report.solids import solids

UR5 = URDF["ur_description/urdf/ur5_robot.urdf"]
VISUAL = '<visual><origin xyz="0 0 0.1" rpy="0 1.5707963267948966 0"/><geometry>{}</geometry>{}</visual>'
RED = '<material name="red"><color rgba="1 0 0 1"/></material>'


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return int(ended.value.code or 0)


def two_links(*inside: str, more: str = "") -> str:
    shown = "".join(inside)
    return robot('<link name="a"/>', f'<link name="b">{shown}</link>', joint("j", "a", "b", "0 0 1"), more)


def box(corners: np.ndarray) -> np.ndarray:
    return np.array([corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)])


def test_meshes_are_where_pinocchio_places_them() -> None:
    """The box about each visual; the picture's points are on a grid of 1/120 of the mesh."""
    made = symoro.load(UR5)
    q = np.random.default_rng(0).uniform(-1, 1, 6)
    drawn = solids(made, skeleton(made, q).named)
    model = pin.buildModelFromUrdf(str(UR5))
    shapes = pin.buildGeomFromUrdf(model, str(UR5), pin.GeometryType.VISUAL, package_dirs=[str(UR5.parents[4])])
    places = shapes.createData()
    pin.updateGeometryPlacements(model, model.createData(), shapes, places, q)
    assert (len(drawn.drawn), drawn.missing) == (shapes.ngeoms, ())
    found = [box(one.corners) for one in drawn.drawn]
    for k, shape in enumerate(shapes.geometryObjects):
        corners = read(Path(shape.meshPath)).corners * shape.meshScale
        T = places.oMg[k].homogeneous
        expected = box(corners @ T[:3, :3].T + T[:3, 3])
        size = np.ptp(corners, axis=(0, 1)).max()
        assert min(np.abs(one - expected).max() for one in found) < 1.8 * size / 240, shape.name


@pytest.mark.parametrize(
    ("geometry", "size"),
    [
        ('<box size="0.2 0.4 0.6"/>', (0.6, 0.4, 0.2)),
        ('<cylinder radius="0.1" length="0.5"/>', (0.5, 0.2, 0.2)),
        ('<sphere radius="0.3"/>', (0.6, 0.6, 0.6)),
        ('<capsule radius="0.1" length="0.4"/>', (0.6, 0.2, 0.2)),
    ],
)
def test_solids(geometry: str, size: tuple[float, ...]) -> None:
    text = two_links(VISUAL.format(geometry, '<material name="red"/>'), more=RED)
    made = urdf.read_text(text, "r").robot
    (one,) = solids(made, skeleton(made).named).drawn
    assert np.ptp(one.corners, axis=(0, 1)) == pytest.approx(size, rel=1e-2)
    assert box(one.corners).mean(axis=0) == pytest.approx([0, 0, 1.1], abs=1e-12)
    assert one.colour == (1, 0, 0, 1)


def test_a_picture_with_meshes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = URDF["finger_edu_description/robots/finger_edu.urdf"]
    for name, more in (("full.png", []), ("lines.png", ["--skeleton"]), ("full.svg", [])):
        assert run("view", str(path), "--out", str(tmp_path / name), "--json", *more) == 0
        assert json.loads(capsys.readouterr().out)["missing"] == []
    assert (tmp_path / "full.png").stat().st_size > 1.2 * (tmp_path / "lines.png").stat().st_size
    assert "<image" in (tmp_path / "full.svg").read_text(encoding="utf-8")  # the meshes are pixels
    assert symoro.load(path).plot([0.1, 0.2, 0.3], shapes=False).axes


@pytest.mark.parametrize(
    ("mesh", "message"),
    [
        ("package://nowhere/a.stl", "package 'nowhere' is not found"),
        ("../outside.stl", "outside the folders that may be read"),
        ("file:" + "///etc/passwd", "outside the folders that may be read"),
        ("missing.stl", "no such file"),
        ("", "a mesh has no filename"),
    ],
)
def test_a_mesh_that_is_not_found_is_listed(
    mesh: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "outside.stl").write_bytes(b"")
    arm = tmp_path / "in" / "arm.urdf"
    arm.write_text(two_links(VISUAL.format(f'<mesh filename="{mesh}"/>', "")), encoding="utf-8")
    assert run("view", str(arm), "--out", str(tmp_path / "arm.svg"), "--json") == 0
    out = capsys.readouterr()
    assert message in json.loads(out.out)["missing"][0]
    assert "not drawn" in out.err
    assert "1 meshes are not drawn" in (tmp_path / "arm.svg").read_text(encoding="utf-8")


def test_a_mesh_of_a_package_that_is_given(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "in").mkdir()
    (tmp_path / "parts" / "l.stl").write_bytes(b"\0" * 80 + (1).to_bytes(4, "little") + b"\0" * 50)
    arm = tmp_path / "in" / "arm.urdf"
    arm.write_text(two_links(VISUAL.format('<mesh filename="model://my_parts/l.stl"/>', "")), encoding="utf-8")
    made = symoro.load(arm)
    assert solids(made, skeleton(made).named).missing
    assert not solids(made, skeleton(made).named, packages={"my_parts": tmp_path / "parts"}).missing


@pytest.mark.parametrize("visual", ["<visual/>", VISUAL.format("<cone/>", ""), VISUAL.format('<box size="a"/>', "")])
def test_visuals_that_are_none_are_left_out(visual: str) -> None:
    made = urdf.read_text(two_links(visual), "r").robot
    assert solids(made, skeleton(made).named).drawn == ()


def test_a_xacro_file_written_as_urdf_keeps_its_shapes(tmp_path: Path) -> None:
    path = XACRO["xacro/trossen_descriptions/urdf/px100.urdf.xacro"]
    made = symoro.load(path, packages=packages())
    symoro.write(made, tmp_path / "px100.urdf")
    again = symoro.load(tmp_path / "px100.urdf")
    first, second = (sorted((shape.frame, shape.text) for shape in one.shapes) for one in (made, again))
    assert first == second
    assert sum("<visual" in shape.text for shape in again.shapes) == 9
    symoro.write(made, tmp_path / "px100.toml")
    symoro.write(symoro.load(tmp_path / "px100.toml"), tmp_path / "new.urdf", shapes_of=tmp_path / "px100.urdf")
    assert len(symoro.load(tmp_path / "new.urdf").shapes) == len(made.shapes)


def test_what_other_formats_lose_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("convert", str(UR5), str(tmp_path / "ur5.xml"), "--json") == 0
    assert "visuals and collisions" in json.loads(capsys.readouterr().out)["lost"]
