"""The general inverse geometric model of an arm by numbers: run it in Python or C, or write it as code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.emit.inverse import InverseCase, InverseInput, InversePackage, emit_inverse, inverse_package, sources
from symoro.errors import TargetError
from symoro.runtime.shared_library import shared_library
from symoro.solve.general.chain import VIRTUAL, GivenJoint, links_at
from symoro.solve.general.packed import Packed, packed
from symoro.solve.general.polish import Chain, forward, jacobian
from symoro.solve.general.solve import GeneralBranches, checked, checked_pose, solve

Array = NDArray[Any]
#: The most branches that the C code returns.
_MOST = 64


@dataclass(frozen=True, eq=False)
class GeneralInverse:
    """An arm with one to six joints: pose = links[0] Z1 links[1] … Zn links[n].

    `kinds` has a letter for each joint, R with Z = Rz(q) or P with Z = Tz(q); `links` is (n + 1, 4, 4). Joints that are
    `redundant` are inside the links, and at zero there; their positions are the second input of generated code.
    """

    kinds: str
    links: ArrayLike = field(repr=False)
    name: str = "inverse_geometry"
    title: str = "Inverse geometric model, general method"
    redundant: Sequence[GivenJoint] = field(default=(), repr=False)

    def compile(self, backend: str = "numpy") -> Callable[[ArrayLike], GeneralBranches]:
        """A function of the pose (4, 4) that gives every branch; backend "c" needs a C compiler."""
        _, links, _ = checked(self.kinds, self.links, np.eye(4))
        if backend == "numpy":
            return partial(solve, self.kinds, links)
        if backend == "c":
            return _InC(self.kinds, links, tuple(sources(self._package("c", "general_inverse")).items()))
        raise TargetError("positions.general_backend", backend=backend)

    def emit(self, target: str, directory: str | Path, force: bool = False) -> list[Path]:
        """Write the method whole, with the arm's numbers and a self-test, as a package of files in a language."""
        self._package(target, self.name)  # what cannot be written is refused before anything is computed
        return emit_inverse(self._package(target, self.name, self._cases()), directory, force)

    def _cases(self) -> list[InverseCase]:
        cases = well_posed_cases(*checked(self.kinds, self.links, np.eye(4))[:2], self.redundant)
        return [golden_case(pose, branches, r) for pose, r, branches in cases]

    def _package(self, target: str, name: str, cases: list[InverseCase] | None = None) -> InversePackage:
        # the code that runs here takes the arm as an argument: all arms share one library, with no arm in it
        kinds = self.kinds if cases else "R"
        links = np.asarray(self.links, dtype=float) if cases else np.stack([np.eye(4)] * 2)
        method = packed() if target == "python" and cases else Packed("", "")
        return inverse_package(
            target,
            name,
            self.title,
            kinds,
            [_flat(T) for T in links],
            [_flat(row) for row in VIRTUAL],
            cases or [],
            (method.imports, method.code),
            [InverseInput(j.place, j.kind == "P", j.rate, j.link, _flat(j.frame)) for j in self.redundant],
        )


def golden_case(pose: Array, branches: GeneralBranches, r: Array | tuple[()] = ()) -> InverseCase:
    """A pose with its branches as a case of a self-test; `r` are the positions of the given joints."""
    isolated = [_flat(q) for q, free in zip(branches.q, branches.free, strict=True) if not free.any()]
    return InverseCase(_flat(pose), isolated, len(branches.q), branches.continuum, [float(x) for x in r])


def _flat(numbers: Array) -> list[float]:
    return [float(x) for x in np.ravel(numbers)]


class _Arm(ctypes.Structure):
    """The struct of the same name in C."""

    _fields_ = (("joints", ctypes.c_int), ("kinds", ctypes.c_char * 8), ("links", ctypes.c_double * (7 * 16)))


class _Branches(ctypes.Structure):
    """The struct of the same name in C."""

    _fields_ = (
        ("count", ctypes.c_int),
        ("continuum", ctypes.c_int),
        ("q", ctypes.c_double * (6 * _MOST)),
        ("error", ctypes.c_double * _MOST),
        ("free", ctypes.c_double * (6 * _MOST)),
    )


class _InC:
    """The function of a pose, in C."""

    def __init__(self, kinds: str, links: Array, files: tuple[tuple[str, str], ...]) -> None:
        self._run = shared_library(files).general_inverse
        self._arm = _Arm(len(kinds), kinds.encode(), (ctypes.c_double * 112)(*np.ravel(links)))

    def __call__(self, pose: ArrayLike) -> GeneralBranches:
        T, branches, n = checked_pose(pose), _Branches(), self._arm.joints
        count = self._run(ctypes.byref(self._arm), T.ctypes.data_as(ctypes.c_void_p), ctypes.byref(branches))
        q, free = (np.frombuffer(part).reshape(_MOST, 6)[:count, :n].copy() for part in (branches.q, branches.free))
        return GeneralBranches(q, np.frombuffer(branches.error)[:count].copy(), free)


# Poses with their branches, for the self-test of generated code.


_CASES, _CANDIDATES, _REGULAR = 10, 60, 1e-3


class WellPosed(NamedTuple):
    """A pose, the positions of the given joints, and the branches."""

    pose: Array
    r: Array
    branches: GeneralBranches


def well_posed_cases(kinds: str, links: Array, redundant: Sequence[GivenJoint] = (), seed: int = 0) -> list[WellPosed]:
    """Poses of random configurations and their branches; poses far from singularities are preferred."""
    rng, cases = np.random.default_rng(seed), []
    for _ in range(_CANDIDATES):
        q = np.array([rng.uniform(-np.pi, np.pi) if kind == "R" else rng.uniform(-1, 1) for kind in kinds])
        r = rng.uniform(-1, 1, len(redundant))
        chain = Chain(kinds, links_at(links, redundant, r), np.eye(4))
        pose = forward(chain, q[None])[0][0]
        branches = solve(kinds, chain.links, pose)
        cases.append((-_regularity(chain, branches), WellPosed(pose, r, branches)))
        if sum(worst < -_REGULAR for worst, _ in cases) == _CASES:
            break
    cases.sort(key=lambda case: case[0])
    return [case for _, case in cases[:_CASES]]


def _regularity(chain: Chain, branches: GeneralBranches) -> float:
    """The smallest singular value of the Jacobian at a branch, relative to the largest one."""
    if branches.continuum or not len(branches.q):
        return 0.0
    s = np.linalg.svd(jacobian(chain, *forward(chain, branches.q)), compute_uv=False)
    return float((s[:, -1] / s[:, 0]).min())
