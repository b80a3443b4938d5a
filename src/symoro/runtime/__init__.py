"""Programs as functions of NumPy arrays."""

from symoro.runtime.function import Function, backends, compile_program

__all__ = ["Function", "backends", "compile_program"]
