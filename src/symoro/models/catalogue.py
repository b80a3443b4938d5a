"""The table of all models: what exists, under which names, for which robots, after which equations.

Command line, documentation and `symoro.<name>` are driven by this table. A new model is one file with its algorithm
and one row here.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from symoro.errors import UnknownModel
from symoro.models.entry import PARAMS, Entry, Option, tree_with_known_base

_GEOMETRIC = "symoro.models.geometric"
_KINEMATIC = "symoro.models.kinematic"
_DYNAMIC = "symoro.models.dynamic"

FAST = Option("fast", "flag", "intermediate variables, as few operations as possible (K97 § 3.2)", default=False)
LINK = Option("link", "frame", "a link or a named frame; every link where none is given")
IN_FRAME = Option("frame", "frame", "the frame of the result; each link's own where none is given")


def _variants(plain: str, merged: str) -> tuple[str, ...]:
    """The product of the joints' matrices as it is, and with parallel axes merged in either direction."""
    endings = ("outward", "inward", "outward_crossed", "inward_crossed")
    module = f"{_GEOMETRIC}.transform"
    return (f"{module}:{plain}", *(f"{module}:{merged}_{ending}" for ending in endings))


CATALOGUE: tuple[Entry, ...] = (
    Entry(
        name="transform",
        title="Transformation matrix between two frames",
        menu="Geometric",
        methods={"": _variants("transform", "transform")},
        inputs=("q",),
        citation="K97:1",
        oracle="Pinocchio frame placements",
        aliases=("trm",),
        options=(
            Option("i", "frame", "the frame to look from", required=True),
            Option("j", "frame", "the frame to look at", required=True),
            FAST,
        ),
    ),
    Entry(
        name="forward_geometry",
        title="Direct geometric model",
        menu="Geometric",
        methods={"": _variants("forward_geometry", "geometry")},
        inputs=("q",),
        citation="K97:1",
        oracle="Pinocchio forwardKinematics",
        aliases=("dgm", "fgm"),
        options=(Option("link", "frame", "the frame to locate; every tip where none is given"), FAST),
    ),
    Entry(
        name="jacobian",
        title="Jacobian matrix",
        menu="Kinematic",
        methods={"": (f"{_KINEMATIC}.jacobian:jacobian",)},
        inputs=("q",),
        citation="K97:3-5",
        oracle="Pinocchio getFrameJacobian",
        aliases=("jac",),
        options=(
            Option("link", "frame", "the link or named frame whose velocity it gives", required=True),
            Option("frame", "frame", "the frame of the result (r of K97:4)", default=0),
            Option("projection", "frame", "the frame of the last matrix (i of K97:4); none: the cheapest"),
            Option("intermediate", "frame", "the frame whose origin it is taken at (j of K97:4); none: the cheapest"),
        ),
    ),
    Entry(
        name="velocities",
        title="Velocities of links",
        menu="Kinematic",
        methods={"": (f"{_KINEMATIC}.motion:velocities",)},
        inputs=("q", "qd", "V0"),
        citation="K97:6",
        oracle="Pinocchio getFrameVelocity",
        aliases=("vlct",),
        options=(LINK, IN_FRAME),
    ),
    Entry(
        name="accelerations",
        title="Accelerations of links",
        menu="Kinematic",
        methods={"": (f"{_KINEMATIC}.motion:accelerations",)},
        inputs=("q", "qd", "qdd", "V0", "VP0"),
        citation="K97:8-10",
        oracle="Pinocchio getFrameClassicalAcceleration",
        aliases=("accel",),
        options=(LINK, IN_FRAME),
    ),
    Entry(
        name="jdot_qdot",
        title="Accelerations of links that velocities alone cause",
        menu="Kinematic",
        methods={"": (f"{_KINEMATIC}.motion:jdot_qdot",)},
        inputs=("q", "qd", "V0"),
        citation="K97 § 4.4",
        oracle="Pinocchio getFrameClassicalAcceleration without joint accelerations",
        aliases=("jpqp",),
        options=(LINK, IN_FRAME),
    ),
    Entry(
        name="inverse_dynamics",
        title="Inverse dynamic model",
        menu="Dynamic",
        methods={"newton-euler": (f"{_DYNAMIC}.newton_euler:inverse_dynamics",)},
        inputs=("q", "qd", "qdd", "wrench", "V0", "VP0"),
        citation="K97:15-20",
        oracle="Pinocchio rnea",
        aliases=("idm",),
        options=(PARAMS,),
        applies=tree_with_known_base,
    ),
)


def entries() -> Iterator[Entry]:
    """All models in the order of the menus."""
    return iter(CATALOGUE)


def find(name: str) -> Entry:
    """The model of this name or alias."""
    names = {n: entry for entry in CATALOGUE for n in (entry.name, *entry.aliases)}
    if name not in names:
        close = get_close_matches(name, names, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else f"allowed: {', '.join(e.name for e in CATALOGUE)}"
        raise UnknownModel(f"no model is called {name!r} ({hint})")
    return names[name]
