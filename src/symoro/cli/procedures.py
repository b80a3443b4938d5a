"""Procedures of Python on the command line: which models show their equations, and which are their steps."""

from __future__ import annotations

EQUATIONS = {"loop_geometry": "loop_closure"}
"""A procedure: the model that has its equations, as `symoro.loop_geometry(robot).equations()`."""
STEP = {"loop_geometry": "loop_step"}
"""A procedure: the model that is written as code and counted, as `symoro.loop_geometry(robot).emit`."""
