"""URDF texts for tests: joints from rows, each with a link that has mass, as files of real robots write them."""

from __future__ import annotations

from collections.abc import Iterable

INERTIAL = (
    '<inertial><origin xyz="0.01 -0.02 0.05" rpy="0.1 0 0.2"/><mass value="{m}"/>'
    '<inertia ixx="0.03" ixy="0.001" ixz="-0.002" iyy="0.04" iyz="0.003" izz="0.02"/></inertial>'
)


def link(name: str, mass: float = 2.0) -> str:
    return f'<link name="{name}">{INERTIAL.format(m=mass) if mass else ""}</link>\n'


def joint(
    name: str, parent: str, child: str, xyz: str = "0 0 0", rpy: str = "0 0 0", axis: str = "0 0 1", **more: str
) -> str:
    """A joint; `more` are its type, and elements such as limit='lower="-1" upper="1"'."""
    kind = more.pop("type", "revolute")
    if kind in ("revolute", "prismatic"):
        more.setdefault("limit", 'lower="-3" upper="3" velocity="2" effort="50"')
    inner = "".join(f"<{tag} {attributes}/>" for tag, attributes in more.items())
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>'
        f'<parent link="{parent}"/><child link="{child}"/>{inner}</joint>\n'
    )


def robot(*parts: str, name: str = "written") -> str:
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n{"".join(parts)}</robot>\n'


def chain(rows: Iterable[tuple[str, str, str]], name: str) -> str:
    """A serial robot: origin, angles and axis of each joint."""
    parts = [link("link0", 0)]
    for k, (xyz, rpy, axis) in enumerate(rows, 1):
        parts += [joint(f"joint{k}", f"link{k - 1}", f"link{k}", xyz, rpy, axis), link(f"link{k}")]
    return robot(*parts, name=name)


H, P = "1.57079632679", "3.14159265359"
IIWA = chain(
    [
        ("0 0 0.15", "0 0 0", "0 0 1"),
        ("0 0 0.19", f"{H} 0 {P}", "0 0 1"),
        ("0 0.21 0", f"{H} 0 {P}", "0 0 1"),
        ("0 0 0.19", f"{H} 0 0", "0 0 1"),
        ("0 0.21 0", f"-{H} {P} 0", "0 0 1"),
        ("0 0 0.19", f"{H} 0 0", "0 0 1"),
        ("0 0 0", f"-{H} {P} 0", "0 0 1"),
    ],
    "iiwa",
)
PUMA = chain(
    [
        ("0 0 0.54864", "0 0 0", "0 0 1"),
        ("0 0.14224 0", "0 0 0", "0 1 0"),
        ("0.4318 0.00886 0", "0 0 0", "0 1 0"),
        ("-0.0203 0 0.2", "0 0 0", "0 0 1"),
        ("0 0 0.23307", "0 0 0", "0 1 0"),
        ("0 0 0.05325", "0 0 0", "0 0 1"),
    ],
    "puma",
)
