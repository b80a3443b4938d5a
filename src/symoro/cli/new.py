"""symoro new: begin the description of a robot, with a template or a copy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from symoro.cli import completion
from symoro.cli.arguments import Json, bad_usage
from symoro.cli.output import show_json
from symoro.errors import SymoroError
from symoro.formats import FORMATS, load, save, toml
from symoro.formats._report import MAX_FRAMES
from symoro.robot._rules import has_control_character

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the robot; the file is NAME.toml.")]
Joints = Annotated[int | None, typer.Option("--joints", "-n", metavar="N", help="Number of joints; default: 2.")]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="ROBOT",
        help="Copy this robot instead of the template.",
        autocompletion=completion.robots,
    ),
]


def command(name: Name, joints: Joints = None, source: From = None, json: Json = False) -> None:
    """Write NAME.toml, a commented description to change, or a copy of a robot; a file that exists stays as it is.

    Examples:

      symoro new arm

      symoro new arm --joints 6

      symoro new my-puma --from puma560
    """
    path = _path(name)
    if source is not None and joints is not None:
        raise bad_usage("--joints", "commands.copy")
    count = 2 if joints is None else joints
    if not 1 <= count <= MAX_FRAMES:
        raise bad_usage("--joints", "commands.joint_count", count=count, most=MAX_FRAMES)
    text = template(path.stem, count) if source is None else toml.write_text(replace(load(source), name=path.stem))
    if path.exists():
        raise SymoroError("commands.new_exists", path=str(path))
    save(text, path)
    if json:
        show_json({"robot": path.stem, "file": str(path)})
    else:
        print(path)


def _path(name: str) -> Path:
    path = Path(name)
    stem = path.name.removesuffix(".toml")
    if not stem or name.endswith("/") or stem.startswith((".", "-")) or has_control_character(stem):
        raise bad_usage("NAME", "commands.robot_name", value=repr(name))
    if path.suffix.lower() in FORMATS.keys() - {".toml"}:
        raise bad_usage("NAME", "commands.not_toml", suffix=path.suffix)
    return path.with_name(f"{stem}.toml")


def template(name: str, joints: int) -> str:
    """A chain of revolute joints, every key of the format explained where it first occurs."""
    text = _HEAD.replace("NAME", name.replace("\\", "").replace('"', ""))
    text += "".join(_joint(j) for j in range(1, joints + 1))
    lengths = "".join(f"D{j} = 0.5\n" for j in range(2, joints + 1))
    return text + _TAIL.replace("<joints>", str(joints)) + lengths


def _joint(j: int) -> str:
    text = _FIRST if j == 1 else _OTHER
    return text.replace("<j>", str(j)).replace("<alpha>", '"pi/2"' if j == 2 else "0")


_HEAD = """\
# The description of a robot for symoro. All keys: docs/formats.md.
# A value is a number, a symbol or an expression: 0.4, "D2", "2*L1 + pi/2". Angles are in radians ("pi/2", not 90),
# lengths in metres, masses in kilograms. After a change:
#     symoro check NAME.toml
#     symoro show NAME.toml inverse_dynamics
format = 1
name = "NAME"
title = ""                              # for people
source = ""                             # where the numbers are from
gravity = [0, 0, "G3"]                  # acceleration of gravity in frame 0

# [base]
# kind = "floating"                     # fixed (default) | moving | floating | mobile (on wheels)
# inertia = "symbolic"                  # of a floating or mobile base
"""
_FIRST = """
[[joints]]                              # joint 1 with its frame and its link
name = "joint<j>"
kind = "revolute"                       # revolute | prismatic | fixed
parent = 0                              # the link before it, 0 is the base; default: the joint before
# The frame, seen from that of its parent: Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r).
alpha = 0
d = 0
theta = "q<j>"                            # of a revolute joint: its variable, with an offset such as "q<j> + pi/2"
r = 0                                   # of a prismatic joint: its variable
# gamma and b are needed where a link carries several joints.
# Inertia about the origin of the frame: the symbols XX<j> … M<j>, or {XX = 0.1, MX = 0.2, M = 3}; or by the centre of
# mass:
# inertia = {mass = 3, com = [0.1, 0, 0], tensor_at_com = [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}
inertia = "symbolic"
# drive = "symbolic"                    # rotor inertia and friction: IA<j> FV<j> FS<j>; or {IA = 0.1, FV = 2}
# wrench = "symbolic"                   # of the link on its environment: FX<j> … CZ<j>
# limits = {lower = -3.1, upper = 3.1, velocity = 2, effort = 100}
# actuated = false                      # a joint without a motor
"""
_OTHER = """
[[joints]]
name = "joint<j>"
kind = "revolute"
alpha = <alpha>
d = "D<j>"
theta = "q<j>"
r = 0
inertia = "symbolic"
"""
_TAIL = """
# [[frames]]                            # named frames on links, such as tools
# name = "tool"
# link = <joints>
# pose = [[1, 0, 0, 0.3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]

[values]                                # numbers for symbols; those without a number are arguments of the models
G3 = -9.81
"""
