"""Symbolic modelling of robots: every model as readable equations, as minimal code and as a fast function.

import symoro
robot = symoro.load("puma560")
m = symoro.inverse_dynamics(robot)
m.ops, m.equations(), m.emit("c", "idm"), m.compile()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symoro.errors import SymoroError

if TYPE_CHECKING:
    from symoro.assembly import loop_geometry
    from symoro.formats import load, write
    from symoro.generation import generate
    from symoro.model import Model, base_parameters
    from symoro.models.identification.base_parameters import BaseParameters
    from symoro.procedure import Procedure
    from symoro.reports import mobility, singularities
    from symoro.robot.check import check
    from symoro.robot.link import Inertia
    from symoro.robot.robot import Robot
    from symoro.version import __version__ as __version__

#: What is not a model of the catalogue: name -> the module it is in. Loaded when first asked for.
_LAZY = {
    "BaseParameters": "symoro.models.identification.base_parameters",
    "Inertia": "symoro.robot.link",
    "Model": "symoro.model",
    "Procedure": "symoro.procedure",
    "Robot": "symoro.robot.robot",
    "base_parameters": "symoro.model",
    "check": "symoro.robot.check",
    "generate": "symoro.generation",
    "load": "symoro.formats",
    "loop_geometry": "symoro.assembly",
    "mobility": "symoro.reports",
    "singularities": "symoro.reports",
    "write": "symoro.formats",
    "__version__": "symoro.version",
}

__all__ = [
    "BaseParameters",
    "Inertia",
    "Model",
    "Procedure",
    "Robot",
    "SymoroError",
    "base_parameters",
    "check",
    "generate",
    "load",
    "loop_geometry",
    "mobility",
    "singularities",
    "write",
]


def __getattr__(name: str) -> Any:
    """A model of the catalogue is a function of its name: symoro.inverse_dynamics(robot)."""
    from importlib import import_module

    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if not name.startswith("_"):
        from symoro.model import function
        from symoro.models.catalogue import entries

        for entry in entries():
            if name == entry.name:
                return function(entry)
    raise AttributeError(f"module 'symoro' has no attribute {name!r} (models: see symoro.__dir__())")


def __dir__() -> list[str]:
    from symoro.models.catalogue import entries

    return sorted([*__all__, *(entry.name for entry in entries())])
