"""Sums of angles: C2*C3 - S2*S3 becomes cos(q2 + q3), named C23."""

from __future__ import annotations

from symoro.ir.draft import Draft
from symoro.ir.graph import Graph
from symoro.ir.passes.drafted import Pass
from symoro.ir.program import Program
from symoro.ir.replay import rebuilt


@Pass
def merge_angles(program: Program) -> Draft:
    """Build the program again in a graph that recognises the sines and cosines of sums of angles."""
    return rebuilt(program, Graph(angle_sums=True))
