"""An identified parameter with its uncertainty and its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.identification.arrays import Array
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.rows.terms import meaning
from symoro.identification.subject.subject import Subject
from symoro.ir.meaning import Meaning


@dataclass(frozen=True)
class Parameter:
    """A parameter: value and standard deviation, what it regroups, and what it means."""

    name: str
    value: float
    sigma: float
    """Standard deviation, with noise that is white after decimation; infinite where the parameter was left out."""
    spread: float | None
    """Standard deviation with residuals that are correlated in time, where the rows were kept."""
    regroups: str
    """The parameter in terms of standard parameters, and of those that the motion cannot tell apart from it."""
    unit: str
    text: str

    @property
    def percent(self) -> float:
        """σ in percent of the value."""
        if self.value == 0:
            return float("inf") if self.sigma else 0.0
        return 100 * self.sigma / abs(self.value)


def parameters_of(
    subject: Subject, found: Estimate, spread: Array | None, about: Mapping[str, float]
) -> tuple[Parameter, ...]:
    """The parameters of an estimate; those in `about` were estimated as differences from the values there."""
    relations, own = subject.relations, subject.meanings
    made = []
    for k, name in enumerate(found.names):
        text, unit = _meaning(name, own)
        wide = None if spread is None else float(spread[k])
        regroups = relations.get(name, name) + _taken_over(found.regrouped.get(name, {}))
        value = float(found.beta[k]) + about.get(name, 0.0)
        made.append(Parameter(name, value, float(found.sigma[k]), wide, regroups, unit, text))
    return tuple(made)


def _taken_over(others: Mapping[str, float]) -> str:
    """What a parameter took over, because the motion cannot tell them apart: + IA4 - 9.81*FO4."""
    made = ""
    for name, times in others.items():
        size = f"{abs(times):.6g}"
        made += f" {'+' if times > 0 else '-'} {'' if size == '1' else size + '*'}{name}"
    return made


def _meaning(name: str, own: Mapping[str, Meaning]) -> tuple[str, str]:
    if name in own:
        return own[name].text.partition(": ")[2], own[name].unit
    if name.startswith("K") and name[1:].isdigit():
        return f"stiffness of joint {name[1:]}", "N·m"
    return meaning(name) or (name, "")
