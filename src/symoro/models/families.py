"""The models that robots of other families than fixed trees have under the same name: their algorithms and inputs.

Families (see `entry.family`): "passive" trees have joints without motors, "floating" ones a free base, "rolling" ones
a base on wheels, "loops" are closed, "floating loops" closed and on a free base.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.models.entry import Variant, with_auto

_DYNAMIC = "symoro.models.dynamic"
_KNOWN_BASE = ("V0", "VP0")


def _free(algorithm: str, recursion: str, inputs: tuple[str, ...], citation: str) -> dict[str, Variant]:
    """Passive and floating robots: the recursion, and the way through the inertia matrix."""
    methods = with_auto(
        {
            recursion: (f"{_DYNAMIC}.moving_base:{algorithm}",),
            "inertia-matrix": (
                f"{_DYNAMIC}.moving_base_matrix:{algorithm}",
                f"{_DYNAMIC}.lean.free_joints:{algorithm}",
            ),
        }
    )
    passive = Variant(methods, (*inputs, *_KNOWN_BASE), citation)
    return {"passive": passive, "floating": Variant(methods, ("quat", "V0", *inputs), citation)}


def _floating(algorithm: str, method: str, inputs: tuple[str, ...]) -> dict[str, Variant]:
    """A and H of a robot on a free base: its six rows come first."""
    methods = with_auto(
        {method: (f"{_DYNAMIC}.moving_base_matrix:{algorithm}", f"{_DYNAMIC}.lean.free_joints:{algorithm}")}
    )
    return {"floating": Variant(methods, inputs, "K10:83-85")}


def _projected(algorithm: str, method: str, inputs: tuple[str, ...]) -> dict[str, Variant]:
    """On wheels and with loops: the motors' joints alone."""
    return {
        "rolling": Variant(
            with_auto({method: (f"{_DYNAMIC}.rolling:{algorithm}", f"{_DYNAMIC}.lean.rolling:{algorithm}")}),
            inputs,
            "K10:83-88",
        ),
        "loops": Variant(
            with_auto({method: (f"{_DYNAMIC}.closed_loop:{algorithm}", f"{_DYNAMIC}.lean.closed_loop:{algorithm}")}),
            inputs if inputs == ("q",) else (*inputs, *_KNOWN_BASE),
            "K10:55-58",
        ),
        "floating loops": Variant(
            with_auto({method: (f"{_DYNAMIC}.floating_loops:{algorithm}",)}),
            inputs if inputs == ("q",) else ("quat", "V0", *inputs),
            "K10:55-58, K10:83-88",
        ),
    }


_STATE = ("q", "driven qd")


def _closed(algorithm: str, inputs: tuple[str, ...], citation: str) -> dict[str, Variant]:
    """Motions of links that the active joints give."""
    return {"loops": Variant({"": (f"symoro.models.kinematic.motion:{algorithm}",)}, inputs, citation)}


def _regressors() -> dict[str, Variant]:
    """D of a free base has its six rows too; on wheels and with loops the rows are those of the motors."""
    module = "symoro.models.identification.regressors.dynamic"
    motion = (*_STATE, "driven qdd")
    return {
        "floating": Variant(
            {"": (f"{module}:of_floating_base",)}, ("quat", "V0", "q", "qd", "qdd", "VP0"), "K97:39, K10:83"
        ),
        "rolling": Variant({"": (f"{module}:of_wheels",)}, motion, "K97:39, K10:55, K10:83"),
        "loops": Variant({"": (f"{module}:of_loops",)}, (*motion, *_KNOWN_BASE), "K97:39, K10:55"),
    }


VARIANTS: Mapping[str, Mapping[str, Variant]] = {
    "velocities": _closed("velocities", ("q", "driven qd", "V0"), "K97:6, K97:11-13"),
    "accelerations": _closed("accelerations", ("q", "driven qd", "driven qdd", *_KNOWN_BASE), "K97:8-10, K97:11-14"),
    "jdot_qdot": _closed("jdot_qdot", ("q", "driven qd", "V0"), "K97 § 4.4, K97:11-14"),
    "inverse_dynamics": {
        **_free("inverse_dynamics", "newton-euler", ("q", "qd", "driven qdd", "wrench"), "K10:67-82, K10:83-100"),
        **_projected("inverse_dynamics", "newton-euler", (*_STATE, "driven qdd", "wrench")),
    },
    "direct_dynamics": {
        **_free("direct_dynamics", "recursive", ("q", "qd", "driven tau", "wrench"), "K10:101-112"),
        **_projected("direct_dynamics", "inertia-matrix", (*_STATE, "driven tau", "wrench")),
    },
    "inertia_matrix": {
        **_floating("inertia_matrix", "composite-links", ("q",)),
        **_projected("inertia_matrix", "composite-links", ("q",)),
    },
    "bias": {
        **_floating("bias", "newton-euler", ("quat", "V0", "q", "qd", "wrench")),
        **_projected("bias", "newton-euler", (*_STATE, "wrench")),
    },
    "dynamic_regressor": _regressors(),
}
