"""Programs as source code in other languages."""

from symoro.emit.package import emit
from symoro.emit.target import Target, target, targets

__all__ = ["Target", "emit", "target", "targets"]
