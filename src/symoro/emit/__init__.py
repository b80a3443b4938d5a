"""Programs as source code in other languages."""

from symoro.emit.loop import NEXT, Loop
from symoro.emit.package import emit, emit_all, traced_files
from symoro.emit.parts import Source
from symoro.emit.target import PRECISIONS, Target, target, targets
from symoro.emit.trace import Traced

__all__ = [
    "NEXT",
    "PRECISIONS",
    "Loop",
    "Source",
    "Target",
    "Traced",
    "emit",
    "emit_all",
    "target",
    "targets",
    "traced_files",
]
