"""What can be tried here of Windows and macOS: their code is linked and run, and their names of files are used.

The code for a processor differs between the systems in the format of its objects and in the registers of a call. LLVM
writes and links all of them here; code that is called as on Windows gets a caller of a few lines.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.raised import raised
from symoro.errors import TargetError
from symoro.ir.program import split
from symoro.runtime import cache as disk
from symoro.runtime import llvm_machine, shared_library
from symoro.runtime.direct.code import CallText
from symoro.runtime.direct.objects import layout
from symoro.runtime.llvm_machine import MachineCode, machine, object_triple
from symoro.runtime.llvm_rows import rows_module, state_module
from symoro.runtime.threads import run
from symoro.web.limits import limit_memory

ARCHITECTURE = machine().triple.partition("-")[0]
MACOS, WINDOWS = f"{ARCHITECTURE}-apple-macosx11.0.0", f"{ARCHITECTURE}-pc-windows-msvc"
MODELS = ("inverse_dynamics", "direct_dynamics")
_LAYOUT = layout()
CALL = CallText(_LAYOUT) if _LAYOUT else None
STATES = np.random.default_rng(0).uniform(-1, 1, (3, 37, 6))


@cache
def puma(model: str) -> symoro.Model:
    return getattr(symoro, model)("puma560")


@pytest.fixture
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """LLVM writes and links code as on another system."""
    host = replace(machine(), triple=object_triple(request.param))
    monkeypatch.setattr(llvm_machine, "machine", lambda: host)
    monkeypatch.setenv(disk.VARIABLE, "off")
    llvm_machine._linker.cache_clear()
    yield
    llvm_machine._linker.cache_clear()


@pytest.mark.parametrize("system", [MACOS], indirect=True)
@pytest.mark.parametrize("model", MODELS)
def test_functions_of_macos(model: str, system: None) -> None:
    """Symbols have an underscore in front, and the calls are those of Linux: the whole function runs."""
    made = puma(model)
    f, exact = made.compile(), made.compile("numpy")
    compiled = llvm_machine._compiled(state_module(f._llvm.program, "double", 2, machine().fma))
    assert b"_states\0" in compiled
    assert compiled[:4] == bytes.fromhex("cffaedfe")  # Mach-O of 64 bits
    assert_close(f(*STATES[:, 0]), exact(*STATES[:, 0]), 1e-11)
    assert_close(f(*STATES), exact(*STATES), 1e-11)


def called_as_on_windows(address: int) -> MachineCode:
    """`run(job)` calls the code at an address with the registers that Windows uses."""
    registers = "win64cc " if ARCHITECTURE == "x86_64" else ""  # on ARM they are the same
    lines = f"%found = call {registers}i64 inttoptr (i64 {address} to ptr)(ptr %job)\n ret i64 %found"
    return MachineCode(_on_host(f"define i64 @run(ptr %job) {{\n {lines}\n}}"), ["run"])


def _on_host(text: str) -> bytes:
    return bytes(machine().target().emit_object(llvm.parse_assembly(text)))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("number", ["double", "float"])
def test_code_of_windows(model: str, number: str) -> None:
    """Constants are found by whole addresses, and a large stack asks the system for its pages."""
    made = puma(model)
    exact = made.compile("numpy")
    dtype = {"double": np.float64, "float": np.float32}[number]
    host = replace(machine(), triple=object_triple(WINDOWS))
    _, program = split(made.program)
    lanes = host.lanes(np.dtype(dtype).itemsize)
    texts = {
        "states": state_module(program, number, lanes, host.fma),
        "rows": rows_module(program, number, lanes, host.fma),
    }
    probe = MachineCode(_on_host("define void @nothing() {\n ret void\n}"), ["nothing"])
    linker = llvm.create_lljit_compiler(host.target())
    for name, text in texts.items():
        compiled = bytes(host.target().emit_object(llvm.parse_assembly(text)))
        library = llvm.JITLibraryBuilder().add_object_img(compiled).export_symbol(name)
        library.import_symbol("__chkstk", probe.address("nothing"))
        linked = library.link(linker, name)
        caller = called_as_on_windows(linked[name])
        inputs = [np.ascontiguousarray(x, dtype) for x in STATES]
        inputs += [np.zeros(len(i.variables), dtype) for i in program.inputs if i.optional]
        output = np.full((37, 6), np.nan, dtype)
        constants = exact.parameters.constants({}).astype(dtype)
        assert run(caller.address("run"), 37, constants, inputs, [output]) == 0
        assert_close(output, exact(*STATES), 1e-11 if number == "double" else 1e-3)


@pytest.mark.parametrize("triple", ["arm64-apple-macosx11.0.0", "aarch64-pc-windows-msvc", "aarch64-unknown-linux-gnu"])
def test_code_for_arm_needs_nothing_of_the_system(triple: str) -> None:
    """It is written here, but not run: it calls no function but its own."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    cpu = "apple-m1" if "apple" in triple else "generic"
    host = replace(machine(), triple=object_triple(triple), cpu=cpu, features="", fma=True, vector=16)
    _, program = split(puma("direct_dynamics").program)
    texts = state_module(program, "double", 2, True, CALL), rows_module(program, "double", 2, True)
    for text in texts:
        module = llvm.parse_assembly(text)
        magic = bytes(host.target().emit_object(module))[:4]
        assert magic == (bytes.fromhex("cffaedfe") if "apple" in triple else b"\x7fELF")
        called = set(re.findall(r"\bbl\s+(\w+)", host.target().emit_assembly(llvm.parse_assembly(text))))
        assert called <= {"state", "_state"}


def test_triples() -> None:
    assert object_triple(WINDOWS) == object_triple(object_triple(WINDOWS)) == f"{WINDOWS}-elf"
    assert object_triple(MACOS) == MACOS


@pytest.mark.parametrize(
    ("system", "processor", "ending", "with_options", "without"),
    [
        ("linux", "x86_64", ".so", {"-fPIC", "-march=native"}, {"-mcpu=native"}),
        ("darwin", "arm64", ".dylib", {"-fPIC", "-mcpu=native"}, {"-march=native"}),
        ("win32", "AMD64", ".dll", {"-shared"}, {"-fPIC", "-march=native", "-lm"}),
    ],
)
def test_commands_of_the_c_compiler(
    system: str,
    processor: str,
    ending: str,
    with_options: set[str],
    without: set[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    commands: list[list[str]] = []

    def note(command: list[str], **_: object) -> object:
        commands.append(command)
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: processor)
    monkeypatch.setattr("subprocess.run", note)
    monkeypatch.setenv("CC", "C:\\tools\\gcc.exe -m64" if system == "win32" else "/tools/gcc -m64")
    with raised("backends.compiler_not_run", TargetError):
        shared_library.loaded([("a.c", "int a;"), ("b.h", "")])
    (command,) = commands
    assert command[:2] == (["C:\\tools\\gcc.exe", "-m64"] if system == "win32" else ["/tools/gcc", "-m64"])
    assert with_options <= set(command)
    assert not without & set(command)
    assert command[command.index("-o") + 1].endswith(ending)
    assert [Path(word).name for word in command if word.endswith((".c", ".h"))] == ["a.c"]


def test_a_command_of_the_c_compiler_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", 'gcc "-O2')
    with raised("backends.command", TargetError):
        shared_library.compiler()
    monkeypatch.setenv("CC", "  ")
    assert shared_library.compiler() == _without_cc(monkeypatch)


def _without_cc(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.delenv("CC")
    return shared_library.compiler()


def test_the_library_of_mathematics_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only code for a processor without fused multiplication asks for it."""
    asked: list[object] = []
    way = ctypes.CDLL
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr("ctypes.CDLL", lambda name: asked.append(name) or way(None))
    assert {"sin", "atan2"} <= llvm_machine._library.__wrapped__().keys()
    assert asked == ["ucrtbase"]


def test_the_cache_folder_of_windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Windows has no owners as Linux has: the folder of the user is taken as it is."""
    monkeypatch.delenv(disk.VARIABLE, raising=False)
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.delattr("os.getuid")
    disk.put(f"{7:064x}", b"code")
    assert disk.folder() == tmp_path / "symoro"
    assert disk.get(f"{7:064x}") == b"code"
    assert disk.clear().entries == 1


def test_memory_of_requests_is_not_limited_where_its_size_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS, which has no /proc; a limit below what a process has would stop it."""
    limits: list[object] = []
    monkeypatch.setattr("resource.setrlimit", lambda *limit: limits.append(limit))
    limit_memory(100)
    assert len(limits) == 1
    monkeypatch.setattr(Path, "read_text", lambda path: (_ for _ in ()).throw(FileNotFoundError(2, "no /proc")))
    limit_memory(100)
    assert len(limits) == 1


def test_code_has_no_tables_for_unwinding() -> None:
    """A linker would register them with a runtime of C, and there are several where JAX is loaded, too."""
    program = puma("direct_dynamics").compile()._llvm.program
    texts = (
        state_module(program, "double", machine().lanes(8), machine().fma, CALL),
        rows_module(program, "double", machine().lanes(8), machine().fma),
    )
    for text in texts:
        assert b"eh_frame" not in llvm_machine._compiled(text)
        assert b"eh_frame" in llvm_machine._compiled(text.replace(" nounwind {", " {"))
