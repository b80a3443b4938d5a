"""Checks a model on a CUDA device with arrays of each library: kinds, shapes, hostile numbers.

python benchmarks/gpu_arrays.py       needs CuPy and a device; PyTorch and JAX where they are installed
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import cupy as cp
import numpy as np

import symoro
from symoro.errors import ShapeError

MODEL = symoro.inverse_dynamics("puma560")
EXPECTED = MODEL.compile("numpy")
F = MODEL.compile("cuda")
RNG = np.random.default_rng(0)


def close(found: Any, expected: Any, tolerance: float) -> None:
    found = np.asarray(found)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    error = np.max(np.abs(found - expected), initial=0) / (1 + np.max(np.abs(expected), initial=0))
    assert error <= tolerance, error


def states(n: int | tuple[int, ...]) -> list[Any]:
    shape = (n,) if isinstance(n, int) else n
    return [RNG.uniform(-1, 1, (*shape, 6)) for _ in range(3)]


def libraries() -> dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]:
    """To an array on the device, and back to NumPy."""
    found: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {"cupy": (cp.asarray, cp.asnumpy)}
    try:
        torch = import_module("torch")
        found["torch"] = (lambda x: torch.asarray(x, device="cuda"), lambda x: x.cpu().numpy())
    except ImportError:
        print("PyTorch is not installed")
    try:
        jax = import_module("jax")
        jax.config.update("jax_enable_x64", True)
        found["jax"] = (jax.numpy.asarray, np.asarray)
    except ImportError:
        print("JAX is not installed")
    return found


def main() -> None:
    for n in (0, 1, 5, 255, 256, 257, 10_000, (3, 4)):
        given = states(n)
        close(F(*given), EXPECTED(*given), 1e-12)
    q, qd, qdd = states(100)
    close(F(q, qd[0], qdd), EXPECTED(q, qd[0], qdd), 1e-12)  # one row for all
    close(F(q[:, None], qd[0], qdd), EXPECTED(q[:, None], qd[0], qdd), 1e-12)
    close(F(q[::2], qd[::2], qdd[::2]), EXPECTED(q[::2], qd[::2], qdd[::2]), 1e-12)
    close(F(q.tolist(), qd.tolist(), qdd.tolist()), EXPECTED(q, qd, qdd), 1e-12)
    close(F(q, qd, qdd, values={"M3": 5.0}), EXPECTED(q, qd, qdd, values={"M3": 5.0}), 1e-12)
    far = q * 1e6
    close(F(far, qd, qdd), EXPECTED(far, qd, qdd), 1e-9)
    q[3, 1] = np.nan
    assert np.isnan(F(q, qd, qdd)[3]).any()
    q[3, 1] = 0
    assert F(q[:0], qd[:0], qdd[:0]).shape == (0, 6)
    for bad in ((q, qd), (q[:, :5], qd, qdd), (q, qd[:7], qdd), (q.astype(complex), qd, qdd), (q, qd, None)):
        try:
            F(*bad)
        except ShapeError as error:
            print("refused:", error)
        else:
            raise AssertionError("a wrong input was taken")
    for name, (there, back) in libraries().items():
        for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 1e-5)):
            given = [x.astype(dtype) for x in (q, qd, qdd)]
            found = F(*map(there, given))
            assert type(found).__module__.partition(".")[0] in (name, "jaxlib"), type(found)
            assert str(found.dtype).rpartition(".")[2] == np.dtype(dtype).name, found.dtype
            close(back(found), EXPECTED(*[x.astype(float) for x in given]), tolerance)
        print(f"{name}: the kind and the precision of arrays are kept")
    for model in ("direct_dynamics", "inertia_matrix", "dynamic_regressor", "jacobian_inverse"):
        for robot in ("puma560", "panda", "humanoid", "sr400"):
            options = {"link": 6} if model == "jacobian_inverse" else {}
            if model == "jacobian_inverse" and robot != "puma560":
                continue
            built = getattr(symoro, model)(robot, **options)
            given = {k: RNG.uniform(-1, 1, (500, *shape)) for k, shape in built.inputs.items()}
            a, b = built.compile("cuda")(**given), built.compile("numpy")(**given)
            several = isinstance(b, tuple)
            for x, y in zip(a if several else [a], b if several else [b], strict=True):
                scale = 1 + np.abs(y).max(axis=tuple(range(1, y.ndim)), keepdims=True)
                print(f"{robot} {model}: {np.median(np.max(np.abs(x - y) / scale, axis=tuple(range(1, y.ndim)))):.1e}")
    print("all right")


if __name__ == "__main__":
    main()
