"""Compiled code is kept on disk; nothing that happens to the disk is noticed by a caller."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from support.one_operation import compiled, operation
from symoro.ir.constant import Constant
from symoro.ir.ops import Op
from symoro.ir.program import Literal
from symoro.runtime import cache, llvm_machine
from symoro.runtime.digest import digest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "kept"
    monkeypatch.setenv(cache.VARIABLE, str(place))
    return place


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    way = llvm_machine._compiled
    monkeypatch.setattr(llvm_machine, "_compiled", lambda text: found.append(text) or way(text))
    return found


def use() -> None:
    x = np.linspace(-1, 1, 50)
    np.testing.assert_allclose(compiled(Op.SIN)(x), np.sin(x), rtol=1e-14)


def test_code_is_compiled_once(folder: Path, compilations: list[str]) -> None:
    use()
    assert len(compilations) == len(list(folder.iterdir())) == 2  # for one state and for many
    use()
    assert len(compilations) == 2
    assert folder.stat().st_mode & 0o777 == 0o700


def test_damaged_entries_are_made_again(folder: Path, compilations: list[str]) -> None:
    use()
    for damage in (b"", b"nonsense", None, "flip", "exchange"):
        first, second = (path.read_bytes() for path in sorted(folder.iterdir()))
        for path, entry, other in zip(sorted(folder.iterdir()), (first, second), (second, first), strict=True):
            if damage is None:
                path.write_bytes(entry[:-7])
            elif damage == "flip":
                path.write_bytes(entry[:200] + bytes([entry[200] ^ 1]) + entry[201:])
            elif damage == "exchange":
                path.write_bytes(other)
            else:
                path.write_bytes(damage)
        before = len(compilations)
        use()
        assert len(compilations) == before + 2


def test_without_a_cache_everything_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compilations: list) -> None:
    monkeypatch.setenv(cache.VARIABLE, "off")
    use()
    assert cache.usage() == cache.Usage(None, 0, 0)
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file"))
    (tmp_path / "file").write_text("here is no folder")
    use()
    monkeypatch.setenv(cache.VARIABLE, "/proc/nothing/can/be/made/here")
    use()
    assert len(compilations) == 6


def test_a_full_disk_is_not_an_error(folder: Path, compilations: list, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    use()
    assert list(folder.iterdir()) == []


def test_a_folder_that_others_can_write_is_not_used(folder: Path, compilations: list[str]) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    use()
    use()
    assert len(compilations) == 4
    assert list(folder.iterdir()) == []


def test_the_oldest_entries_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LIMIT", 1000)
    for k in range(10):
        cache.put(f"entry{k}", bytes(200))
        os.utime(folder / f"entry{k}.code", (k, k))
    assert sorted(p.name for p in folder.iterdir()) == [f"entry{k}.code" for k in (6, 7, 8, 9)]
    assert cache.get("entry6") == bytes(200)  # now it is the youngest
    cache.put("another", bytes(200))
    assert sorted(p.name for p in folder.iterdir()) == [f"{n}.code" for n in ("another", "entry6", "entry8", "entry9")]
    assert cache.usage() == cache.Usage(folder, 4, sum(p.stat().st_size for p in folder.iterdir()))
    cache.clear()
    assert cache.usage().entries == 0


def test_writers_and_readers_at_the_same_time_see_whole_entries(folder: Path) -> None:
    codes = {k: bytes([k]) * 50_000 for k in range(4)}
    wrong: list[bytes] = []

    def work(k: int) -> None:
        for _ in range(60):
            cache.put("same", codes[k])
            found = cache.get("same")
            if found not in codes.values():
                wrong.append(found or b"")

    threads = [threading.Thread(target=work, args=(k,)) for k in codes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert [p.name for p in folder.iterdir()] == ["same.code"]


def test_other_processes_find_the_code(folder: Path) -> None:
    text = (
        "from symoro.runtime import llvm_machine\n"
        "from symoro.ir.ops import Op\n"
        "from support.one_operation import compiled\n"
        "llvm_machine._compiled = None\n"
        "print(float(compiled(Op.SIN)(0.5)))"
    )
    use()
    places = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    found = subprocess.run(
        [sys.executable, "-c", text],
        env=os.environ | {"PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(found.stdout) == pytest.approx(np.sin(0.5), rel=1e-15)


def test_memory_of_code_that_is_gone_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM keeps a little of each piece of code until its linker goes: that is soon, and not before its code goes."""
    monkeypatch.setattr(llvm_machine, "_SHARED", 4)
    first = compiled(Op.SIN)
    linker = weakref.ref(first._llvm.one._linker)
    for _ in range(8):
        use()
    assert linker() is not None
    assert first(np.array([0.5])) == pytest.approx(np.sin(0.5), rel=1e-15)
    del first
    gc.collect()
    assert linker() is None


def test_programs_have_a_digest_of_their_own() -> None:
    assert digest(operation(Op.SIN)) == digest(operation(Op.SIN))
    assert len({digest(operation(op)) for op in (Op.SIN, Op.COS, Op.SQRT)}) == 3
    program = operation(Op.SIN)
    line, output = program.instructions[0], program.outputs[0]
    others = (
        replace(program, instructions=(replace(line, args=(-line.args[0],)),)),
        replace(program, outputs=(replace(output, elements=(-output.elements[0],)),)),
        replace(program, outputs=(replace(output, elements=(Literal(Constant(Fraction(1, 3))),)),)),
        replace(program, inputs=(replace(program.inputs[0], optional=True),)),
    )
    assert len({digest(p) for p in (program, *others)}) == 5
