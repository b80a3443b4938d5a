"""Programs as source code in other languages."""

from symoro.emit.package import NEXT, ClosedLoopArrays, Source, emit, emit_all, traced_files
from symoro.emit.target import PRECISIONS, Target, target, targets
from symoro.emit.trace import Traced

__all__ = [
    "NEXT",
    "PRECISIONS",
    "ClosedLoopArrays",
    "Source",
    "Target",
    "Traced",
    "emit",
    "emit_all",
    "target",
    "targets",
    "traced_files",
]
