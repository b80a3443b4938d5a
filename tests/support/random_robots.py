"""Random robots: any tree, any mix of joints, special and arbitrary angles, physical inertias."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from symoro.robot.base import Base, BaseKind
from symoro.robot.joint import Joint, JointKind
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import Apply, Symbol, Value, as_value

#: The numbers of a drive that the torque of a joint depends on: all but the reduction.
FRICTION_AND_ROTOR = tuple(name for name in Drive.names() if name != "N")
SPECIAL_ANGLES = ("0", "0", "0", "pi/2", "-pi/2", "pi", "pi/3")


def angle(rng: np.random.Generator) -> Value:
    return as_value(str(rng.choice(SPECIAL_ANGLES))) if rng.random() < 0.6 else number(rng, 3.0)


def number(rng: np.random.Generator, scale: float = 1.0) -> Value:
    return as_value(round(float(rng.uniform(-scale, scale)), 4))


def length(rng: np.random.Generator) -> Value:
    return as_value(0) if rng.random() < 0.4 else number(rng)


def parent_of(j: int, structure: str, rng: np.random.Generator) -> int:
    """serial: one chain; tree: branches anywhere, several roots too."""
    return j - 1 if structure == "serial" else int(rng.integers(max(0, j - 4), j))


def random_joint(j: int, structure: str, kinds: str, rng: np.random.Generator) -> Joint:
    weights = {"revolute": (1, 0, 0), "mixed": (0.6, 0.25, 0.15), "prismatic": (0.3, 0.7, 0)}[kinds]
    kind = JointKind(str(rng.choice(["revolute", "prismatic", "fixed"], p=weights)))
    offset = angle(rng) if kind is not JointKind.PRISMATIC else length(rng)
    variable = Apply("+", (Symbol(f"q{j}"), offset))
    branch = structure != "serial" and rng.random() < 0.5
    return Joint(
        index=j,
        name=f"joint{j}",
        parent=parent_of(j, structure, rng),
        kind=kind,
        gamma=angle(rng) if branch else as_value(0),
        b=length(rng) if branch else as_value(0),
        alpha=angle(rng),
        d=length(rng),
        theta=variable if kind is JointKind.REVOLUTE else angle(rng),
        r=variable if kind is JointKind.PRISMATIC else length(rng),
    )


def physical_inertia(rng: np.random.Generator) -> dict[str, float]:
    """The parameters of a real body: points of positive mass around a centre."""
    points, masses = rng.normal(size=(6, 3)) * 0.2 + rng.normal(size=3) * 0.3, rng.uniform(0.1, 1, size=6)
    J = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True))
    MS = masses @ points
    entries = dict(zip(("XX", "XY", "XZ", "YY", "YZ", "ZZ"), J[np.triu_indices(3)], strict=True))
    return {**entries, "MX": MS[0], "MY": MS[1], "MZ": MS[2], "M": masses.sum()}


def random_robot(
    seed: int, joints: int | None = None, structure: str = "serial", kinds: str = "mixed", **extra: Any
) -> Robot:
    """A robot with symbols for its inertial parameters and numbers in `values`. At least one joint moves."""
    rng = np.random.default_rng(seed)
    n = joints or int(rng.integers(1, 9))
    described = [random_joint(j, structure, kinds, rng) for j in range(1, n + 1)]
    if all(joint.fixed for joint in described):
        described[0] = replace(described[0], kind=JointKind.REVOLUTE, theta=Symbol("q1"), variable="q1", actuated=True)
    values = {f"{name}{j}": x for j in range(1, n + 1) for name, x in physical_inertia(rng).items()}
    values |= {f"{name}{j}": rng.uniform(0, 1) for j in range(1, n + 1) for name in FRICTION_AND_ROTOR}
    values |= {f"G{k}": rng.uniform(-10, 10) for k in (1, 2, 3)}
    wrenches = [Wrench.symbolic(j) if rng.random() < 0.3 else Wrench() for j in range(1, n + 1)]
    values |= {x.name: rng.normal() for w in wrenches for _, x in w.items() if isinstance(x, Symbol)}
    moving = rng.random() < extra.pop("moving_base", 0.3)
    base = Base(BaseKind.MOVING) if moving else Base()
    return Robot(
        name=f"random{seed}",
        joints=tuple(described),
        inertias=tuple(Inertia.symbolic(j) for j in range(1, n + 1)),
        drives=tuple(Drive.symbolic(j) for j in range(1, n + 1)),
        wrenches=tuple(wrenches),
        base=base,
        gravity=tuple(Symbol(f"G{k}") for k in (1, 2, 3)),
        values={name: as_value(float(x)) for name, x in values.items()},  # type: ignore[arg-type]
        **extra,
    )
