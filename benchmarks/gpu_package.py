"""Packages of CUDA on a device: their self-tests, and how many states they compute in a second.

python benchmarks/gpu_package.py [ROBOT ...] needs nvcc, CuPy and a device.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import cupy as cp
import numpy as np
from gpu import BYTES, MODELS, ROBOTS, bandwidth, seconds

import symoro

PRECISIONS = {"float": np.float32, "double": np.float64}


def built(models: list[symoro.Model], precision: str, folder: str) -> ctypes.CDLL:
    """Run the self-test of the models' package and load the package."""
    symoro.generate(models, "cuda", folder, name="package", precision=precision)
    subprocess.run(["make", "--quiet", "check"], cwd=folder, check=True)
    command = "nvcc -O3 -arch=native -shared -cudart=shared -Xcompiler -fPIC package.c package.cu -o package.so"
    subprocess.run(command, shell=True, cwd=folder, check=True)
    return ctypes.CDLL(str(Path(folder, "package.so")))


def measured(library: ctypes.CDLL, model: symoro.Model, dtype: Any, copy: float) -> None:
    """A launch by the C interface, over arrays of many times the size of the device's cache."""
    name, size = model.source.name, np.dtype(dtype).itemsize
    given = [i for i in model.program.inputs if not i.optional]
    shapes = [*(i.shape for i in given), *model.outputs.values()]
    width = sum(int(np.prod(shape)) for shape in shapes)
    n = min(2**24, BYTES // (width * size) // 256 * 256)
    random = cp.random.default_rng(1).random
    arrays = {i.name: 2 * random((n, *i.shape), dtype=dtype) - 1 for i in given}
    out = [cp.empty((n, *shape), dtype) for shape in model.outputs.values()]
    setup = ctypes.create_string_buffer(40_000)
    parameters = ctypes.c_char.in_dll(library, "package_default_parameters")
    getattr(library, f"{name}_set_up")(ctypes.byref(parameters), setup)
    rows = [arrays.get(i.name) for i in model.program.inputs] + out
    pointers = [None if row is None else ctypes.c_void_p(row.data.ptr) for row in rows]
    stream = ctypes.c_void_p(cp.cuda.get_current_stream().ptr)

    def launch() -> None:
        if status := getattr(library, f"{name}_launch")(setup, ctypes.c_longlong(n), *pointers, stream):
            sys.exit(f"{name}_launch: cudaError_t {status}")

    time = seconds(launch)
    wanted = model.compile("cuda")(**arrays)
    error = float(cp.abs(out[0] - wanted).max() / (1 + cp.abs(wanted).max()))
    share = n * width * size / time / copy
    print(f"{name:30} {np.dtype(dtype).name}  {n / time / 1e9:6.2f} G/s {share:4.0%}  beside the backend {error:.1e}")


def main(robots: list[str]) -> None:
    copy = bandwidth()
    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}: a copy moves {copy / 1e12:.2f} TB/s", flush=True)
    for robot in robots or ROBOTS:
        models = [getattr(symoro, model)(robot) for model in MODELS]
        for precision, dtype in PRECISIONS.items():
            with tempfile.TemporaryDirectory() as folder:
                library = built(models, precision, folder)
                for model in models:
                    measured(library, model, dtype, copy)


if __name__ == "__main__":
    main(sys.argv[1:])
