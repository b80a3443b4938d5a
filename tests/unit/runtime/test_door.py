"""Direct calls are behind one door, which is shut on any surprise; nothing else writes into Python objects."""

from __future__ import annotations

import ast
import pickle
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.pendulum import VALUES, expected, make, pendulum
from symoro.runtime import Function, direct
from symoro.runtime.direct import objects as memory
from symoro.runtime.direct.call import DirectFunction

SOURCES = Path(symoro.__file__).parent


@pytest.fixture
def fresh() -> Iterator[None]:
    """The layout and the probe are looked at again."""
    looks = memory.layout, direct.calls_are_right, direct.answers_are_right
    for look in looks:
        look.cache_clear()
    yield
    for look in looks:
        look.cache_clear()


def assert_shut() -> None:
    f, q = make(), np.linspace(-1, 1, 3)
    assert direct.called_directly(pendulum(), VALUES, ()) is None
    assert type(f) is Function
    for way in (f, pickle.loads(pickle.dumps(f))):
        np.testing.assert_allclose(way(q, q), expected(q, q), rtol=1e-14)
        np.testing.assert_allclose(way(np.tile(q, (40, 1)), q), expected(np.tile(q, (40, 1)), q), rtol=1e-14)


def test_the_door_is_open_here(fresh: None) -> None:
    assert memory.layout() is not None
    assert isinstance(direct.called_directly(pendulum(), VALUES, ()), DirectFunction)
    assert direct.answers_are_right()


def test_the_environment_shuts_the_door(monkeypatch: pytest.MonkeyPatch) -> None:
    f, q = make(), np.ones(3)
    monkeypatch.setenv(direct.VARIABLE, "0")
    assert_shut()
    assert type(pickle.loads(pickle.dumps(f))) is Function
    np.testing.assert_allclose(f(q, q), expected(q, q), rtol=1e-14)
    monkeypatch.setenv(direct.VARIABLE, "1")
    assert isinstance(make(), DirectFunction)


OTHER_PYTHONS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "PyPy": lambda m: m.setattr(sys.implementation, "name", "pypy"),
    "free threading": lambda m: m.setattr(sysconfig, "get_config_var", lambda name: int(name == "Py_GIL_DISABLED")),
    "other fields of arrays": lambda m: m.setitem(memory.FIELDS, "flags", 48),
}


@pytest.mark.parametrize("python", OTHER_PYTHONS)
def test_other_pythons_shut_the_door(python: str, fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    OTHER_PYTHONS[python](monkeypatch)
    assert memory.layout() is None
    assert_shut()


class Wrong:
    """A direct function with a fault in one of its calls."""

    def __init__(self, function: Any, fault: Callable[[Any], Any]) -> None:
        self.function, self.fault = function, fault

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        return self.fault(self.function(*inputs, **named))


_LEAKED: list[Any] = []
FAULTS: dict[str, Callable[[Any], Any]] = {
    "a reference too many": lambda result: _LEAKED.append(result) or result,
    "a wrong value": lambda result: _changed(result, lambda x: x + 1e-9),
    "another type": lambda result: _changed(result, lambda x: x.astype(np.float32)),
    "memory of another array": lambda result: _changed(result, lambda x: x[...]),
    "an error": lambda result: result.nothing,
}


def _changed(result: Any, change: Callable[[Any], Any]) -> Any:
    """The result with a changed first array."""
    if isinstance(result, np.ndarray):
        return change(result)
    if isinstance(result, tuple):
        return type(result)(change(result[0]), *result[1:])
    result.q = change(result.q)
    return result


@pytest.mark.parametrize("fault", FAULTS)
def test_a_surprise_in_a_call_shuts_the_door(fault: str, fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    way = direct.direct_function
    monkeypatch.setattr(direct, "direct_function", lambda *given: Wrong(way(*given), FAULTS[fault]))
    assert not direct._without_error(direct._one_output_is_right)
    assert not direct._without_error(direct._two_outputs_are_right)
    assert_shut()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_surprise_in_an_answer_shuts_its_door(fault: str, fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    way = direct.direct_answer
    monkeypatch.setattr(direct, "direct_answer", lambda *given: Wrong(way(*given), FAULTS[fault]))
    assert not direct.answers_are_right()
    assert direct.calls_are_right()
    assert symoro.inverse_geometry("puma560").compile()._at_once is None


#: Names with which a program reaches into objects of Python.
_REACHING = {"from_address", "memmove", "memset", "pythonapi", "py_object", "PyDLL", "string_at"}


def reaching(file: Path) -> set[str]:
    """The names of this kind that a module uses."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    names |= {part.name for node in nodes if isinstance(node, ast.ImportFrom) for part in node.names}
    return names & _REACHING


def test_nothing_else_reaches_into_objects_of_python() -> None:
    found = {str(file.relative_to(SOURCES)): reaching(file) for file in SOURCES.rglob("*.py")}
    inside = {name for name, names in found.items() if names}
    assert inside == {f"runtime/direct/{name}.py" for name in ("objects", "call")}


def test_only_the_door_is_used_outside_of_its_package() -> None:
    for file in SOURCES.rglob("*.py"):
        if file.parent.name != "direct":
            assert "symoro.runtime.direct." not in file.read_text(encoding="utf-8"), file
