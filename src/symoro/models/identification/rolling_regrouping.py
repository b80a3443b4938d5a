"""The base parameters of a robot on wheels: what rolling regroups beyond the relations of a base on a plane."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from symoro.ir.graph import Graph
from symoro.models.identification.by_numbers import Dependence, Found
from symoro.models.identification.columns import base_columns
from symoro.models.identification.constraint_regrouping import ConstraintRegrouping, keeping, regrouped_further
from symoro.models.identification.minimal import Minimal, minimal
from symoro.models.identification.recognise import Geometry
from symoro.models.identification.regrouping import Key
from symoro.models.identification.rolling_sampling import RollingSampling
from symoro.models.identification.sampled_regressor import Branch
from symoro.models.sampling import numbers_of
from symoro.robot.robot import Robot
from symoro.robot.values import Value
from symoro.symbols import Symbols


def rolling_regrouping(s: Symbols, tree: Minimal) -> ConstraintRegrouping:
    """The base parameters; wheels allow all configurations, so that there are no branches."""
    family, found = by_rolling(s, tree)
    result = regrouped_further(s, tree, [found.rows])
    start = tuple(map(float, family.start))
    return ConstraintRegrouping(result, tree, (), tuple(found.rows), found.numeric, found.general, family.rank, start)


@lru_cache(maxsize=64)
def relations_in_models(robot: Robot, rotors: bool | None) -> dict[Key, dict[Key, Value]]:
    """Eliminated parameter -> its column in terms of others', for any numbers of the symbols in the geometry."""
    s = Symbols(robot, Graph())
    family, found = by_rolling(s, minimal(s, rotors))
    if not (family.rank.clear and found.general):
        return {}
    fixed = not Geometry(robot, numbers_of(s), tied=False).factors  # numbers are all that there is
    mere = set() if fixed else {gone for gone, _ in found.numeric}
    return {gone: row for gone, row in found.rows.items() if gone not in mere}


def by_rolling(s: Symbols, tree: Minimal) -> tuple[Branch, Found]:
    """What rolling makes dependent."""
    sampling, numbers = RollingSampling(s, base_columns(s, tree)), numbers_of(s)
    family = sampling.branch(np.zeros(len(s.movable)), numbers)
    keys = [*tree.base]
    return family, Dependence(s.robot, sampling, keys, keeping(keys), family, numbers).found()
