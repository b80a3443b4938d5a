"""The machine for which LLVM compiles, and the way from text to code that runs: compiled, or loaded from the cache."""

from __future__ import annotations

import ctypes
import ctypes.util
import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from symoro.ir.program import Program
from symoro.runtime import cache as disk
from symoro.runtime.cache import digest
from symoro.runtime.kernel import NUMBERS, Array
from symoro.runtime.llvm_rows import CallOfPython, rows_module, state_module
from symoro.runtime.llvm_text import LIBM
from symoro.runtime.numpy import NumpyBound
from symoro.runtime.threads import CHUNK, Once, run, wait_for
from symoro.version import __version__

#: What llvmlite holds during each call of LLVM: code that another thread is making is not seen half made by a child.
_LOCK = getattr(llvm.ffi.lib, "_lock", None)
if _LOCK is not None:
    wait_for(_LOCK)
#: Each piece of code in memory has a number of its own; this many pieces share a linker.
_numbers = count()
_SHARED = 100


@dataclass(frozen=True, slots=True)
class Machine:
    """This computer: `fma` says if it multiplies and adds at once, `vector` how many bytes one instruction computes."""

    triple: str
    cpu: str
    features: str
    fma: bool
    vector: int

    def lanes(self, size: int) -> int:
        """How many numbers of this many bytes are computed at once."""
        return max(self.vector // size, 1)

    def target(self) -> Any:
        """A target of LLVM. The optimiser is not asked: a program is simplified and shared already.

        The linker of Windows and macOS may put code and its constants far apart: whole addresses find them there.
        ARM processors of Apple keep the small model: the large one could not be tried on them.
        """
        target = llvm.Target.from_triple(self.triple)
        far = "-windows-" in self.triple or self.triple.startswith("x86_64-apple-")
        reloc, model = ("static", "large") if far else ("pic", "small")
        return target.create_target_machine(cpu=self.cpu, features=self.features, opt=2, reloc=reloc, codemodel=model)


@cache
def machine() -> Machine:
    """Prepare LLVM, once in a process, and look at the machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    triple = object_triple(llvm.get_process_triple())
    fma = triple.startswith(("aarch64", "arm64")) or bool(features.get("fma"))
    vector = 64 if features.get("avx512f") else 32 if features.get("avx2") else 16
    return Machine(triple, llvm.get_host_cpu_name(), features.flatten(), fma, vector if fma else 8)


def object_triple(process: str) -> str:
    """The triple of the code for a process. LLVM's linker in memory does not find all constants in Windows's format."""
    return f"{process}-elf" if "-windows-" in process and not process.endswith("-elf") else process


@lru_cache(maxsize=1)
def _linker(generation: int) -> Any:
    """The part of LLVM that puts code into memory.

    Making one takes a millisecond, so that many pieces of code share it. It keeps some memory of each piece that is
    gone, so that it is replaced after a while; it goes with the last of its pieces.

    JITLink puts a piece and its constants side by side. LLVM's older linker asks for memory for each, and ends the
    process where the two are more than 2 GiB apart and the code is of the small model. It stays on other systems, with
    code of the large model (`Machine.target`): JITLink works without a runtime of LLVM's own on Linux alone.
    """
    return llvm.create_lljit_compiler(machine().target(), use_jit_link="-linux-" in machine().triple)


@cache
def _library() -> dict[str, int]:
    """The functions of the C library that code calls on a machine without `fma`, with their addresses."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else ctypes.util.find_library("m"))
    names = [name + suffix for name in LIBM for suffix in ("", "f")]
    return {n: int(ctypes.cast(getattr(library, n), ctypes.c_void_p).value or 0) for n in names if hasattr(library, n)}


class MachineCode:
    """Code that runs, with the addresses of its functions of these names; it lives as long as this object does."""

    def __init__(self, compiled: bytes, names: Iterable[str]) -> None:
        library = llvm.JITLibraryBuilder().add_object_img(compiled).add_current_process()
        for name in names:
            library.export_symbol(name)
        for name, address in () if machine().fma else _library().items():
            library.import_symbol(name, address)
        number = next(_numbers)
        linker = _linker(number // _SHARED)
        self._memory = library.link(linker, f"symoro {number}")
        self._linker = linker  # it must not go before the code does

    def address(self, name: str) -> int:
        return int(self._memory[name])


def code(key: tuple[object, ...], names: Iterable[str], text: Callable[[], str]) -> MachineCode:
    """The code of a text, which is written only if the cache has nothing for the key, with functions of these names."""
    host = machine()
    versions = (llvmlite.__version__, llvm.llvm_version_info, host.triple, host.cpu, host.features, _writers())
    name = hashlib.sha256(repr((key, versions)).encode()).hexdigest()
    kept = disk.get(name)
    if kept is not None:
        return MachineCode(kept, names)
    compiled = _compiled(text())
    disk.put(name, compiled)
    return MachineCode(compiled, names)


def _compiled(text: str) -> bytes:
    """An object file. Its functions are `nounwind`, so that it has no tables for unwinding.

    A linker registers such tables with the C runtime of the process and takes them back when the code goes. Other
    packages bring linkers and runtimes of their own, and one that does not know a table ends the process.
    """
    target = machine().target()
    module = llvm.parse_assembly(text)
    module.verify()
    return bytes(target.emit_object(module))


@cache
def _writers() -> str:
    """A number of the sources that decide what the code is: when one of them changes, old code is not used."""
    sources = hashlib.sha256(__version__.encode())
    here = Path(__file__).parent
    others = (here / "recycled.py", here / "threads.py", here.parent / "kernels" / "polynomials.py")
    with suppress(OSError):
        for path in (*sorted(here.glob("llvm*.py")), *sorted(here.glob("direct/*.py")), *others):
            sources.update(path.read_bytes())
    return sources.hexdigest()


# Machine code for a program, made in memory by LLVM: one state at a time, or as many at once as the machine can.


#: The bits of a NaN that no computation gives, by the bytes of a number.
_MARKS: dict[int, np.unsignedinteger[Any]] = {8: np.uint64(0x7FF8_7379_6D6F_726F), 4: np.uint32(0x7FC5_A5A5)}


class LlvmKernel:
    """The code of a program. The part for many states is compiled when it is first needed."""

    def __init__(self, program: Program, dtype: str = "float64", call: CallOfPython | None = None) -> None:
        self.program = program
        self.call = call
        self.dtype = np.dtype(dtype)
        self.width = machine().lanes(self.dtype.itemsize)
        self._number = NUMBERS[self.dtype.name]
        self.digest = digest(program)

    @Once
    def one(self) -> MachineCode:
        """`states`, and `call` where Python calls the code directly."""
        key = "one", self.digest, self._number, self.width, self.call
        names = ("states",) if self.call is None else ("states", "call")
        fma = machine().fma
        make = partial(state_module, self.program, self._number, self.width, fma, self.call)
        return code(key, names, make)

    @Once
    def many(self) -> MachineCode:
        """`rows`."""
        key = "rows", self.digest, self._number, self.width
        make = partial(rows_module, self.program, self._number, self.width, machine().fma)
        return code(key, ("rows",), make)

    def bind(self, constants: Array) -> LlvmBound:
        return LlvmBound(self, constants)


class LlvmBound:
    """The code with its constants."""

    def __init__(self, kernel: LlvmKernel, constants: Array) -> None:
        self.kernel = kernel  # keeps the code alive
        self.constants = np.ascontiguousarray(constants, dtype=kernel.dtype)

    def fill(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int, threads: int) -> None:
        """Compute n states. Those with an angle that is too large for our own sine are computed by NumPy."""
        if not self._run(inputs, outputs, n, threads):
            return
        for start in range(0, n, CHUNK):
            piece = slice(start, min(start + CHUNK, n))
            read = [a if a.ndim == 1 else a[piece] for a in inputs]
            written = [o[piece] for o in outputs]
            if self._run(read, written, piece.stop - start, 1):
                self._fill_with_large_angles(read, written, piece.stop - start)

    def _fill_with_large_angles(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int) -> None:
        """Compute some states one by one: the code leaves the results of a state with a large angle as they are."""
        first = next((o for o in outputs if o.shape[1]), None)
        if first is None:
            return
        mark = _MARKS[first.itemsize]
        bits = first.view(mark.dtype)
        bits[:, 0] = mark
        self.in_order(inputs, outputs, n)
        large = np.flatnonzero(bits[:, 0] == mark)
        computed = [np.empty((len(large), o.shape[1]), o.dtype) for o in outputs]
        read = [a if a.ndim == 1 else a[large] for a in inputs]
        k = self.kernel
        NumpyBound(k.program, self.constants, k.dtype).fill(read, computed, len(large), 1)
        for output, rows in zip(outputs, computed, strict=True):
            output[large] = rows

    def in_order(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int) -> int:
        """Compute n states one after the other, so that an output may be an input of the next state.

        1 where an angle is too large for our own sine, else 0.
        """
        return run(self.kernel.one.address("states"), n, self.constants, inputs, outputs)

    def _run(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int, threads: int) -> int:
        k = self.kernel
        if n >= k.width > 1:
            return run(k.many.address("rows"), n, self.constants, inputs, outputs, threads, self)
        return run(k.one.address("states"), n, self.constants, inputs, outputs)
