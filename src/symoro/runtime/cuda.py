"""A program as a function of arrays on a CUDA device: the text of its kernel, and arrays of other libraries."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from typing import Any

import numpy as np

from symoro.errors import ParameterError, ShapeError, TargetError
from symoro.findings import Finding
from symoro.ir.program import Input, Instruction, Program, split
from symoro.kernels.cuda_body import BLOCK, KernelShape, kernel_body, shape_of
from symoro.kernels.cuda_head import Precision, head
from symoro.runtime.function import Signature, Values, batch_shape, leading_axes, require_shape
from symoro.runtime.kernel import Array


def cupy() -> Any:
    """The module; an error that says how to get it where it is missing or where there is no device."""
    try:
        module = import_module("cupy")
    except ImportError:
        raise TargetError("backends.cupy") from None
    try:
        devices = module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError as error:
        raise TargetError("backends.cuda_driver", reason=error) from None
    if not devices:
        raise TargetError("backends.cuda_device")
    return module


def library_of(value: Any) -> str:
    """The library that an array belongs to: cupy, torch or jax for arrays on a device, else numpy."""
    name = type(value).__module__.partition(".")[0]
    name = "jax" if name == "jaxlib" else name
    if name == "cupy" or (name == "torch" and value.is_cuda) or (name == "jax" and _on_gpu(value)):
        return name
    return "numpy"


def _on_gpu(value: Any) -> bool:
    return any(device.platform in ("gpu", "cuda") for device in value.devices())


def as_array(declared: Input, value: Any) -> Any:
    """The input as an array of real numbers of CuPy or, on the host, of NumPy; nothing is copied but other dtypes."""
    library, cp = library_of(value), cupy()
    if library in ("torch", "jax"):
        array = cp.from_dlpack(value.detach() if library == "torch" else value)
    else:
        array = value if library == "cupy" else _on_host(declared, value)
    if array.dtype.kind not in "fiub":
        raise _not_real(declared, Finding("runtime.type", type=array.dtype))
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _on_host(declared: Input, value: Any) -> Any:
    try:
        return np.asarray(value)
    except ValueError as error:
        raise _not_real(declared, error) from None


def _not_real(declared: Input, reason: object) -> ShapeError:
    subject = Finding("runtime.input", name=declared.name, shape=str(declared.shape))
    return ShapeError("runtime.not_real", subject=subject, reason=reason)


def _to_torch(array: Any) -> Any:
    return import_module("torch").from_dlpack(array)


def _to_jax(array: Any) -> Any:
    cupy().cuda.get_current_stream().synchronize()  # JAX works on a stream of its own
    return import_module("jax").dlpack.from_dlpack(array)


def _to_numpy(array: Any) -> Any:
    return cupy().asnumpy(array)


#: From a CuPy array to an array of each library.
GIVE: Mapping[str, Callable[[Any], Any]] = {
    "numpy": _to_numpy,
    "cupy": lambda array: array,
    "torch": _to_torch,
    "jax": _to_jax,
}


def stream(library: str) -> Any:
    """The stream on which the caller's library works, as a context."""
    cp = cupy()
    if library == "torch":
        return cp.cuda.ExternalStream(import_module("torch").cuda.current_stream().cuda_stream)
    return cp.cuda.get_current_stream()


# The text of the kernel that the backend `cuda` compiles: one thread for each state.
#
# The constants of a binding are passed by value where they are few, so that the kernel reads them as operands.


#: Bytes of constants that a kernel takes by value; more of them lie in memory.
BY_VALUE = 3500


def kernel_text(program: Program, precision: Precision, shape: KernelShape) -> str:
    """The source of `model(n, constants, input, step …, output …)`; a step is 0 where all states share an input."""
    operations = {i.op for i in program.instructions}
    constants = f"struct Constants {{ real c[{max(1, len(program.parameters))}]; }};\n"
    lines = [*_signature(program, precision, shape), *kernel_body(program, shape, _Numbered()), "}", ""]
    return "\n".join([head(operations, precision, bool(shape.piece)), constants, *lines])


def constants_by_value(program: Program, precision: Precision) -> bool:
    return len(program.parameters) * np.dtype(precision).itemsize <= BY_VALUE


def _signature(program: Program, precision: Precision, shape: KernelShape) -> list[str]:
    by_value = constants_by_value(program, precision)
    words = ["long long n", "Constants held" if by_value else "const Constants *memory"]
    for k in range(len(program.inputs)):
        words += [f"const real *__restrict__ in{k}", f"long long step{k}"]
    words += [f"real *__restrict__ out{k}" for k in range(len(program.outputs))]
    lines = [
        f'extern "C" __global__ void __launch_bounds__({shape.block}) model({", ".join(words)})',
        "{",
        f"    const long long first = (long long)blockIdx.x * {shape.block};",
        "    const long long i = first + threadIdx.x < n ? first + threadIdx.x : n - 1;",
    ]
    lines += [] if by_value else ["    const Constants &held = *memory;"]
    lines += [f"    __shared__ real rows[{shape.shared}];"] if shape.shared else []
    return lines + [f"    const real *const row{k} = in{k} + i * step{k};" for k in range(len(program.inputs))]


class _Numbered:
    """Names by numbers: nobody reads them."""

    def __init__(self) -> None:
        self._numbers = count()

    def constant(self, k: int) -> str:
        return f"held.c[{k}]"

    def row(self, k: int) -> str:
        return f"row{k}"

    def output(self, k: int) -> str:
        return f"out{k}"

    def variable(self, name: str) -> str:
        return f"v{next(self._numbers)}"

    def fresh(self, word: str) -> str:
        return f"{word}{next(self._numbers)}"

    def remark(self, instruction: Instruction) -> str:
        return ""


# A program as a function of arrays on a CUDA device: one thread for each state, compiled by NVRTC through CuPy.


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
    shape: KernelShape

    def __call__(self, n: int, arguments: list[Any]) -> None:
        """Put it into the queue of the current stream; the arguments are ctypes values."""
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(a) for a in arguments))
        blocks = (n + self.shape.block - 1) // self.shape.block
        queue = cupy().cuda.get_current_stream().ptr
        cupy().cuda.driver.launchKernel(
            self.kernel.kernel.ptr, blocks, 1, 1, self.shape.block, 1, 1, 0, queue, ctypes.addressof(pointers), 0
        )


class CompiledCuda:
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

    def __init__(self, kernel: CompiledCuda, constants: Array) -> None:
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
        self._arguments = program, dict(defaults), tuple(sorted(known)), dtype
        self.dtype = np.dtype(dtype)
        self._kernel = CompiledCuda(split(program)[1])
        self._default: CudaBound | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return function, self._arguments

    def __call__(self, *inputs: Any, values: Values | None = None, **named: Any) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name."""
        bound = self.bound(values or {})
        by_name = self._gather(inputs, named)
        libraries = [library_of(value) for value in by_name.values()]
        library = next((name for name in libraries if name != "numpy"), "numpy")
        with stream(library):
            outputs = self._launched(bound, by_name, _precision(self.dtype, (*inputs, *named.values())))
            return self._result([GIVE[library](output) for output in outputs])

    def bound(self, values: Values) -> CudaBound:
        """The kernel with the constants of these values."""
        if not values:
            self._default = self._default or CudaBound(self._kernel, self.parameters.constants({}))
            return self._default
        constants = self.parameters.constants(values)
        if constants.ndim != 1:
            raise ParameterError("backends.cuda_values")
        return CudaBound(self._kernel, constants)

    def _launched(self, bound: CudaBound, by_name: Mapping[str, Any], precision: Precision) -> list[Any]:
        cp = cupy()
        arrays = [_checked(i, as_array(i, by_name[i.name])) for i in self.program.inputs]
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


def _precision(dtype: np.dtype[Any], arrays: Collection[Any]) -> Precision:
    """float32 where it was asked for or every array has it, else float64; lists have no precision of their own."""
    if dtype == np.float32:
        return "float32"
    types = {str(value.dtype).rpartition(".")[2] for value in arrays if hasattr(value, "dtype")}
    return "float32" if types == {"float32"} else "float64"


def _checked(declared: Input, array: Any) -> Any:
    require_shape(declared, array.shape)
    return array
