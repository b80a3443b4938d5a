"""Programs as source code in other languages."""

from symoro.emit.loop import NEXT, Loop
from symoro.emit.package import emit, emit_all
from symoro.emit.parts import Source
from symoro.emit.target import PRECISIONS, Target, target, targets

__all__ = ["NEXT", "PRECISIONS", "Loop", "Source", "Target", "emit", "emit_all", "target", "targets"]
