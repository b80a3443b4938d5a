"""The general inverse geometric model in C: against the Python method and Pinocchio, and its package by itself."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.raised import raised
from support.samples import some
from support.serial_arms import SPECIAL, Arm, Peer, arm_mdh, disturbed, random_arm, random_positions
from support.tools import COMPILER, needs_cmake, needs_compiler
from symoro.errors import InputError, TargetError
from symoro.runtime.shared_library import shared_library
from symoro.solve.general.code import GeneralInverse
from symoro.solve.general.solve import GeneralBranches, solve

Array = np.ndarray[Any, Any]
pytestmark = needs_compiler
WARNINGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wshadow"]
SCARA = arm_mdh([0, 0, 0, 180], [0, 0.325, 0.275, 0], [0, 0, 0, 0], "RRRP")
KINDS = ("RRRRRR", "RRPRRR", "PRRRRR", "RPRRPR", "RRPPRR", "PRPRRP", "RRRRR", "RPRRR", "RRRR", "PPR", "RP", "P")


def assert_same(found: GeneralBranches, expected: GeneralBranches, peer: Peer, tolerance: float) -> None:
    """The same branches, isolated ones, and as many continua."""
    assert found.continuum == expected.continuum
    assert len(found.q) == len(expected.q)
    isolated = [q for q, free in zip(found.q, found.free, strict=True) if not free.any()]
    for q, free in zip(expected.q, expected.free, strict=True):
        assert free.any() or min(peer.apart(q, other) for other in isolated) < tolerance


@pytest.mark.parametrize("seed", some(2, 40))
@pytest.mark.parametrize("kinds", KINDS)
def test_random_arms_have_the_branches_of_python(kinds: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    arm = random_arm(kinds, rng)
    peer = Peer(arm)
    wanted = peer.pose(random_positions(arm, rng))
    assert_same(GeneralInverse(*arm).compile("c")(wanted), solve(*arm, wanted), peer, 1e-8)


@pytest.mark.parametrize("size", [0.0, 4e-6, 1e-3])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_and_calibrated_arms_have_the_branches_of_python(name: str, size: float) -> None:
    rng = np.random.default_rng(1)
    arm = disturbed(SPECIAL[name], size, rng) if size else SPECIAL[name]
    peer, f = Peer(arm), GeneralInverse(*arm).compile("c")
    wanted = peer.pose(random_positions(arm, rng))
    assert_same(f(wanted), solve(*arm, wanted), peer, 1e-7)


@pytest.mark.parametrize("count", [60, pytest.param(400, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", SPECIAL)
def test_singular_poses(name: str, count: int) -> None:
    """Configurations of multiples of 45°: no pose is empty, every branch has its pose, and none is lost."""
    arm, rng = SPECIAL[name], np.random.default_rng(7)
    peer, f = Peer(arm), GeneralInverse(*arm).compile("c")
    for _ in range(count):
        q = rng.integers(-3, 5, 6) * np.pi / 4
        wanted = peer.pose(q)
        found = f(wanted)
        assert len(found.q)
        for branch in found.q:
            assert_close(peer.pose(branch), wanted, 1e-9)
        assert found.continuum or min(peer.apart(q, branch) for branch in found.q) < 1e-4


@pytest.mark.parametrize("kinds", KINDS)
def test_the_generating_configuration_of_many_random_arms_is_found(kinds: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(40):
        arm = random_arm(kinds, rng)
        peer, q = Peer(arm), random_positions(arm, rng)
        found = GeneralInverse(*arm).compile("c")(peer.pose(q))
        assert min(peer.apart(q, branch) for branch in found.q) < 1e-7
        assert found.error.max() < 1e-12


@pytest.mark.parametrize("size", [4e-6, 1e-3])
@pytest.mark.parametrize("name", SPECIAL)
def test_the_generating_configuration_of_calibrated_arms_is_found(name: str, size: float) -> None:
    rng = np.random.default_rng(12)
    for _ in range(4):
        arm = disturbed(SPECIAL[name], size, rng)
        peer, f = Peer(arm), GeneralInverse(*arm).compile("c")
        for _ in range(10):
            q = random_positions(arm, rng)
            found = f(peer.pose(q))
            assert min(peer.apart(q, branch) for branch in found.q) < 1e-5
            assert len(found.q) % 2 == 0


def test_calls_from_several_threads_do_not_disturb_each_other() -> None:
    arm, rng = SPECIAL["puma"], np.random.default_rng(0)
    f, poses = GeneralInverse(*arm).compile("c"), [Peer(arm).pose(rng.uniform(-3, 3, 6)) for _ in range(40)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(f, poses))
    for one, wanted in zip(together, poses, strict=True):
        np.testing.assert_array_equal(one.q, f(wanted).q)


EXPORT = """
int exported(int n, double a[16][16], double *re, double *im);
int exported(int n, double a[16][16], double *re, double *im) { return eigenvalues(n, a, re, im); }
"""


def matrices() -> Iterator[Array]:
    """Random matrices: plain, badly scaled, nearly triangular, orthogonal, and with equal eigenvalues."""
    rng = np.random.default_rng(3)
    for n in (*range(1, 17), *[16] * 30):
        A = rng.normal(size=(n, n))
        Q = np.linalg.qr(A)[0]
        yield from (A, A * 10.0 ** rng.uniform(-6, 6, n), np.triu(A) + 1e-12 * A, Q)
        yield Q @ np.diag(np.repeat(rng.normal(size=n), 2)[:n]) @ Q.T


def test_eigenvalues_are_those_of_lapack(tmp_path: Path) -> None:
    """In the sense of backward stability: each is an eigenvalue of a matrix that differs by roundings."""
    GeneralInverse(*SCARA, name="scara").emit("c", tmp_path)
    files = [(name, (tmp_path / name).read_text()) for name in ("scara.h", "scara.c")]
    eigenvalues = shared_library((files[0], (files[1][0], files[1][1] + EXPORT))).exported
    for A in matrices():
        n, a, found = len(A), np.zeros((16, 16)), np.zeros((2, 16))
        a[:n, :n] = A
        assert eigenvalues(n, *(ctypes.c_void_p(x.ctypes.data) for x in (a, found[0], found[1])))
        scale = np.diag(10.0 ** np.round(np.log10(np.abs(A).max(axis=0) + 1e-300)))
        balanced = scale @ A @ np.linalg.inv(scale)
        for value in found[0, :n] + 1j * found[1, :n]:
            smallest = np.linalg.svd(balanced - value * np.eye(n), compute_uv=False)[-1]
            assert smallest < 1e-13 * np.linalg.norm(balanced)
        assert_close(found[0, :n].sum(), np.trace(A), 1e-12, 1 + float(np.linalg.norm(balanced)))


def run(folder: Path, source: str, test: str) -> subprocess.CompletedProcess[str]:
    assert COMPILER is not None
    subprocess.run([COMPILER, *WARNINGS, folder / source, folder / test, "-lm", "-o", folder / "a.out"], check=True)
    return subprocess.run([folder / "a.out"], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("name", "arm"), [("scara", SCARA), ("kr6", SPECIAL["kr6"])])
def test_the_package_compiles_without_warnings_and_passes_its_self_test(name: str, arm: Arm, tmp_path: Path) -> None:
    files = GeneralInverse(*arm, name=f"{name} ik", title="A title */ with ??/ traps \\").emit("c", tmp_path)
    assert {file.name for file in files} == {
        f"{name}_ik.c", f"{name}_ik.h", "selftest.c", "main.c", "CMakeLists.txt", "README.md"
    }  # fmt: skip
    tested, shown = run(tmp_path, f"{name}_ik.c", "selftest.c"), run(tmp_path, f"{name}_ik.c", "main.c")
    assert tested.returncode == 0, tested.stdout
    assert "passed" in tested.stdout
    assert "branches" in shown.stdout


def test_the_self_test_fails_when_the_code_is_wrong(tmp_path: Path) -> None:
    GeneralInverse(*SCARA, name="scara").emit("c", tmp_path)
    source = tmp_path / "scara.c"
    text = source.read_text()
    assert text.count("found->q[k][j] *= reach;") == 1
    source.write_text(text.replace("found->q[k][j] *= reach;", "found->q[k][j] *= reach + 1e-7;"))
    failed = run(tmp_path, "scara.c", "selftest.c")
    assert failed.returncode == 1
    assert "FAILED" in failed.stdout


@pytest.mark.long
@needs_cmake
def test_the_project_builds_with_cmake(tmp_path: Path) -> None:
    GeneralInverse(*SCARA, name="scara").emit("c", tmp_path)
    subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "build"], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", tmp_path / "build"], check=True, capture_output=True)
    subprocess.run(["ctest", "--test-dir", tmp_path / "build"], check=True, capture_output=True)


def test_what_is_not_allowed_is_said() -> None:
    arm = GeneralInverse(*SCARA)
    with raised("targets.no_inverse", TargetError):
        arm.emit("jax", "nowhere")
    with raised("targets.unknown", TargetError):
        arm.emit("cobol", "nowhere")
    with pytest.raises(TargetError, match=r"no backend 'llvm' for the general inverse .*: choose c or numpy"):
        arm.compile("llvm")
    with pytest.raises(InputError, match="not finite"):
        arm.compile("c")(np.full((4, 4), np.inf))
    with pytest.raises(InputError, match="one to six letters"):
        GeneralInverse("RX", np.stack([np.eye(4)] * 3)).compile("c")


def test_the_backend_says_what_a_compiler_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("symoro.runtime.shared_library.find_spec", lambda name: None)
    with pytest.raises(TargetError, match="no C compiler: set CC, install gcc or clang, or pip install ziglang"):
        shared_library((("a.c", "int a;"),))


def test_without_a_compiler_that_works_the_method_runs_in_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the temporary folder does not allow programs; who asks for C is told."""
    ik = symoro.inverse_geometry("general6r")
    T = symoro.forward_geometry("general6r", 6).compile()(np.linspace(-1, 1, 6))
    wanted = ik.compile("numpy")(T)
    monkeypatch.setenv("CC", "false")
    np.testing.assert_array_equal(ik.compile()(T).q, wanted.q)
    monkeypatch.setattr("symoro.solve.general.code.shared_library", shared_library.__wrapped__)  # what was made is kept
    with pytest.raises(TargetError, match="the C compiler false failed"):
        ik.compile("c")(T)
