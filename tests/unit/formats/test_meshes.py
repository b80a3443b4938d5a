"""Meshes: their mass is that of MuJoCo, their triangles are those of the loader that Pinocchio uses."""

from __future__ import annotations

from pathlib import Path

import coal
import mujoco
import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.raised import raised
from support.robot_files import URDF
from symoro.errors import FormatError
from symoro.formats import mjcf
from symoro.formats.mesh import MeshError
from symoro.formats.mesh.triangles import TriangleMesh, read
from symoro.robot.values import evaluate

Array = np.ndarray
SIDES = np.array([[0, 0], [0.3, 0], [0.3, 0.1], [0.1, 0.1], [0.1, 0.2], [0, 0.2]])
TOP = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]


def prism() -> TriangleMesh:
    """A prism over the letter L, which is not convex, away from the origin."""
    points = np.vstack([np.c_[SIDES, np.full(6, z)] for z in (0, 0.137)]) + np.array([0.11, -0.23, 0.31])
    faces = [(a, c, b) for a, b, c in TOP] + [(a + 6, b + 6, c + 6) for a, b, c in TOP]
    for i in range(6):
        j = (i + 1) % 6
        faces += [(i, j, j + 6), (i, j + 6, i + 6)]
    return TriangleMesh(points.astype(np.float32).astype(float), np.array(faces))


def stl(mesh: TriangleMesh) -> bytes:
    facets = [np.r_[np.zeros(3), corners.ravel()].astype("<f4").tobytes() + b"\0\0" for corners in mesh.corners]
    return b"\0" * 80 + len(facets).to_bytes(4, "little") + b"".join(facets)


def obj(mesh: TriangleMesh) -> bytes:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.points.tolist()]
    faces = mesh.faces[:8]
    lines += ["f " + " ".join(f"{k + 1}" for k in face) for face in faces]
    lines += ["f " + " ".join(str(k - len(mesh.points)) for k in (i, j, j + 6, i + 6)) for i, j in _around()]
    return "\n".join(["# a comment", *lines]).encode()


def _around() -> list[tuple[int, int]]:
    return [(i, (i + 1) % 6) for i in range(6)]


def msh(mesh: TriangleMesh) -> bytes:
    head = np.array([len(mesh.points), 0, 0, len(mesh.faces)], dtype="<i4").tobytes()
    return head + mesh.points.astype("<f4").tobytes() + mesh.faces.astype("<i4").tobytes()


FILES = {"l.stl": stl, "l.obj": obj, "l.msh": msh}
GEOM = '<geom type="mesh" mesh="l" pos="0.1 0.2 0.3" euler="10 20 30" {more}/>'
MODEL = """<mujoco><compiler {compiler}/><default><mesh {mesh}/></default><asset><mesh name="l" {given}/></asset>
<worldbody><body><joint axis="0 1 0.3" pos="0.2 0 0"/>{geom}</body></worldbody></mujoco>"""
WRITTEN = 'vertex="{}" face="{}"'.format(*(" ".join(map(repr, part.ravel().tolist())) for part in (
    prism().points, prism().faces)))  # fmt: skip


def same(text: str, file: Path, tolerance: float = 1e-11) -> None:
    """The mass of the body, its first moments and its inertia are those that MuJoCo compiles."""
    file.write_text(text, encoding="utf-8")
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc[:] = 0.4, 0.3, 0.7
    mujoco.mj_inverse(model, data)
    robot = mjcf.read_text(text, "l", str(file)).robot
    assert_close(evaluate(robot.inertia(1).M, {}), model.body_mass[1], 1e-12)
    assert_close(symoro.inverse_dynamics(robot).compile()([0.4], [0.3], [0.7]), data.qfrc_inverse, tolerance)


@pytest.mark.parametrize("way", ["legacy", "exact"])
@pytest.mark.parametrize("seed", range(4))
def test_quadrilaterals_that_are_not_plane_are_split_as_mujoco_splits_them(seed: int, way: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    cube = np.array([[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))])
    points = cube + (rng.uniform(-0.2, 0.2, cube.shape) if seed else 0)  # seed 0: diagonals of the same length
    faces = [(4, 3, 2, 1), (5, 6, 7, 8), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8)]
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()] + [f"f {a} {b} {c} {d}" for a, b, c, d in faces]
    (tmp_path / "l.obj").write_text("\n".join(lines), encoding="utf-8")
    text = MODEL.format(compiler="", mesh=f'inertia="{way}"', given='file="l.obj"', geom=GEOM.format(more=""))
    same(text, tmp_path / "l.xml", tolerance=1e-9)  # MuJoCo's principal axes have ten digits here


def uneven_prism(rng: np.random.Generator, corners: int, star: bool) -> list[str]:
    """The lines of an OBJ file: a prism somewhere in space, whose two polygons are not plane, and may be stars."""
    angles, radii = 2 * np.pi * np.arange(corners) / corners, np.ones(corners)
    radii[1::2] = 0.4 if star else 1
    side = np.c_[radii * np.cos(angles), radii * np.sin(angles), np.zeros(corners)]
    points = np.vstack([side, side + np.array([0, 0, 0.7])]) + rng.uniform(-0.1, 0.1, (2 * corners, 3))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    points = points @ (turn * np.sign(np.linalg.det(turn))) + rng.uniform(-1, 1, 3)
    faces = [[*range(corners, 0, -1)], [*range(corners + 1, 2 * corners + 1)]]
    faces += [[k, k % corners + 1, k % corners + 1 + corners, k + corners] for k in range(1, corners + 1)]
    return [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()] + ["f " + " ".join(map(str, f)) for f in faces]


@pytest.mark.parametrize("points_first", [True, False])
@pytest.mark.parametrize(("corners", "star"), [(5, False), (6, True), (7, False), (8, True), (11, False), (14, True)])
def test_polygons_that_are_not_plane_are_split_as_mujoco_splits_them(
    corners: int, star: bool, points_first: bool, tmp_path: Path
) -> None:
    lines = uneven_prism(np.random.default_rng(corners), corners, star)
    (tmp_path / "l.obj").write_text("\n".join(lines if points_first else lines[2 * corners :] + lines[: 2 * corners]))
    text = MODEL.format(compiler="", mesh='inertia="exact"', given='file="l.obj"', geom=GEOM.format(more=""))
    same(text, tmp_path / "l.xml", tolerance=1e-7)  # MuJoCo's principal axes have eight digits here


@pytest.mark.parametrize("way", ["legacy", "convex", "exact", "shell"])
@pytest.mark.parametrize("mesh", ["", 'scale="2 0.5 -1.5" refpos="0.1 0 0.2" refquat="0.8 0.6 0 0"'])
def test_the_mass_of_a_mesh_is_mujocos(way: str, mesh: str, tmp_path: Path) -> None:
    geom = GEOM.format(more='density="700"')
    given = f"{WRITTEN} {mesh}"
    same(MODEL.format(compiler="", mesh=f'inertia="{way}"', given=given, geom=geom), tmp_path / "l.xml")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("compiler", ['meshdir="parts"', 'assetdir="parts" strippath="true"'])
def test_files_of_meshes(name: str, compiler: str, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / name).write_bytes(FILES[name](prism()))
    given = f'file="{name}"' if "strip" not in compiler else f'file="elsewhere/{name}"'
    geom = GEOM.format(more='mass="3"')
    same(MODEL.format(compiler=compiler, mesh="", given=given, geom=geom), tmp_path / "l.xml")


@pytest.mark.parametrize("folder", ["", "parts", "parts/inner"])
def test_a_mesh_of_an_included_file_is_in_its_folder_or_in_that_of_the_model(folder: str, tmp_path: Path) -> None:
    (tmp_path / "parts" / "inner").mkdir(parents=True)
    (tmp_path / folder / "l.stl").write_bytes(stl(prism()))
    compiler = '<compiler meshdir="parts"/>' if folder == "parts" else ""
    asset = '<mujoco><asset><mesh name="l" file="l.stl"/></asset></mujoco>'
    (tmp_path / "parts" / "inner" / "asset.xml").write_text(asset, encoding="utf-8")
    body = f'<worldbody><body><joint axis="0 1 0.3" pos="0.2 0 0"/>{GEOM.format(more="")}</body></worldbody>'
    same(f'<mujoco>{compiler}<include file="parts/inner/asset.xml"/>{body}</mujoco>', tmp_path / "l.xml")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ('file="missing.stl"', "no such file"),
        ('file="../outside.stl"', "outside the folders that may be read"),
        ('file="broken.stl"', "neither a binary nor a text file of STL"),
        ('file="broken.msh"', "do not fit its size"),
        ('file="broken.obj"', "a triangle has a point that does not exist"),
        ('file="infinite.obj"', "their coordinates are no numbers"),
        ('file="broken.ply"', "this format of meshes is not read (allowed: .stl, .obj, .msh, .dae)"),
        ('vertex="0 0 0 1 0 0 0 1"', "three numbers for each point"),
        ('vertex="0 0 0 1 0 0 0 1 0"', "no convex hull with a volume"),
        (WRITTEN + ' inertia="thick"', "inertia = 'thick' (allowed: legacy, convex, exact, shell)"),
        ("", "it has neither a file nor points"),
        (WRITTEN + ' inertia="convex" maxhullvert="6"', "its convex hull has more than 6 points"),
    ],
)
def test_a_mesh_that_cannot_be_read_says_why(given: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside.stl").write_bytes(stl(prism()))
    (tmp_path / "inside" / "broken.stl").write_bytes(b"nonsense")
    (tmp_path / "inside" / "broken.msh").write_bytes(b"\xff" * 40)
    (tmp_path / "inside" / "broken.obj").write_text("v 0 0 0\nf 1 2 3\n", encoding="utf-8")
    infinite = "v inf 0 0\nv 1 0 0\nv 2 2 0\nv 1 3 1e39\nv 0 1 0\nf 1 2 3 4 5\n"
    (tmp_path / "inside" / "infinite.obj").write_text(infinite, encoding="utf-8")
    (tmp_path / "inside" / "broken.ply").write_text("ply", encoding="utf-8")
    text = MODEL.format(compiler="", mesh="", given=given, geom=GEOM.format(more=""))
    with pytest.raises(FormatError) as error:
        mjcf.read_text(text, "l", str(tmp_path / "inside" / "l.xml"))
    assert message in str(error.value)


def test_a_mesh_of_no_mass_is_not_opened(tmp_path: Path) -> None:
    geom = GEOM.format(more='mass="0"') + '<geom size="0.1"/>'
    text = MODEL.format(compiler="", mesh="", given='file="missing.stl"', geom=geom)
    assert mjcf.read_text(text, "l", str(tmp_path / "l.xml")).robot.link_count == 1


MESHES = {
    "dae": "panda_description/meshes/visual/link3.dae",
    "dae of an arm": "ur_description/meshes/ur5/visual/forearm.dae",
    "stl": "ur_description/meshes/ur5/collision/forearm.stl",
    "obj": "laikago_description/meshes/thigh.obj",
}


def size(corners: Array) -> tuple[Array, Array, float]:
    """The smallest box, and the area of all triangles."""
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum() / 2
    return corners.min(axis=(0, 1)), corners.max(axis=(0, 1)), float(area)


@pytest.mark.parametrize("name", MESHES)
def test_the_triangles_of_a_file_are_those_of_another_loader(name: str) -> None:
    path = next(iter(URDF.values())).parents[2] / MESHES[name]
    peer = coal.MeshLoader().load(str(path), np.ones(3))
    faces = np.array([[t[0], t[1], t[2]] for t in (peer.tri_indices(k) for k in range(peer.num_tris))])
    for found, expected in zip(size(read(path).corners), size(peer.vertices()[faces]), strict=True):
        assert_close(found, expected, 1e-6)


def test_a_collada_file_without_triangles_is_refused(tmp_path: Path) -> None:
    for text in ("<COLLADA/>", "<COLLADA>", '<!DOCTYPE a [<!ENTITY x "y">]><COLLADA/>', ""):
        (tmp_path / "x.dae").write_text(text, encoding="utf-8")
        with raised("files.key", MeshError, key="x.dae"):
            read(tmp_path / "x.dae")
