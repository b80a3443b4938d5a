"""What constraints without branches regroup of the tree's base parameters, by numbers.

Rolling wheels and coordinates that are functions of the variables allow all configurations, so that there is one family
of configurations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

from symoro.bind.symbols import Symbols
from symoro.errors import ModelError, ParameterError
from symoro.findings import Finding
from symoro.ir.graph import Graph
from symoro.lazy import lazy
from symoro.models.families import constraint_of
from symoro.models.identification.base.constraint_regrouping import (
    ConstraintRegrouping,
    RegroupingWithNotes,
    kept_note,
    numeric_notes,
    reason_of,
)
from symoro.models.identification.base.dependence import DependenceSearch, Dependencies
from symoro.models.identification.base.geometry import Geometry
from symoro.models.identification.base.rank import rank_of
from symoro.models.identification.base.sampled_regressor import ConfigurationFamily, SampledRegressor
from symoro.models.identification.base.tree import (
    BaseSet,
    eliminated_further,
    kept_order,
    tree_base_set,
)
from symoro.models.identification.columns import Column, Key
from symoro.models.results import remembered
from symoro.models.sampling import numbers_of
from symoro.robot import topology
from symoro.robot.robot import Robot, without
from symoro.robot.values import Value

Array = NDArray[Any]
_CONFIGURATIONS = 200


def of_motion(s: Symbols, tree: BaseSet) -> RegroupingWithNotes:
    """The regrouping with notes; None with the reason if it cannot be found."""
    wheels = s.robot.base.wheels
    kept = Finding("regressors.of_base_on_plane" if wheels else "regressors.of_plain_tree")
    try:
        regrouping = motion_regrouping(s, tree)
    except (ModelError, ParameterError, LinAlgError) as error:
        return None, (kept_note(kept, reason_of(error)),)
    if not regrouping.rank.clear:
        return None, (kept_note(kept, Finding("regressors.undecided_rank", rank=regrouping.rank.finding)),)
    code = "regressors.left_by_rolling" if wheels else "regressors.left_by_variables"
    left = Finding(code, count=len(regrouping.minimal.base), tree=len(tree.base), rank=regrouping.rank.finding)
    return regrouping, (left, *numeric_notes(regrouping))


def motion_regrouping(s: Symbols, tree: BaseSet) -> ConstraintRegrouping:
    """The base parameters of the robot."""
    family, dependencies = _dependencies(s, tree)
    result = eliminated_further(s, tree, [dependencies.rows])
    start = tuple(map(float, family.start))
    return ConstraintRegrouping(
        result, tree, (), tuple(dependencies.rows), dependencies.numeric, dependencies.general, family.rank, start
    )


@remembered
def general_relations(robot: Robot, rotors: bool | None) -> dict[Key, dict[Key, Value]]:
    """Eliminated parameter -> its column as a combination of others, for any numbers of the geometry's symbols.

    A robot whose geometry has no symbols keeps relations with numbers. What a free joint carries moves in all
    directions, whatever the base does: its parameters are in no relation beyond those of the tree.
    """
    placed = [j.index for j in topology.tree_joints(robot) if not any(k.free for k in topology.path(robot, j.index))]
    if len(placed) < robot.link_count:
        of_tree = general_relations(without(robot, {*range(1, robot.link_count + 1)}.difference(placed)), rotors)
        number = dict(enumerate((0, *placed)))
        return {
            (name, number[j]): {(other, number[i]): x for (other, i), x in row.items()}
            for (name, j), row in of_tree.items()
        }
    s = Symbols(robot, Graph())
    family, dependencies = _dependencies(s, tree_base_set(s, rotors))
    if not (family.rank.clear and dependencies.general):
        return {}
    has_symbols = bool(Geometry(robot, numbers_of(s), tied=False).factors)
    left_out = {gone for gone, _ in dependencies.numeric} if has_symbols else set()
    return {gone: row for gone, row in dependencies.rows.items() if gone not in left_out}


def _dependencies(s: Symbols, tree: BaseSet) -> tuple[ConfigurationFamily, Dependencies]:
    """The columns that depend on others in the motions that the constraint allows."""
    sampling, numbers = MotionSampling(s, tree.columns(s)), numbers_of(s)
    family = sampling.branch(np.zeros(len(s.variables)), numbers)
    keys = [*tree.base]
    return family, DependenceSearch(s.robot, sampling, keys, kept_order(keys), family, numbers).dependencies()


@dataclass(frozen=True)
class MotionSampling:
    """Samples the regressor of a robot without branches, for any numbers of its parameters."""

    s: Symbols
    columns: Sequence[Column]

    @lazy
    def regressor(self) -> SampledRegressor:
        return SampledRegressor(constraint_of(self.s), self.columns)

    def branch(self, start: Array, numbers: Mapping[str, float]) -> ConfigurationFamily:
        """The regressor at random configurations around `start`."""
        q = start + np.random.default_rng(3).uniform(-np.pi, np.pi, (_CONFIGURATIONS, len(start)))
        D, _ = self.regressor.rows(q, numbers)
        return ConfigurationFamily(start, D, rank_of(D), len(self.regressor.c.G))

    def near(self, q: Array, numbers: Mapping[str, float]) -> Array:
        """The same configuration: it is allowed in any geometry."""
        return q
