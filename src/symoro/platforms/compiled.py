"""The continuation of assemblies in C, by the compiler of the machine."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from symoro.errors import TargetError
from symoro.models.continuation import largest_correction, patch_of
from symoro.models.parallel.study import Array, Member
from symoro.runtime.shared_library import shared_library

_FAST = ("-O3", "-ffp-contract=fast")


def follow(start: Member, end: Member, x: Array, seed: int = 1, most: int = 400) -> tuple[Array, Array]:
    """What `models.parallel.study.follow` does, path by path in C."""
    run = _library().study_follow
    patch = patch_of(seed)
    ends = np.ascontiguousarray(x / (x @ patch)[:, None], dtype=np.complex128)
    reached = np.zeros(len(ends))
    first, change = _packed(start), _packed(end - start)
    first_step = ctypes.c_double(largest_correction(seed))
    run(_at(first), _at(change), _at(patch), first_step, len(ends), most, _at(ends), _at(reached))
    return ends, reached


@cache
def _library() -> ctypes.CDLL:
    """The code for this very processor, where the compiler can write for it."""
    text = (files("symoro.platforms") / "study.c").read_text(encoding="utf-8")
    try:
        return shared_library((("study.c", text),), _FAST)
    except TargetError:
        return shared_library((("study.c", text),))


def _packed(m: Member) -> Array:
    """b − a, b + a and l², eight numbers each, of which the last two are zero: real parts, then imaginary ones."""
    K = np.moveaxis(m.K, 0, -1)  # K = R(b) − L(a) is skew; its entries are those of b − a and b + a
    rows = np.array([K[1, 0], K[2, 0], K[3, 0], K[2, 3], K[3, 1], K[1, 2], m.L], dtype=np.complex128)
    eight = np.pad(rows, ((0, 0), (0, 2)))
    return np.ascontiguousarray(np.stack([eight.real, eight.imag], axis=1))


def _at(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)
