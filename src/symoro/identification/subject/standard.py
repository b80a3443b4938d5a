"""Standard parameters for identified base parameters, and the robot that has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from symoro.identification.arrays import Array, number_of, term_of
from symoro.identification.subject.subject import Subject, described, keys
from symoro.models.identification.columns import INERTIAL, Key, own_value
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, Value, as_value

_SMALL = 1e-3
"""The least size of a standard parameter when a change is shared among several."""


def nearest(subject: Subject, beta: Array, prior: Array | None = None) -> Array:
    """The standard parameters nearest to a prior (the description's) that have exactly these base parameters."""
    K, p = subject.matrix, described(subject) if prior is None else prior
    S = np.maximum(np.abs(p), _SMALL) ** 2
    return np.asarray(p + S * (K.T @ np.linalg.solve((K * S) @ K.T, beta - K @ p)))


def nearest_in_groups(subject: Subject, beta: Array) -> Array:
    """The same where parameters have one number together: those with one symbol, and those of legs alike."""
    numbers: dict[Any, list[int]] = {}
    for k, key in enumerate(keys(subject)):
        numbers.setdefault(_number(subject, key), []).append(k)
    G = np.zeros((len(keys(subject)), len(numbers)))
    for column, places in enumerate(numbers.values()):
        G[places, column] = 1.0
    K, p = subject.matrix @ G, described(subject) @ G / G.sum(axis=0)
    S = np.maximum(np.abs(p), _SMALL) ** 2
    return np.asarray(G @ (p + S * (K.T @ np.linalg.lstsq((K * S) @ K.T, beta - K @ p, rcond=1e-12)[0])))


def _number(subject: Subject, key: Key) -> Any:
    """What a parameter shares with others that have the same number."""
    value, legs = own_value(subject.robot, key), (g for g in subject.robot.groups if g.numbered and subject.alike)
    leg = next((group for group in legs if key[1] in group.joints), None)
    if isinstance(value, Symbol):
        return (value.name.removesuffix(leg.ending), "legs") if leg else value.name
    return (key[0], leg.joints.index(key[1])) if leg else key


def robot_with(subject: Subject, standard: Array, others: Mapping[str, float]) -> Robot:
    """The robot with these standard parameters, and with friction and stiffness by their names."""
    robot = subject.robot
    numbers: dict[str, float] = {}
    for key, x in entries(subject, standard, others).items():
        robot, value = _placed(robot, key, as_value(x))
        numbers |= dict.fromkeys(value, x)
    return robot.with_values(numbers) if numbers else robot


def entries(subject: Subject, standard: Array, others: Mapping[str, float]) -> dict[Key, float]:
    """Letters and link of each parameter of the tables, with its number."""
    return dict(zip(keys(subject), map(float, standard), strict=True)) | _drives(others)


def with_symbols(robot: Robot, places: Iterable[Key]) -> tuple[Robot, dict[Key, str]]:
    """The robot with a symbol of its own in each of these places, and the names: its models are built once."""
    names = {key: f"ID_{key[0]}{key[1]}" for key in places}
    for key, name in names.items():
        robot = _written(robot, key, Symbol(name))
    return robot, names


def with_entries(robot: Robot, entries: Mapping[Key, float]) -> Robot:
    """The robot with numbers in places of its tables."""
    for key, x in entries.items():
        robot, _ = _placed(robot, key, as_value(x))
    return robot


def _placed(robot: Robot, key: Key, x: Value) -> tuple[Robot, tuple[str, ...]]:
    """A value in its table; where a symbol has the place, the robot as it is and the name of the symbol."""
    entry: Value | None = None if key[0] == "K" else own_value(robot, key)
    if isinstance(entry, Symbol):
        return robot, (entry.name,)
    return _written(robot, key, x), ()


def _written(robot: Robot, key: Key, x: Value) -> Robot:
    """A value in its place."""
    letters, j = key
    changed: dict[str, Any] = {letters: x}
    if letters == "K":
        return replace(robot, joints=_changed(robot.joints, j, {"stiffness": x}))
    if letters not in INERTIAL:
        return replace(robot, drives=_changed(robot.drives, j, changed))
    if j == 0:
        return replace(robot, base=replace(robot.base, inertia=replace(robot.base.inertia, **changed)))
    return replace(robot, inertias=_changed(robot.inertias, j, changed))


def _changed(tables: tuple[Any, ...], j: int, changed: Mapping[str, Any]) -> tuple[Any, ...]:
    return (*tables[: j - 1], replace(tables[j - 1], **changed), *tables[j:])


_PLAIN = ("FV", "FS", "FO", "FA", "FST", "BST", "K")
_TWO_SIDED = ("FSP", "FSN", "FVP", "FVN")


def _drives(others: Mapping[str, float]) -> dict[Key, float]:
    """Entries of drives from parameters of friction; forward and backward friction become FS ± FA and the mean FV."""
    split = {name: _split(name) for name in others}
    plain = {key: others[name] for name, key in split.items() if key[0] in _PLAIN}
    for j in sorted({j for letters, j in split.values() if letters in _TWO_SIDED}):
        plain |= dict(_two_sided(others, j))
    return plain


def without_a_place(names: Iterable[str]) -> list[str]:
    """The parameters of friction and motors that a robot's drives cannot have."""
    split = {name: _split(name) for name in names}
    none = [name for name, (letters, _) in split.items() if letters not in (*_PLAIN, *_TWO_SIDED)]
    return [*none, *(f"FVP{j} − FVN{j}" for letters, j in split.values() if letters == "FVP")]


def _two_sided(others: Mapping[str, float], j: int) -> Iterator[tuple[Key, float]]:
    if f"FSP{j}" in others:
        forward, backward = others[f"FSP{j}"], others[f"FSN{j}"]
        yield ("FS", j), (forward + backward) / 2
        yield ("FA", j), (forward - backward) / 2
    if f"FVP{j}" in others:
        yield ("FV", j), (others[f"FVP{j}"] + others[f"FVN{j}"]) / 2


def _split(name: str) -> Key:
    """FV3 is ("FV", 3); of FST3@0.1, which has no place, the letters keep their speed."""
    return term_of(name), number_of(name)
