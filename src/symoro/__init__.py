"""Symbolic modelling of robots: every model as readable equations, as minimal code and as a fast function.

import symoro
robot = symoro.load("puma560")
m = symoro.inverse_dynamics(robot)
m.ops, m.equations(), m.emit("c", "idm"), m.compile()
"""

from __future__ import annotations

from typing import Any

from symoro.errors import SymoroError

#: What is not a model of the catalogue: name -> the module it is in. Loaded when first asked for.
_LAZY = {
    "Attachment": "symoro.robot.robot",
    "BaseParameters": "symoro.models.identification.base_parameters",
    "Branches": "symoro.solve.branches",
    "Identification": "symoro.identification.report.result",
    "Inertia": "symoro.robot.link",
    "Measurements": "symoro.identification.process.measurements",
    "Model": "symoro.model",
    "ParallelRobot": "symoro.robot.parallel",
    "Robot": "symoro.robot.robot",
    "Status": "symoro.solve.branches",
    "animate": "symoro.report.animation",
    "base_parameters": "symoro.model",
    "check": "symoro.formats",
    "compare": "symoro.report.comparison",
    "computed_torque": "symoro.motion.controllers",
    "draw": "symoro.report.picture",
    "excite": "symoro.identification.excitation.excite",
    "from_mujoco": "symoro.formats.tools.mujoco",
    "from_pinocchio": "symoro.formats.tools.pinocchio",
    "from_toolbox": "symoro.formats.tools.toolbox",
    "generate": "symoro.model",
    "identify": "symoro.identification.identify",
    "inverse_geometry": "symoro.solve.ways",
    "load": "symoro.formats",
    "loop_geometry": "symoro.solve.loops",
    "measurements": "symoro.identification.process.measurements",
    "mobility": "symoro.model",
    "moving_target": "symoro.motion.pose_path",
    "pd_gravity": "symoro.motion.controllers",
    "pid": "symoro.motion.controllers",
    "simulate": "symoro.motion.simulate",
    "singularities": "symoro.model",
    "task_computed_torque": "symoro.motion.task_laws",
    "task_pid": "symoro.motion.task_laws",
    "task_trajectory": "symoro.motion.task",
    "time_optimal": "symoro.motion.optimal",
    "time_scaled": "symoro.motion.scaling",
    "to_mujoco": "symoro.formats.tools.mujoco",
    "to_pinocchio": "symoro.formats.tools.pinocchio",
    "trajectory": "symoro.motion.planning",
    "workspace": "symoro.motion.workspace",
    "write": "symoro.formats",
    "__version__": "symoro.version",
}

#: Names of 0.2, and what takes their places (docs/from-0.2-to-0.3.md).
_GONE = {"Procedure": "Model", "Solutions": "Branches"}
#: Names that other tools and books use, and ours.
_ELSEWHERE = {
    "forward_kinematics": "forward_geometry",
    "direct_kinematics": "forward_geometry",
    "inverse_kinematics": "inverse_geometry",
    "forward_dynamics": "direct_dynamics",
    "mass_matrix": "inertia_matrix",
    "rnea": "inverse_dynamics",
    "crba": "inertia_matrix",
    "aba": "direct_dynamics",
    **dict.fromkeys(("fk", "fkine"), "forward_geometry"),
    **dict.fromkeys(("ik", "ikine", "igm"), "inverse_geometry"),
    **dict.fromkeys(("open", "read", "from_urdf", "from_mjcf"), "load"),
    **dict.fromkeys(("plot", "view"), "draw"),
}

__all__ = [
    "Attachment",
    "BaseParameters",
    "Branches",
    "Identification",
    "Inertia",
    "Measurements",
    "Model",
    "ParallelRobot",
    "Robot",
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
        from symoro.models.catalogue import PACKAGE_OF, find

        if name in PACKAGE_OF:
            from symoro.solve.given import function

            return function(find(name))
    raise AttributeError(f"module 'symoro' has no attribute {name!r} ({_instead(name)})")


def _instead(name: str) -> str:
    """What to write in place of a name that does not exist."""
    from difflib import get_close_matches

    if name in _GONE:
        return f"symoro.{_GONE[name]} takes its place"
    near = [_ELSEWHERE[name]] if name in _ELSEWHERE else get_close_matches(name, __dir__(), 1)
    return f"is it symoro.{near[0]}?" if near else "models: see symoro.__dir__()"


def __dir__() -> list[str]:
    from symoro.models.catalogue import PACKAGE_OF

    return sorted([*__all__, *PACKAGE_OF])
