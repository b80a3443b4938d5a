"""The fingerprints of a program, which two passes read."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.ir.passes.last import of_the_last
from symoro.ir.program import Program
from symoro.ir.signature import Signatures


@of_the_last
def fingerprints(program: Program) -> Mapping[str, int]:
    """Of every variable (see `ir.signature`)."""
    return Signatures(program).of
