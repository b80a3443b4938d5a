"""The machine for which LLVM compiles, and the way from text to code that runs: compiled, or loaded from the cache."""

from __future__ import annotations

import ctypes
import ctypes.util
import hashlib
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import count
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from symoro.forks import wait_for
from symoro.runtime import cache as disk
from symoro.runtime.llvm_text import LIBM
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

        Windows may put code and its constants far apart, so that they are found by whole addresses there.
        """
        target = llvm.Target.from_triple(self.triple)
        reloc, model = ("static", "large") if "-windows-" in self.triple else ("pic", "small")
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
    """
    return llvm.create_lljit_compiler(machine().target())


@cache
def _library() -> dict[str, int]:
    """The functions of the C library that code calls on a machine without `fma`, with their addresses."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else ctypes.util.find_library("m"))
    names = [name + suffix for name in LIBM for suffix in ("", "f")]
    return {n: int(ctypes.cast(getattr(library, n), ctypes.c_void_p).value or 0) for n in names if hasattr(library, n)}


class Code:
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


def code(key: tuple[object, ...], names: Iterable[str], text: Callable[[], str]) -> Code:
    """The code of a text, which is written only if the cache has nothing for the key, with functions of these names."""
    host = machine()
    versions = (llvmlite.__version__, llvm.llvm_version_info, host.triple, host.cpu, host.features, _writers())
    name = hashlib.sha256(repr((key, versions)).encode()).hexdigest()
    found = disk.get(name)
    if found is not None:
        return Code(found, names)
    compiled = _compiled(text())
    disk.put(name, compiled)
    return Code(compiled, names)


def _compiled(text: str) -> bytes:
    target = machine().target()
    module = llvm.parse_assembly(text)
    module.verify()
    return bytes(target.emit_object(module))


@cache
def _writers() -> str:
    """A number of the sources that decide what the code is: when one of them changes, old code is not used."""
    found = hashlib.sha256(__version__.encode())
    here = Path(__file__).parent
    others = (here / "job.py", here / "layout.py", here.parent / "kernels" / "polynomials.py")
    with suppress(OSError):
        for path in (*sorted(here.glob("llvm*.py")), *others):
            found.update(path.read_bytes())
    return found.hexdigest()
