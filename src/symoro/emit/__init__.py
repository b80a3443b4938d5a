"""Programs as source code in other languages."""

from symoro.emit.package import NEXT, ClosedLoop, Source, emit, emit_all, traced_files
from symoro.emit.target import PRECISIONS, Target, target, targets
from symoro.emit.trace import Traced

__all__ = [
    "NEXT",
    "PRECISIONS",
    "ClosedLoop",
    "Source",
    "Target",
    "Traced",
    "emit",
    "emit_all",
    "target",
    "targets",
    "traced_files",
]
