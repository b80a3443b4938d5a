"""What a fit says about the measurements: torques of the other sign or unit, columns that belong to another joint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.estimators.validation import Errors
from symoro.identification.names import letters_of
from symoro.identification.rows.triangles import Triangles

_UNEXPLAINED = 0.5
"""Relative error of a joint that the model does not explain."""
_CORRELATED = 0.99
_SIZE = 30.0
"""Torques over those of the description: a larger ratio is probably one of units."""
_OPPOSITE = 0.7
"""Correlation with the torques of the description, as a negative number, from which on the sign is wrong."""
_ALIKE = 0.25
"""Relative difference of ratios that are taken as equal."""
_TIMES = 2.0
"""Inertias over those of the description, from which on the rate is suspected."""
_SURE = 5.0
"""Deviations by which a friction is negative."""


def suspicions(
    t: Triangles, found: Estimate, fit: Errors, described: Mapping[str, float], rate: float | None
) -> Iterator[str]:
    """Warnings, the most serious first; `rate` is judged where it is given."""
    yield from _signs(t, found)
    yield from _sizes(t, described)
    if rate is not None and fit.total < _UNEXPLAINED:
        yield from _rates(found, described, rate)
    for name, error in fit.joints.items():
        if error > _UNEXPLAINED and np.isfinite(error):
            yield (
                f"torque of joint {name} is not explained (relative error {100 * error:.0f} %): "
                "look for a wrong column, unit, sign or rate"
            )


def untold(found: Estimate) -> Iterator[str]:
    """Warnings about parameters that the motion does not tell, or does not tell apart."""
    for group in found.confused:
        if len(group) == 1:
            yield f"{group[0]} has no effect on the torques along this motion: it cannot be found"
        else:
            more = f" and {len(group) - 4} others" if len(group) > 5 else ""
            listed = ", ".join(group[:4] if more else group)
            yield f"{listed}{more} cannot be told apart by this motion: {group[0]} is taken as 0, the others contain it"
    yield from _correlated(found)


def _signs(t: Triangles, found: Estimate) -> Iterator[str]:
    """Friction that drives a joint: the torque, or the position, has the other sign."""
    value = dict(zip(found.names, found.beta, strict=True))
    sigma = dict(zip(found.names, found.sigma, strict=True))
    for k, joint in enumerate(t.joints):
        own = [n for n in found.names if letters_of(n) in ("FV", "FS", "FVP", "FVN", "FSP", "FSN")]
        mine = [
            n for n in own if any(j == k and found.names.index(n) in part.columns for (_, j), part in t.parts.items())
        ]
        if mine and all(value[n] < -_SURE * sigma[n] for n in mine):
            yield (
                f"torque of joint {joint} has the other sign than its motion: "
                f"friction would be negative ({', '.join(mine)})"
            )


def _sizes(t: Triangles, described: Mapping[str, float]) -> Iterator[str]:
    """Torques that are far larger or smaller than those of the description's parameters, or of the other sign."""
    if not described or not all(np.isfinite(x) for x in described.values()):
        return
    beta = np.array([described.get(name, 0.0) for name in t.names])
    for k, joint in enumerate(t.joints):
        parts = [part for (_, j), part in t.parts.items() if j == k]
        model = [part.R[:, :-1] @ beta[part.columns] for part in parts]
        expected = np.sqrt(sum(float(x @ x) for x in model))
        measured = np.sqrt(sum(part.left for part in parts))
        common = sum(float(x @ part.R[:, -1]) for x, part in zip(model, parts, strict=True))
        if common < -_OPPOSITE * expected * measured:
            yield f"torque of joint {joint} has the other sign than that of the robot's description"
        ratio = measured / expected if expected else 1.0
        if measured and not 1 / _SIZE < ratio < _SIZE:
            hint = "are these mA or N·mm?" if ratio > 1 else "are these N·m of the motor, or A?"
            yield (
                f"torque of joint {joint} is {ratio:.3g} times that of the robot's description: {hint} "
                "(units={'tau': factor})"
            )


def _rates(found: Estimate, described: Mapping[str, float], rate: float) -> Iterator[str]:
    """Inertias that are all as many times those of the description, while first moments agree: the time is wrong.

    A time that is s times too long makes accelerations s² times too small, and inertias as much too large.
    """
    inertias = _ratios(found, described, ("XX", "YY", "ZZ", "IA"))
    moments = _ratios(found, described, ("MX", "MY", "MZ", "M"))
    if not len(inertias) or (middle := float(np.median(inertias))) <= 0:
        return
    alike = np.mean(np.abs(inertias / middle - 1) < _ALIKE) > 0.5
    weighs = not len(moments) or abs(float(np.median(moments)) - 1) < _ALIKE
    if alike and weighs and not 1 / _TIMES < middle < _TIMES:
        what = f"inertias are about {middle:.2g} times those of the robot's description"
        yield f"{what}: is the rate of {rate:.6g} Hz right? ({rate * np.sqrt(middle):.3g} Hz would explain it)"


def _ratios(found: Estimate, described: Mapping[str, float], letters: tuple[str, ...]) -> Array:
    """Parameters over those of the description, where the data tell them well."""
    chosen = [
        value / described[name]
        for name, value, sigma in zip(found.names, found.beta, found.sigma, strict=True)
        if described.get(name)
        and name not in found.regrouped
        and sigma < _ALIKE * abs(value)
        and name.rstrip("P0123456789_R") in letters
    ]
    return np.array(chosen)


def _correlated(found: Estimate) -> Iterator[str]:
    """Pairs of parameters whose errors nearly determine each other."""
    C = correlations(found)
    pairs = [(abs(C[i, k]), i, k) for i in range(len(C)) for k in range(i) if _CORRELATED < abs(C[i, k]) < 1.5]
    for r, i, k in sorted(pairs, reverse=True)[:5]:
        yield f"{found.names[k]} and {found.names[i]} can hardly be told apart by this motion (correlation {r:.4f})"


def correlations(found: Estimate) -> Array:
    """The correlations of the errors of all parameters; 0 where one cannot be found."""
    sigma = np.where(np.isfinite(found.sigma), found.sigma, 0.0)
    C = np.where(np.isfinite(found.covariance), found.covariance, 0.0)
    scale = np.outer(sigma, sigma)
    return np.asarray(np.divide(C, scale, out=np.zeros_like(C), where=scale > 0))
