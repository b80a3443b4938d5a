"""Symbolic modelling of robots: every model as readable equations, as minimal code and as a fast function.

import symoro
robot = symoro.load("puma560")
m = symoro.inverse_dynamics(robot)
m.ops, m.equations(), m.emit("c", "idm"), m.compile()
"""

from __future__ import annotations

import os
import sys
from typing import Any

from symoro.errors import SymoroError

#: What is not a model of the catalogue: name -> the module it is in. Loaded when first asked for.
_LAZY = {
    "Attachment": "symoro.robot.parallel",
    "BaseParameters": "symoro.models.identification.base_parameters",
    "Identification": "symoro.identification.result.result",
    "Inertia": "symoro.robot.link",
    "Measurements": "symoro.identification.measurements.measurements",
    "Model": "symoro.model",
    "ParallelRobot": "symoro.robot.parallel",
    "Procedure": "symoro.procedure",
    "Robot": "symoro.robot.robot",
    "Solutions": "symoro.models.geometric.inverse.solutions",
    "Status": "symoro.models.geometric.inverse.solutions",
    "animate": "symoro.report.animation",
    "base_parameters": "symoro.reports",
    "check": "symoro.robot.check",
    "compare": "symoro.report.comparison",
    "computed_torque": "symoro.motion.controllers",
    "draw": "symoro.report.picture",
    "excite": "symoro.identification.excitation.excite",
    "from_mujoco": "symoro.formats.tools.mujoco",
    "from_pinocchio": "symoro.formats.tools.pinocchio",
    "from_toolbox": "symoro.formats.tools.toolbox",
    "generate": "symoro.generation",
    "identify": "symoro.identification.identify",
    "inverse_geometry": "symoro.inverse",
    "load": "symoro.formats",
    "loop_geometry": "symoro.assembly",
    "measurements": "symoro.identification.measurements.measurements",
    "mobility": "symoro.reports",
    "moving_target": "symoro.motion.approach",
    "pd_gravity": "symoro.motion.controllers",
    "pid": "symoro.motion.pid",
    "simulate": "symoro.motion.simulate",
    "singularities": "symoro.reports",
    "task_computed_torque": "symoro.motion.task_laws",
    "task_pid": "symoro.motion.task_laws",
    "task_trajectory": "symoro.motion.task",
    "time_optimal": "symoro.motion.optimal",
    "time_scaled": "symoro.motion.scaling",
    "to_mujoco": "symoro.formats.tools.mujoco",
    "to_pinocchio": "symoro.formats.tools.pinocchio",
    "trajectory": "symoro.motion.planning",
    "workspace": "symoro.platforms.workspace",
    "write": "symoro.formats",
    "__version__": "symoro.version",
}

__all__ = [
    "Attachment",
    "BaseParameters",
    "Identification",
    "Inertia",
    "Measurements",
    "Model",
    "ParallelRobot",
    "Procedure",
    "Robot",
    "Solutions",
    "Status",
    "SymoroError",
    "animate",
    "base_parameters",
    "check",
    "compare",
    "computed_torque",
    "draw",
    "excite",
    "from_mujoco",
    "from_pinocchio",
    "from_toolbox",
    "generate",
    "identify",
    "inverse_geometry",
    "load",
    "loop_geometry",
    "measurements",
    "mobility",
    "moving_target",
    "pd_gravity",
    "pid",
    "simulate",
    "singularities",
    "task_computed_torque",
    "task_pid",
    "task_trajectory",
    "time_optimal",
    "time_scaled",
    "to_mujoco",
    "to_pinocchio",
    "trajectory",
    "workspace",
    "write",
]


def __getattr__(name: str) -> Any:
    """A model of the catalogue is a function under its name and its aliases: symoro.inverse_dynamics, symoro.idm.

    Type checkers and editors read the stub `__init__.pyi` instead, which docs/stub.py writes.
    """
    from importlib import import_module

    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if not name.startswith("_"):
        from symoro.model import function
        from symoro.models.catalogue import entries

        for entry in entries():
            if name == entry.name or name in entry.aliases:
                return function(entry)
    raise AttributeError(f"module 'symoro' has no attribute {name!r} (models: see symoro.__dir__())")


def __dir__() -> list[str]:
    from symoro.models.catalogue import entries

    return sorted([*__all__, *(name for entry in entries() for name in (entry.name, *entry.aliases))])


def _begin_child() -> None:
    """After a fork, properties have locks that no thread of the parent holds."""
    from symoro.forks import renew_properties

    renew_properties()


if sys.version_info < (3, 12) and hasattr(os, "register_at_fork"):  # later properties have no locks
    os.register_at_fork(after_in_child=_begin_child)
