"""A program as a function of arrays on a CUDA device: one thread for each state, compiled by NVRTC through CuPy."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.errors import ParameterError
from symoro.ir.program import Input, Program
from symoro.ir.split import split
from symoro.kernels.cuda_body import BLOCK, Shape, shape_of
from symoro.kernels.cuda_head import Precision
from symoro.runtime.cuda_arrays import GIVE, as_array, cupy, library_of, stream
from symoro.runtime.cuda_text import constants_by_value, kernel_text
from symoro.runtime.function import batch_shape, leading_axes, require_shape
from symoro.runtime.kernel import Array
from symoro.runtime.parameters import Values
from symoro.runtime.signature import Signature

#: Bytes of memory that a thread has for the call of the library's sine; more of them are registers that spilled.
CALL_FRAME = 64
_OPTIONS = ("--std=c++17", "--fmad=true")


def function(program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str) -> CudaFunction:
    """The backend `cuda`."""
    cupy()  # say at once what is missing
    return CudaFunction(program, defaults, known, dtype)


@dataclass(frozen=True, slots=True)
class Launch:
    """A compiled kernel and how it is launched."""

    kernel: Any
    shape: Shape

    def __call__(self, n: int, arguments: list[Any]) -> None:
        """Put it into the queue of the current stream; the arguments are ctypes values."""
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(a) for a in arguments))
        blocks = (n + self.shape.block - 1) // self.shape.block
        queue = cupy().cuda.get_current_stream().ptr
        cupy().cuda.driver.launchKernel(
            self.kernel.kernel.ptr, blocks, 1, 1, self.shape.block, 1, 1, 0, queue, ctypes.addressof(pointers), 0
        )


class CudaKernel:
    """The kernels of a program: one for each precision, compiled when it is first needed."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._launches: dict[Precision, Launch] = {}

    def launch(self, precision: Precision) -> Launch:
        if precision not in self._launches:
            self._launches[precision] = self._fitting(precision)
        return self._launches[precision]

    def _fitting(self, precision: Precision) -> Launch:
        """The kernel whose values stay in registers; else the order of instructions in which fewer of them spill."""
        fast = self._compiled(precision, compact=False)
        if fast.kernel.local_size_bytes <= CALL_FRAME:
            return fast
        compact = self._compiled(precision, compact=True)
        return min(fast, compact, key=lambda launch: launch.kernel.local_size_bytes)

    def _compiled(self, precision: Precision, compact: bool) -> Launch:
        shape = shape_of(self.program, BLOCK, precision, compact)
        text = kernel_text(self.program, precision, shape)
        return Launch(cupy().RawKernel(text, "model", options=_OPTIONS, backend="nvrtc"), shape)


class CudaBound:
    """A kernel with its constants, which are passed by value where they are few."""

    def __init__(self, kernel: CudaKernel, constants: Array) -> None:
        self.kernel = kernel
        self.constants = constants
        self._memory: dict[Precision, Any] = {}

    def run(self, arrays: list[Any], steps: list[int], outputs: list[Any], n: int, precision: Precision) -> None:
        arguments: list[Any] = [ctypes.c_longlong(n), self._held(precision)]
        for array, step in zip(arrays, steps, strict=True):
            arguments += [ctypes.c_void_p(array.data.ptr), ctypes.c_longlong(step)]
        arguments += [ctypes.c_void_p(output.data.ptr) for output in outputs]
        self.kernel.launch(precision)(n, arguments)

    def _held(self, precision: Precision) -> Any:
        numbers = self.constants.astype(precision) if len(self.constants) else np.zeros(1, precision)
        if constants_by_value(self.kernel.program, precision):
            return (ctypes.c_byte * numbers.nbytes).from_buffer_copy(numbers.tobytes())
        if precision not in self._memory:
            self._memory[precision] = cupy().asarray(numbers)
        return ctypes.c_void_p(self._memory[precision].data.ptr)


class CudaFunction(Signature):
    """A function such as f(q, qd, qdd) of arrays on the device: CuPy, PyTorch or JAX arrays, or NumPy arrays.

    Arrays on the device are read where they lie and the results stay there, in the library of the first such input;
    work goes into the caller's stream. NumPy arrays are copied there and back. Where every array is float32, so are
    the kernel and its results; else they are float64. `dtype` float32 is for all arrays.
    """

    def __init__(self, program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str) -> None:
        super().__init__(program, defaults, known)
        self._made_of = program, dict(defaults), tuple(sorted(known)), dtype
        self.dtype = np.dtype(dtype)
        self._kernel = CudaKernel(split(program)[1])
        self._default: CudaBound | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return function, self._made_of

    def __call__(self, *inputs: Any, values: Values | None = None, **named: Any) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name."""
        bound = self.bound(values or {})
        given = self._gather(inputs, named)
        libraries = [library_of(value) for value in given.values()]
        library = next((name for name in libraries if name != "numpy"), "numpy")
        with stream(library):
            outputs = self._launched(bound, given, _precision(self.dtype, (*inputs, *named.values())))
            return self._result([GIVE[library](output) for output in outputs])

    def bound(self, values: Values) -> CudaBound:
        """The kernel with the constants of these values."""
        if not values:
            self._default = self._default or CudaBound(self._kernel, self.parameters.constants({}))
            return self._default
        constants = self.parameters.constants(values)
        if constants.ndim != 1:
            raise ParameterError("the backend cuda takes one number for each parameter: call it for each set of values")
        return CudaBound(self._kernel, constants)

    def _launched(self, bound: CudaBound, given: Mapping[str, Any], precision: Precision) -> list[Any]:
        cp = cupy()
        arrays = [_checked(i, as_array(i.name, given[i.name])) for i in self.program.inputs]
        arrays = [cp.ascontiguousarray(cp.asarray(array), dtype=precision) for array in arrays]
        leading = leading_axes(self.program.inputs, arrays)
        batch = batch_shape(leading)
        n = int(np.prod(batch, dtype=np.int64))
        rows, steps = [], []
        for array, shape, declared in zip(arrays, leading.values(), self.program.inputs, strict=True):
            shared = int(np.prod(shape, dtype=np.int64)) == 1
            full = array if shared else cp.ascontiguousarray(cp.broadcast_to(array, (*batch, *declared.shape)))
            rows.append(full)
            steps.append(0 if shared else len(declared.variables))
        outputs = [cp.empty((*batch, *shape), precision) for shape in self.outputs.values()]
        if n and any(output.size for output in outputs):
            bound.run(rows, steps, outputs, n, precision)
        return outputs


def _precision(dtype: np.dtype[Any], given: Collection[Any]) -> Precision:
    """float32 where it was asked for or every array has it, else float64; lists have no precision of their own."""
    if dtype == np.float32:
        return "float32"
    types = {str(value.dtype).rpartition(".")[2] for value in given if hasattr(value, "dtype")}
    return "float32" if types == {"float32"} else "float64"


def _checked(declared: Input, array: Any) -> Any:
    require_shape(declared, array.shape)
    return array
