"""10⁷ samples of a six-axis arm, from the file to its parameters: time, processor time and peak memory.

The file is written in pieces, with filtering and decimation still to be done. Identification runs in a process of its
own; then twice the samples. `python benchmarks/identification.py --samples 1e6` measures less.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROBOT, RATE, PIECE = "tx40", 1000.0, 100_000
BAND = {"cutoff": 20.0, "decimation": 10}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=float, default=1e7)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--once", action="store_true", help="without twice the samples")
    parser.add_argument("--file", type=Path, help="identify this file and print the figures (what a process does)")
    given = parser.parse_args()
    if given.file is not None:
        identified(given.file, given.workers)
        return
    sizes = [int(given.samples)] if given.once else [int(given.samples), 2 * int(given.samples)]
    walls = [measured(size, given.workers) for size in sizes]
    if len(walls) > 1:
        print(f"twice the samples: {walls[1] / walls[0]:.2f} times the time (aim: at most 2.1)")


def measured(samples: int, workers: int) -> float:
    """Write a file, identify it in a process of its own, and print the figures; the time."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "log.npy"
        written(file, samples)
        size = file.stat().st_size / 1e9
        start = time.perf_counter()
        command = [sys.executable, __file__, "--file", str(file), "--workers", str(workers)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        wall = time.perf_counter() - start
    print(f"{samples:.2g} samples, {size:.2f} GB: {wall:.1f} s of wall time; {said}", flush=True)
    return wall


def identified(file: Path, workers: int) -> None:
    """The parameters, with the processor time and the peak memory of this process."""
    import symoro

    found = symoro.identify(ROBOT, file, stream=True, workers=workers, **BAND)
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu, peak = used.ru_utime + used.ru_stime, own_peak()
    true = symoro.base_parameters(ROBOT).numbers
    away = max(abs(p.value - true[p.name]) / p.sigma for p in found if p.name in true)
    print(f"{cpu:.1f} s of processor time, {peak:.0f} MB; {len(found)} parameters, at most {away:.1f} σ from the truth")


def own_peak() -> float:
    """The peak memory of this process in MB. `ru_maxrss` is no help: a new process takes it over from its parent."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return float(status.partition("VmHWM:")[2].split()[0]) / 1024


def written(file: Path, samples: int) -> None:
    """A motion of five harmonics in each joint, with the torques of the robot and noise, piece by piece."""
    import symoro

    torques = symoro.inverse_dynamics(ROBOT).compile()
    names = ["t", *(f"{what}{k}" for what in ("q", "tau") for k in range(1, 7))]
    table = np.lib.format.open_memmap(file, mode="w+", dtype=[(name, float) for name in names], shape=(samples,))
    rng = np.random.default_rng(0)
    amplitude, phase = rng.uniform(0.1, 0.3, (5, 6)), rng.uniform(0, 6.3, (5, 6))
    w = 2 * np.pi * 0.17 * np.arange(1, 6)[:, None]
    for first in range(0, samples, PIECE):
        t = np.arange(first, min(first + PIECE, samples)) / RATE
        angle = w * t[:, None, None] + phase
        q = (amplitude * np.sin(angle)).sum(axis=1)
        qd, qdd = (amplitude * w * np.cos(angle)).sum(axis=1), (-amplitude * w**2 * np.sin(angle)).sum(axis=1)
        tau = torques(q, qd, qdd)
        part = table[first : first + PIECE]
        part["t"] = t
        for k in range(6):
            part[f"q{k + 1}"] = q[:, k] + rng.normal(size=len(t)) * 1e-5
            part[f"tau{k + 1}"] = tau[:, k] + rng.normal(size=len(t))
    table.flush()


if __name__ == "__main__":
    main()
