"""The models that robots of other families than fixed trees have under the same name: their algorithms and inputs.

Families (see `entry.family`): "passive" trees have joints without motors, "floating" ones a free base, "rolling" ones
a base on wheels, "loops" are closed.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.models.entry import Variant

_DYNAMIC = "symoro.models.dynamic"
_KNOWN_BASE = ("V0", "VP0")


def _free(algorithm: str, recursion: str, inputs: tuple[str, ...], citation: str) -> dict[str, Variant]:
    """Passive and floating robots: the recursion, and the way through the inertia matrix."""
    methods = {
        recursion: (f"{_DYNAMIC}.moving_base:{algorithm}",),
        "inertia-matrix": (f"{_DYNAMIC}.moving_base_matrix:{algorithm}",),
    }
    passive = Variant(methods, (*inputs, *_KNOWN_BASE), citation)
    return {"passive": passive, "floating": Variant(methods, ("quat", "V0", *inputs), citation)}


def _floating(algorithm: str, method: str, inputs: tuple[str, ...]) -> dict[str, Variant]:
    """A and H of a robot on a free base: its six rows come first."""
    methods = {method: (f"{_DYNAMIC}.moving_base_matrix:{algorithm}",)}
    return {"floating": Variant(methods, inputs, "K10:83-85")}


VARIANTS: Mapping[str, Mapping[str, Variant]] = {
    "inverse_dynamics": _free(
        "inverse_dynamics", "newton-euler", ("q", "qd", "driven qdd", "wrench"), "K10:67-82, K10:83-100"
    ),
    "direct_dynamics": _free("direct_dynamics", "recursive", ("q", "qd", "driven tau", "wrench"), "K10:101-112"),
    "inertia_matrix": _floating("inertia_matrix", "composite-links", ("q",)),
    "bias": _floating("bias", "newton-euler", ("quat", "V0", "q", "qd", "wrench")),
}
