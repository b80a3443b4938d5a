"""The modules that most tasks need. They are loaded once, in the process from which those of the tasks are forked."""

from __future__ import annotations

from symoro.emit import traced_files
from symoro.formats import load
from symoro.solve.given import model
from symoro.solve.ways import inverse_geometry

__all__ = ["inverse_geometry"]

torques = model("inverse_dynamics", load("planar2r"), params="base")
traced_files(torques.source, "c")
