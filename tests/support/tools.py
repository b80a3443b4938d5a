"""Programs of the machine that some tests need. Without them the tests are skipped, and fail in CI (see conftest)."""

from __future__ import annotations

import shutil

import pytest

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler: cc, gcc or clang")
needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
CPLUSPLUS = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
needs_cplusplus = pytest.mark.skipif(CPLUSPLUS is None, reason="there is no C++ compiler: c++, g++ or clang++")
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
needs_fortran = pytest.mark.skipif(shutil.which("gfortran") is None, reason="there is no gfortran")
needs_octave = pytest.mark.skipif(shutil.which("octave-cli") is None, reason="there is no octave-cli")
needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="there is no cargo")
