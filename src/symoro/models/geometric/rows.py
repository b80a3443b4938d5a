"""The rows of the geometric models."""

from __future__ import annotations

from functools import partial

from symoro.models.entry import FRAME, Algorithm, Entry, Form, Method, ModelOption, Quantity, method
from symoro.models.families import ALL
from symoro.models.geometric.transform import (
    forward_geometry,
    inward,
    inward_crossed,
    outward,
    outward_crossed,
    transform,
)
from symoro.options import FLAG, NONE

FAST = ModelOption(
    "fast",
    FLAG,
    False,
    "intermediate variables, as few operations as possible (K97 § 3.2)",
    "variables intermédiaires, le moins d'opérations possible (K97 § 3.2)",
    on=ALL,
)


def _merged(algorithm: Algorithm, name: str) -> tuple[Method, ...]:
    """The product of the joints' matrices as it is, and with parallel axes merged in either direction."""
    products = (outward, inward, outward_crossed, inward_crossed)
    forms = (Form(f"{name}_{product.__name__}", partial(algorithm, product=product)) for product in products)
    return (method(algorithm, *forms, on=ALL),)


ROWS: tuple[Entry, ...] = (
    Entry(
        name="transform",
        menu="Geometric",
        methods=_merged(transform, "transform"),
        inputs=("q",),
        outputs=(
            Quantity("T", "pose of frame j in frame i: rotation and position", "1, and m", "(4, 4)"),
            Quantity("TL", "the same of a robot with a platform, whose input is T", "1, and m", "(4, 4)"),
        ),
        citation="K97:1",
        oracle="Pinocchio frame placements",
        aliases=("trm",),
        options=(
            ModelOption(
                "i",
                FRAME,
                None,
                "the frame to look from",
                "le repère d'où l'on regarde",
                required=True,
                on=ALL,
            ),
            ModelOption(
                "j",
                FRAME,
                None,
                "the frame to look at",
                "le repère que l'on regarde",
                required=True,
                on=ALL,
            ),
            FAST,
        ),
    ),
    Entry(
        name="forward_geometry",
        menu="Geometric",
        methods=_merged(forward_geometry, "geometry"),
        inputs=("q",),
        outputs=(
            Quantity(
                "T", "pose of the frame in frame 0, or in the world where the base has a pose", "1, and m", "(4, 4)"
            ),
            Quantity("TL", "the same of a link of a robot with a platform, whose input is T", "1, and m", "(4, 4)"),
        ),
        citation="K97:1",
        oracle="Pinocchio forwardKinematics",
        aliases=("dgm", "fgm"),
        options=(
            ModelOption(
                "link",
                FRAME | NONE,
                None,
                "the frame to locate; every tip where none is given",
                "le repère à situer ; chaque extrémité si rien n'est donné",
                on=ALL,
            ),
            FAST,
        ),
        iterates=True,
    ),
)
