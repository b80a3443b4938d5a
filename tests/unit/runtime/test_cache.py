"""Compiled code is kept on disk; nothing that happens to the disk is noticed by a caller."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from support.one_operation import compiled
from support.raised import raised
from symoro.errors import SymoroError
from symoro.ir.expr import Op
from symoro.runtime import cache, llvm_machine


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; the small programs that show whether direct calls are right are compiled before."""
    compiled(Op.SIN)
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


def test_an_entry_with_any_wrong_byte_is_no_entry(folder: Path) -> None:
    """Every byte of mark, length, sum and code changed, and every length but the right one."""
    cache.put(key(0), bytes(range(50)))
    path = folder / f"{key(0)}.code"
    whole = path.read_bytes()
    wrong = [whole[:k] + bytes([whole[k] ^ 16]) + whole[k + 1 :] for k in range(len(whole))]
    wrong += [whole[:k] for k in range(len(whole))] + [whole + b"\0", whole * 2]
    for entry in wrong:
        path.write_bytes(entry)
        assert cache.get(key(0)) is None
    path.write_bytes(whole)
    assert cache.get(key(0)) == bytes(range(50))
    assert cache.get(key(1)) is None


def test_files_of_others_are_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that SYMORO_CACHE names may be any folder of the user."""
    monkeypatch.setattr(cache, "LIMIT", 0)
    folder.mkdir(mode=0o700)
    others = ["film.part", "notes.code", "0123.code", f"{key(0)}.txt"]
    for name in others:
        (folder / name).write_text("mine")
    cache.put(key(0), b"code")
    assert cache.usage().entries == 0
    monkeypatch.setattr(cache, "LIMIT", 100)
    cache.put(key(0), b"code")
    assert cache.clear().entries == 1
    assert sorted(path.name for path in folder.iterdir()) == sorted(others)


def test_without_a_cache_everything_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compilations: list) -> None:
    monkeypatch.setenv(cache.VARIABLE, "off")
    use()
    assert cache.usage() == cache.Usage(None, 0, 0)
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file"))
    (tmp_path / "file").write_text("here is no folder")
    with pytest.warns(UserWarning, match=r"SYMORO_CACHE=.*file is not a folder; compiled code is not kept"):
        use()
    monkeypatch.setenv(cache.VARIABLE, "/proc/nothing/can/be/made/here")
    with pytest.warns(UserWarning, match="compiled code is not kept"):
        use()
    assert len(compilations) == 6


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("off", "backends.switched_off"),
        ("~nobody-has-this-name/cache", "backends.switched_off"),
        ("file/cache", "backends.not_a_folder"),
        ("open", "backends.of_others"),
        ("/proc/nope", "backends.not_writable"),
    ],
)
def test_why_nothing_is_kept(place: str, problem: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here is no folder")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(cache.VARIABLE, place)
    found = cache.problem()
    assert found is not None
    assert found.code == problem
    with (
        nullcontext()
        if problem == "backends.switched_off"
        else pytest.warns(UserWarning, match="compiled code is not kept")
    ):
        cache.put(key(0), b"code")
    assert cache.get(key(0)) is None
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "new" / "kept"))
    assert cache.problem() is None
    cache.put(key(0), b"code")
    assert cache.problem() is None
    assert cache.get(key(0)) == b"code"


def test_a_folder_that_the_system_refuses_to_look_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As a name that is too long, or a folder in the home of another user."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / ("x" * 300)))
    with pytest.warns(UserWarning, match="compiled code is not kept"):
        cache.put(key(0), b"code")
    assert cache.get(key(0)) is None
    assert cache.clear() == cache.Usage(cache.folder(), 0, 0)
    found = cache.problem()
    assert found is not None
    assert found.code == "backends.not_writable"
    (tmp_path / "file").write_text("here is no folder")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file" / ("x" * 300)))
    assert str(cache.problem()) == f"{tmp_path / 'file'} is not a folder"


LIMITED = """
import resource
import numpy as np
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from symoro.ir.expr import Op
from support.one_operation import compiled
print(float(compiled(Op.SIN)(np.full(50, 0.5))[7]))
"""


def test_a_disk_that_is_full_in_the_middle_of_a_file(folder: Path) -> None:
    """The system refuses files of more than 1000 bytes: nothing is kept, not even a part."""
    assert float(in_a_new_process(LIMITED)) == pytest.approx(np.sin(0.5), rel=1e-15)
    assert list(folder.iterdir()) == []


def test_a_full_disk_is_not_an_error(folder: Path, compilations: list, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(UserWarning, match="compiled code is not kept"):
        use()
    assert list(folder.iterdir()) == []


def test_a_folder_that_others_can_write_is_not_used(folder: Path, compilations: list[str]) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    for _ in range(2):
        with pytest.warns(UserWarning, match="compiled code is not kept"):
            use()
    assert len(compilations) == 4
    assert list(folder.iterdir()) == []


def test_entries_that_cannot_be_removed_are_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk that can only be read, or on Windows where another process has a file open."""
    for k in range(3):
        cache.put(key(k), b"code")
    way = Path.unlink

    def unlink(path: Path, missing_ok: bool = False) -> None:
        if path.name.startswith(key(1)):
            raise OSError(30, "Read-only file system")
        way(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink)
    with raised("backends.cache_not_cleared", SymoroError):
        cache.clear()
    assert kept(folder) == [1]
    monkeypatch.setattr(cache, "LIMIT", 0)
    cache.put(key(2), b"code")  # the one that stays does not stop the others
    assert kept(folder) == [1]


def key(k: int) -> str:
    return f"{k:064x}"


def kept(folder: Path) -> list[int]:
    return sorted(int(path.stem, 16) for path in folder.iterdir())


def test_the_oldest_entries_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LIMIT", 1000)
    for k in range(10):
        cache.put(key(k), bytes(200))
        os.utime(folder / f"{key(k)}.code", (k, k))
    assert kept(folder) == [6, 7, 8, 9]
    assert cache.get(key(6)) == bytes(200)  # now it is the youngest
    cache.put(key(10), bytes(200))
    assert kept(folder) == [6, 8, 9, 10]
    assert cache.usage() == cache.Usage(folder, 4, sum(p.stat().st_size for p in folder.iterdir()))
    cache.clear()
    assert cache.usage().entries == 0


def test_writers_and_readers_at_the_same_time_see_whole_entries(folder: Path) -> None:
    codes = {k: bytes([k]) * 50_000 for k in range(4)}
    wrong: list[bytes] = []

    def work(k: int) -> None:
        for _ in range(60):
            cache.put(key(1), codes[k])
            found = cache.get(key(1))
            if found not in codes.values():
                wrong.append(found or b"")

    threads = [threading.Thread(target=work, args=(k,)) for k in codes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert kept(folder) == [1]


def test_other_processes_find_the_code(folder: Path) -> None:
    text = (
        "from symoro.runtime import llvm_machine\n"
        "from symoro.ir.expr import Op\n"
        "from support.one_operation import compiled\n"
        "compiled(Op.COS)\n"
        "llvm_machine._compiled = None\n"
        "print(float(compiled(Op.SIN)(0.5)))"
    )
    use()
    assert float(in_a_new_process(text)) == pytest.approx(np.sin(0.5), rel=1e-15)


COMPILING = """
import numpy as np
from symoro.ir.expr import Op
from support.one_operation import compiled
x = np.linspace(0, 1, 50)
for _ in range(4):
    for op in (Op.SIN, Op.COS, Op.EXP):
        assert np.allclose(compiled(op)(x), getattr(np, op.value)(x), rtol=1e-14)
print("right")
"""


def test_processes_that_compile_while_the_cache_is_cleared(folder: Path) -> None:
    running = [started(COMPILING) for _ in range(2)]
    while any(process.poll() is None for process in running):
        cache.clear()
        time.sleep(0.01)
    assert [process.communicate()[0] for process in running] == ["right\n"] * 2
    assert not list(folder.glob("*.part"))


def in_a_new_process(text: str) -> str:
    process = started(text)
    found, _ = process.communicate()
    assert process.returncode == 0
    return found


def started(text: str) -> subprocess.Popen[str]:
    places = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    environment = os.environ | {"PYTHONPATH": places}
    return subprocess.Popen([sys.executable, "-c", text], env=environment, stdout=subprocess.PIPE, text=True)


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
