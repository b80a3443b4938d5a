"""The continuation of assemblies in C, by the compiler of the machine."""

from __future__ import annotations

import ctypes
from importlib.resources import files
from typing import Any

import numpy as np

from symoro.models.parallel.study import Array, Member, largest_correction, patch_of
from symoro.runtime.shared_library import shared_library


def follow(start: Member, end: Member, x: Array, seed: int = 1, most: int = 400) -> tuple[Array, Array]:
    """What `models.parallel.study.follow` does, path by path in C."""
    text = (files("symoro.platforms") / "study.c").read_text(encoding="utf-8")
    run = shared_library((("study.c", text),)).study_follow
    patch = patch_of(seed)
    ends = np.ascontiguousarray(x / (x @ patch)[:, None], dtype=np.complex128)
    reached = np.zeros(len(ends))
    first, change = _packed(start), _packed(end - start)
    first_step = ctypes.c_double(largest_correction(seed))
    run(_at(first), _at(change), _at(patch), first_step, len(ends), most, _at(ends), _at(reached))
    return ends, reached


def _packed(m: Member) -> Array:
    return np.concatenate([np.ravel(m.K), np.ravel(m.L)]).astype(np.complex128)


def _at(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)
