"""Programs as functions of NumPy arrays."""

from symoro.runtime.backends import backends, compile_program
from symoro.runtime.function import Function

__all__ = ["Function", "backends", "compile_program"]
