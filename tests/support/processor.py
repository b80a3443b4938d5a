"""The processor as which tests run, and others that this machine can play.

NumPy, OpenBLAS and the C library choose their code by the processor, and its results differ in the last digit. They can
be told to leave newer instructions out: the machine then computes as an older processor does. They take this from the
environment when they are loaded, so that a process plays one processor from its start.
"""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

Environment = dict[str, str]
# what OpenBLAS calls a processor with AVX2 but without AVX-512, and the oldest that it knows, on each architecture
_CORES = {"x86_64": ("Haswell", "Prescott"), "AMD64": ("Haswell", "Prescott"), "aarch64": ("NEOVERSEN1", "ARMV8")}
_CORE_NAME = ("scipy_openblas_get_corename64_", "scipy_openblas_get_corename", "openblas_get_corename")
_FROM_AVX512 = ("AVX512", "X86_V4")


def processor() -> str:
    """The instructions that NumPy chose to use beyond its baseline, and the core that OpenBLAS chose."""
    return f"NumPy {' '.join(_used()) or 'baseline'}, OpenBLAS {_core()}"


def _used() -> list[str]:
    return [name for name in __cpu_dispatch__ if __cpu_features__[name]]


def _core() -> str:
    for path in Path(np.__file__).parents[1].glob("numpy.libs/*openblas*"):
        library = ctypes.CDLL(str(path))
        for name in _CORE_NAME:
            if hasattr(library, name):
                function = getattr(library, name)
                function.restype = ctypes.c_char_p
                return str(function().decode())
    return "unknown"


def played() -> dict[str, Environment]:
    """The processors that this machine can play, itself first: what `processor` says there, and the environment."""
    newer, older = _CORES.get(platform.machine(), ("", ""))
    without_avx512 = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(name for name in _used() if name.startswith(_FROM_AVX512)),
        "OPENBLAS_CORETYPE": newer,
    }
    baseline = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(_used()),
        "OPENBLAS_CORETYPE": older,
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA" if newer == "Haswell" else "",
    }
    environments = [{name: x for name, x in one.items() if x} for one in ({}, without_avx512, baseline)]
    found: dict[str, Environment] = {}
    for environment in environments:
        found.setdefault(output(["-m", "support.processor"], environment).strip(), environment)
    return found


def output(arguments: list[str], environment: Environment) -> str:
    """What Python prints for these arguments on a processor; modules of tests can be imported."""
    command = [sys.executable, *arguments]
    folders = [str(Path(__file__).parents[1]), *sys.path]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(folders), "OPENBLAS_NUM_THREADS": "1"} | environment
    return subprocess.run(command, env=variables, check=True, capture_output=True, text=True, timeout=600).stdout


if __name__ == "__main__":
    print(processor())
