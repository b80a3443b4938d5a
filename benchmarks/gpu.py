"""Models on a CUDA device: states a second, the share of a copy's bandwidth, and agreement with the CPU.

python benchmarks/gpu.py [ROBOT …]       needs CuPy and a device; * marks the number of threads in a block that is used;
                                         r are registers, B bytes of a thread in memory
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import cupy as cp
import numpy as np

import symoro
import symoro.runtime.cuda
from symoro.ir.program import split
from symoro.kernels.cuda_body import BLOCK
from symoro.runtime.cuda import CompiledCuda, CudaBound

ROBOTS = ("puma560", "panda", "humanoid")
MODELS = ("inverse_dynamics", "direct_dynamics", "inertia_matrix")
BLOCKS = (64, 128, 256)
BYTES = 2**31
"""The size of the arrays of one run: many times that of the device's cache."""
ROUNDS, REPEATS = 5, 3


def seconds(run: Callable[[], Any]) -> float:
    """The least of several rounds."""
    run()
    times = []
    for _ in range(ROUNDS):
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        for _ in range(REPEATS):
            run()
        stop.record()
        stop.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, stop) / 1000 / REPEATS)
    return float(min(times))


def bandwidth() -> float:
    """Bytes a second, read and written, that a copy moves."""
    source = cp.zeros(2**28, np.float64)
    target = cp.empty_like(source)
    return 2 * source.nbytes / seconds(lambda: cp.copyto(target, source))


def agreement(function: Any, reference: Any, inputs: dict[str, Any]) -> float:
    """max|Δ| / (1 + max|reference|) on some rows."""
    few = {name: cp.asnumpy(x[:1000]) for name, x in inputs.items()}
    found, expected = function(**few), reference(**{name: x.astype(float) for name, x in few.items()})
    return float(np.max(np.abs(found - expected)) / (1 + np.max(np.abs(expected))))


def measured(robot: str, name: str, dtype: Any, copy: float) -> None:
    model = getattr(symoro, name)(robot)
    function, reference = model.compile("cuda"), model.compile("numpy")
    precision, size = np.dtype(dtype).name, np.dtype(dtype).itemsize
    given = [i for i in model.program.inputs if not i.optional]
    width = sum(map(int, map(np.prod, [*(i.shape for i in given), *model.outputs.values()])))
    n = min(2**24, BYTES // (width * size) // 256 * 256)
    rng = cp.random.default_rng(1)
    inputs = {i.name: 2 * rng.random((n, *i.shape), dtype=dtype) - 1 for i in given}
    error = agreement(function, reference, inputs)
    outputs = [cp.empty((n, *shape), dtype) for shape in model.outputs.values()]
    arrays = [inputs.get(i.name, cp.zeros(i.shape, dtype)) for i in model.program.inputs]
    steps = [len(i.variables) if i.name in inputs else 0 for i in model.program.inputs]
    cells = []
    for block in BLOCKS:
        symoro.runtime.cuda.BLOCK = block
        bound: CudaBound = CudaBound(CompiledCuda(split(model.program)[1]), function.bound({}).constants)
        time = seconds(partial(bound.run, arrays, steps, outputs, n, precision))
        kernel = bound.kernel.launch(precision).kernel
        cells.append(
            f"{block}{'*' if block == BLOCK else ' '} {n / time / 1e9:6.2f} G/s {n * width * size / time / copy:4.0%}"
            f" {kernel.num_regs:3d} r {kernel.local_size_bytes:5d} B"
        )
    symoro.runtime.cuda.BLOCK = BLOCK
    print(f"{robot:9} {name:17} {precision}  {error:7.1e}  " + " | ".join(cells), flush=True)


def main(robots: list[str]) -> None:
    copy = bandwidth()
    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}: a copy moves {copy / 1e12:.2f} TB/s")
    for robot in robots or ROBOTS:
        for model in MODELS:
            for dtype in (np.float32, np.float64):
                measured(robot, model, dtype, copy)


if __name__ == "__main__":
    main(sys.argv[1:])
