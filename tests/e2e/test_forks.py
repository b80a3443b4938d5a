"""A process may fork while its threads compile: the child compiles and computes, and does not wait for ever."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

#: `in_child` runs a function in a child process; it ends the child after 20 s, in which nothing waits for ever.
CHILD = """
import os, signal, threading, time
import numpy as np
import symoro
from symoro.runtime import llvm_machine

def in_child(work):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(0 if work() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def torques(f):
    return np.isfinite(f(*np.full((3, 2), 0.3))).all()
"""

COMPILING = """
inside = threading.Event()
way = llvm_machine._compiled

def slowly(text):
    inside.set()
    time.sleep(0.5)
    return way(text)

f, model = symoro.inverse_dynamics("planar2r").compile(), symoro.gravity("planar2r")
many = np.full((100, 2), 0.3)
llvm_machine._compiled = slowly
thread = threading.Thread(target=lambda: f(many, many, many))
thread.start()
inside.wait()
print(in_child(lambda: torques(f) and np.isfinite(f(many, many, many)).all() and model.compile()(many[0]).any()))
thread.join()
"""

LLVM = """
import llvmlite.binding as llvm
inside = threading.Event()

def hold():
    with llvm.ffi.lib._lock:  # as every call of LLVM does
        inside.set()
        time.sleep(0.5)

model = symoro.inverse_dynamics("planar2r")
thread = threading.Thread(target=hold)
thread.start()
inside.wait()
print(in_child(lambda: torques(model.compile())))
thread.join()
"""

PROPERTIES = """
from symoro.runtime.function import NamesLater
inside = threading.Event()

def names():
    inside.set()
    time.sleep(0.5)
    return ["a"]

thread = threading.Thread(target=lambda: len(NamesLater(names)))
thread.start()
inside.wait()
print(in_child(lambda: len(NamesLater(lambda: ["b", "c"])) == 2))
thread.join()
"""

TOGETHER = """
going, model = True, symoro.inverse_dynamics("planar2r")

def work():
    while going:
        model.compile()

threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
f = symoro.gravity("planar2r").compile()
found = {in_child(lambda: torques(model.compile())) for _ in range(8)}
going = False
for thread in threads:
    thread.join()
print(*found)
assert f(np.full(2, 0.3)).any()
"""


@pytest.mark.parametrize("program", [COMPILING, LLVM, PROPERTIES, TOGETHER], ids=["code", "LLVM", "property", "all"])
def test_a_child_computes_while_the_parent_compiles(program: str) -> None:
    environment = os.environ | {"SYMORO_CACHE": "off", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", CHILD + program], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0\n"
