"""symoro ik: the joint positions that give a pose."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from symoro.cli.arguments import Json, RobotName, bad_usage, numbers, positions
from symoro.cli.flags import with_flags
from symoro.cli.options import frame
from symoro.cli.output import Table, note, progress, show_json, show_table
from symoro.errors import SymoroError
from symoro.findings import Finding
from symoro.formats import load
from symoro.model import Model
from symoro.models.geometric.inverse.branches import CERTIFIED
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.solve.branches import Branches, Status
from symoro.solve.general.robot import GeneralDriver, NumericDriver
from symoro.solve.given import model
from symoro.solve.ways import INVERSE_GEOMETRY, inverse_geometry


@with_flags(INVERSE_GEOMETRY, without=["redundant"])
def command(
    robot: RobotName,
    pose: Annotated[
        str | None,
        typer.Option(
            "--pose",
            "-p",
            metavar="T11,T12,…",
            help="The pose, 12 or 16 numbers row by row, or the position: x,y or x,y,z.",
        ),
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="Q1,Q2,…", help="The pose that these joint positions give.")
    ] = None,
    redundant: Annotated[
        str | None,
        typer.Option(
            "--given", metavar="3=0.5,…", help="Given joints, by number or name, or the arm angle of a 7R arm: arm=0.5."
        ),
    ] = None,
    nearest: Annotated[
        str | None, typer.Option("--nearest", metavar="Q1,Q2,…", help="Sort the branches from these positions on.")
    ] = None,
    limits: Annotated[bool, typer.Option("--limits", help="Only branches inside the joint limits.")] = False,
    nearest_rotation: Annotated[
        bool, typer.Option("--nearest-rotation", help="Take the nearest rotation: for rounded numbers.")
    ] = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Find all joint positions that give a pose; without a pose, show how they are derived.

    Angles are in radians, lengths in the unit of the robot. The exit status is 1 if there is no solution.

    Examples:

      symoro ik ur5

      symoro ik puma560 --at 0.1,0.2,0.3,0.4,0.5,0.6

      symoro ik scara --pose 1,0,0,0.4,0,1,0,0.2,0,0,1,-0.1 --json

      symoro ik puma560 --link 4 --given 4=0 --pose 0.4,0.3,0.2
    """
    described = load(robot)
    if described.platforms:
        others = {"--at": at, **{f"--{name}": options.get(name) for name in ("link", "task")}, "--given": redundant}
        if unused := [name for name, word in others.items() if word is not None]:
            raise bad_usage(unused[0], "commands.pose_of_platform", robot=described.name)
        _platform(described, pose, nearest, limits, json)
        return
    fixed = _redundant(described, redundant)
    wanted: Any = None if pose is None else _pose(pose, (2, 3, 12, 16))
    if pose is not None and at is not None:
        raise bad_usage("--pose", "commands.pose_or_at")
    with progress(f"inverse geometry of {described.name}"):
        if np.ndim(wanted) == 1:
            options = {"task": "position"} | options
        ik = inverse_geometry(described, **options, redundant={j: "psi" if j == "arm" else f"q{j}" for j in fixed})
    if pose is None and at is None:
        _show_derivation(ik, json)
        return
    T = wanted if at is None else _reached(ik, at, options.get("link"))
    near = None if nearest is None else positions(nearest, "--nearest", _joints(ik))
    r = list(fixed.values()) if fixed else None
    branches = ik.compile("numpy")(T, r, nearest_rotation=nearest_rotation, nearest=near, limits=limits)
    problem = None
    if not branches.valid.any():
        problem = Finding("commands.no_branch", robot=described.name, reason=_why(branches, T))
    _show(ik, branches, json, problem)
    _end(problem, json)


def _end(problem: Finding | None, json: bool) -> None:
    """The exit status 1 where there is a problem; with --json it is in the one document that was printed."""
    if problem and json:
        note(problem)
        raise typer.Exit(1)
    if problem:
        raise SymoroError(problem)


def _why(branches: Branches, T: Any) -> Finding:
    """Why a pose has no branch, and what to do about it."""
    if branches.status is Status.INVALID:
        return Finding("commands.invalid_pose")
    if branches.distance < CERTIFIED:
        return Finding("commands.outside_limits")
    far = np.abs(T[:3, :3].T @ T[:3, :3] - np.eye(3)).max() if np.ndim(T) == 2 else 0.0
    away = Finding("commands.away", distance=float(branches.distance)) if np.isfinite(branches.distance) else ""
    rounded = Finding("commands.rounded", far=float(far)) if far > CERTIFIED else ""
    return Finding("commands.unreachable", away=away, rounded=rounded)


def _platform(robot: Robot, pose: str | None, nearest: str | None, limits: bool, json: bool) -> None:
    """The motors of a parallel robot for a pose of its platform; branches of legs with the same motors share a row."""
    with progress(f"inverse geometry of {robot.name}"):
        ik = inverse_geometry(robot)
    if pose is None:
        print(f"{robot.title or robot.name}: {ik.branches} branches of a leg at most, {ik.ops}")
        return
    motors = [robot.legs[i].joint(j) for i, j in robot.motors]
    near = None if nearest is None else positions(nearest, "--nearest", motors)
    branches = ik.compile("numpy")(_pose(pose, (12, 16)), nearest=near, limits=limits)
    names = [str(joint.variable) for joint in motors]
    rows, problem = _distinct(branches.q), None
    if branches.status in (Status.UNREACHABLE, Status.INVALID):
        problem = Finding("commands.pose_status", robot=robot.name, status=str(branches.status))
    elif not np.isfinite(branches.q).any(axis=0).all():
        problem = Finding("commands.no_leg_branch", robot=robot.name)
    if json:
        listed = [
            {**dict(zip(names, [float(x) if np.isfinite(x) else None for x in row], strict=True)), "branches": numbers}
            for row, numbers in rows
        ]
        error = {"error": str(problem)} if problem else {}
        show_json({"robot": robot.name, "status": str(branches.status), **error, "solutions": listed})
    elif rows:
        title = f"Motors of {robot.title or robot.name}, by branches of the legs ({branches.status})"
        cells = [[", ".join(map(str, b)), *(f"{x:.6f}" if np.isfinite(x) else "-" for x in row)] for row, b in rows]
        show_table(Table(title, ["branch", *names], cells, frozenset(names)))
    _end(problem, json)


def _distinct(q: Any) -> list[tuple[Any, list[int]]]:
    """Positions of motors, each with the branches of the legs that have it: they differ in passive joints only."""
    rows: list[tuple[Any, list[int]]] = []
    for branch, row in enumerate(q):
        known = [branches for other, branches in rows if np.allclose(row, other, rtol=0, atol=1e-9, equal_nan=True)]
        if known:
            known[0].append(branch)
        elif np.isfinite(row).any():
            rows.append((row, [branch]))
    return rows


def _redundant(robot: Robot, text: str | None) -> dict[int | str, float]:
    """The positions of joints by number or name, or the arm angle."""
    try:
        pairs = [part.split("=") for part in text.split(",")] if text else []
        if not all(np.isfinite(float(value)) for _, value in pairs):
            raise ValueError(text)
        named = {joint.name for joint in robot.joints}
        joints = [
            j if j == "arm" and j not in named else robot.joint(frame(j)).index for j in (j.strip() for j, _ in pairs)
        ]
        if len(set(joints)) < len(joints):
            raise bad_usage("--given", "commands.joint_twice", value=repr(text))
        return {j: float(value) for j, (_, value) in zip(joints, pairs, strict=True)}
    except ValueError:
        names = [joint.name for joint in robot.joints]
        raise bad_usage("--given", "commands.joint_position", value=repr(text), names=names) from None


def _pose(pose: str, allowed: tuple[int, ...]) -> Any:
    """The pose that numbers give, row by row, or a point."""
    listed = numbers(pose, "--pose")
    if len(listed) not in allowed:
        *others, last = allowed
        raise bad_usage("--pose", "commands.count_of_pose", count=len(listed), allowed=others, last=last)
    return np.array(listed) if len(listed) < 12 else np.array([*listed, 0, 0, 0, 1][:16]).reshape(4, 4)


def _reached(ik: Model, at: str, link: Any) -> Any:
    """The pose that positions of the joints of the answer give; other joints do not move the frame."""
    variables = [joint.index for joint in ik.robot.joints if joint.variable]
    q = np.zeros(len(variables))
    q[[variables.index(j) for j in ik.joints]] = positions(at, "--at", _joints(ik))
    return model("forward_geometry", ik.robot, **({} if link is None else {"link": link})).compile("numpy")(q)


def _joints(ik: Model) -> list[Joint]:
    return [ik.robot.joint(j) for j in ik.joints]


def _names(ik: Model) -> list[str]:
    return [str(joint.variable) for joint in _joints(ik)]


def _show(ik: Model, branches: Branches, json: bool, problem: Finding | None) -> None:
    names, rows = _names(ik), branches.q[branches.valid]
    free = [name for name, yes in zip(names, branches.free, strict=True) if yes]
    if json:
        listed = [dict(zip(names, map(float, row), strict=True)) for row in rows]
        parts = {"robot": ik.robot.name, "method": ik.method, "task": ik.task, "status": str(branches.status)}
        distance = float(branches.distance) if np.isfinite(branches.distance) else None
        error = {"error": str(problem)} if problem else {}
        show_json({**parts, **error, "free": free, "distance": distance, "solutions": listed})
        return
    if branches.status is Status.CONTINUUM:
        print(f"a continuum: {', '.join(free)} can be chosen; one member of each set is shown")
    title = f"{len(rows)} solution{'s' * (len(rows) != 1)} of {ik.robot.title or ik.robot.name} ({branches.status})"
    show_table(Table(title, names, [[f"{x:.6f}" for x in row] for row in rows], frozenset(names)))


def _show_derivation(ik: Model, json: bool) -> None:
    if json:
        parts = {"robot": ik.robot.name, "method": ik.method, "task": ik.task, "branches": ik.branches}
        show_json({**parts, **ik.derivation.data()})
    else:
        by = ", by eigenvalues" if isinstance(ik.driver, GeneralDriver) else ""
        count = by if isinstance(ik.driver, NumericDriver) else f", {ik.ops}"
        print(f"{ik.robot.title or ik.robot.name}: {ik.branches} branches at most{count}")
        print(ik.derivation.text())
