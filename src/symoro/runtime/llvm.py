"""Machine code for a program, made in memory by LLVM."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from symoro.ir.program import Program
from symoro.runtime.function import default_array
from symoro.runtime.kernel import Array
from symoro.runtime.llvm_text import LIBM, module_text

#: LLVM's optimiser is not used for more instructions than this: its time grows faster than the code, and it gains
#: nothing, because a program is already simplified and shared.
_LARGE = 2000


def kernel(program: Program) -> LlvmKernel:
    return LlvmKernel(program)


@cache
def _start() -> None:
    """Prepare LLVM, once in a process: the native target, and the functions of the C library that the code calls."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    for name in LIBM:
        if not llvm.address_of_symbol(name) and hasattr(library, name):
            llvm.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)


class LlvmKernel:
    """The compiled code; it lives as long as this object does."""

    def __init__(self, program: Program) -> None:
        _start()
        self.program = program
        level = 3 if len(program.instructions) < _LARGE else 0
        machine = llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3
        )
        module = llvm.parse_assembly(module_text(program))
        module.verify()
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=level))
        builder.getModulePassManager().run(module, builder)
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()
        self.call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._engine.get_function_address("kernel"))

    def bind(self, constants: Array) -> LlvmBound:
        return LlvmBound(self, constants)


class LlvmBound:
    """The code with its constants."""

    def __init__(self, kernel: LlvmKernel, constants: Array) -> None:
        self.kernel = kernel  # keeps the code alive
        self.constants = np.ascontiguousarray(constants, dtype=np.float64)
        self.sizes = [len(o.elements) for o in kernel.program.outputs]
        self.one = _single_state(self)

    def job(self, n: int, inputs: Sequence[Array], steps: Sequence[int], outputs: Sequence[Array]) -> Any:
        """The argument of the code, see `module_text`."""
        words = [n, self.constants.ctypes.data]
        for array, step in zip(inputs, steps, strict=True):
            words += [array.ctypes.data, step]
        return np.array([*words, *(o.ctypes.data for o in outputs)], dtype=np.int64)

    def many(self, inputs: Sequence[Array], n: int) -> list[Array]:
        outputs = [np.empty((n, size)) for size in self.sizes]
        steps = [a.shape[-1] if a.ndim > 1 else 0 for a in inputs]
        job = self.job(n, inputs, steps, outputs)
        self.kernel.call(job.ctypes.data)
        return outputs


class _Buffers:
    """Inputs and outputs of one state at fixed addresses, so that a call passes one pointer."""

    __slots__ = ("address", "inputs", "job", "optional", "outputs")

    def __init__(self, bound: LlvmBound) -> None:
        program = bound.kernel.program
        arrays = [default_array(i) for i in program.inputs]
        self.inputs = [a for a, i in zip(arrays, program.inputs, strict=True) if not i.optional]
        self.optional = [a for a, i in zip(arrays, program.inputs, strict=True) if i.optional]
        self.outputs = [np.zeros(o.shape) for o in program.outputs]
        self.job = bound.job(1, arrays, [0] * len(arrays), self.outputs)
        self.address = ctypes.c_void_p(self.job.ctypes.data)


def _single_state(bound: LlvmBound) -> Callable[[Sequence[Any]], list[Array] | None]:
    """The fast function for one state. Its style is plain, because every microsecond counts in a control loop.

    A thread takes buffers from a pool and puts them back; both are atomic.
    """
    shapes = [i.shape for i in bound.kernel.program.inputs if not i.optional]
    pool: list[_Buffers] = []
    call, float64 = bound.kernel.call, np.dtype(np.float64)
    only = len(bound.sizes) == 1

    def one(inputs: Sequence[Any]) -> list[Array] | None:
        try:
            buffers = pool.pop()
        except IndexError:
            buffers = _Buffers(bound)
        for k, view in enumerate(buffers.inputs):
            x = inputs[k]
            if type(x) is not np.ndarray or x.shape != shapes[k] or x.dtype is not float64:
                pool.append(buffers)
                return None
            view[...] = x
        call(buffers.address)
        outputs = [buffers.outputs[0].copy()] if only else [o.copy() for o in buffers.outputs]
        pool.append(buffers)
        return outputs

    return one
