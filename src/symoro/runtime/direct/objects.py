"""How objects of Python and NumPy lie in memory, which code that Python calls directly must know.

It is looked at once in a process. Where something is not as known, there are no direct calls.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

#: Where the fields of a NumPy array lie, in bytes.
FIELDS = {"type": 8, "data": 16, "nd": 24, "shape": 32, "strides": 40, "descriptor": 56, "flags": 64}


@dataclass(frozen=True, slots=True)
class ObjectLayout:
    """The size of a tuple without its items. The two words of a direct function lie behind `function` bytes."""

    tuple: int
    function: int


class _WithDictionary:
    """An object with a dictionary and weak references, as a function has."""


@cache
def layout() -> ObjectLayout | None:
    """The layout of this process; None where it is not the known one of CPython with a global lock, in 64 bits."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8 or object.__basicsize__ != 16:
        return None
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    frozen = np.arange(4.0)
    frozen.flags.writeable = False
    samples = [np.array(1.5), np.zeros((2, 6, 4))[:, ::2, ::-1], frozen, np.ones((2, 3), np.float32)]
    first = (1, None)
    item = ctypes.c_void_p.from_address(id(first) + tuple.__basicsize__).value
    if np.ndarray.__basicsize__ < 72 or item != id(first[0]) or not all(map(_as_known, samples)):
        return None
    return ObjectLayout(tuple.__basicsize__, _WithDictionary.__basicsize__)


def _as_known(array: Any) -> bool:
    """Are the fields of an array where they are expected?"""
    shape = (ctypes.c_ssize_t * array.ndim).from_address(_field(array, "shape", ctypes.c_void_p) or id(array))
    strides = (ctypes.c_ssize_t * array.ndim).from_address(_field(array, "strides", ctypes.c_void_p) or id(array))
    return bool(
        _field(array, "type", ctypes.c_void_p) == id(np.ndarray)
        and _field(array, "data", ctypes.c_void_p) == array.ctypes.data
        and _field(array, "nd", ctypes.c_int) == array.ndim
        and tuple(shape) == array.shape
        and tuple(strides) == array.strides
        and _field(array, "descriptor", ctypes.c_void_p) == id(array.dtype)
        and _field(array, "flags", ctypes.c_int) & 0xFFF == array.flags.num & 0xFFF
    )


def _field(array: Any, name: str, kind: Any) -> Any:
    return kind.from_address(id(array) + FIELDS[name]).value


def slot_offsets(kind: type, names: tuple[str, ...]) -> tuple[int, ...] | None:
    """Where slots lie in an object, in bytes: marks are put into them and looked for. None if one is not seen."""
    sample: Any = object.__new__(kind)
    marks = [object() for _ in names]
    for name, mark in zip(names, marks, strict=True):
        object.__setattr__(sample, name, mark)
    size = ctypes.sizeof(ctypes.c_void_p)
    words = {ctypes.c_void_p.from_address(id(sample) + at).value: at for at in range(0, kind.__basicsize__, size)}
    offsets = tuple(words[id(mark)] for mark in marks if id(mark) in words)
    return offsets if len(offsets) == len(names) else None


# Lines of LLVM text that read and make objects of Python and NumPy, for functions that Python calls.


#: NumPy's flags: C-contiguous and aligned, and also writeable.
READABLE, WRITEABLE = 0x101, 0x501
#: NumPy's numbers of the types of elements.
_TYPE_NUMBER = {"double": 12, "float": 11, "bool": 0}


class ObjectLines:
    """The lines of a function. What it cannot take goes to the label `slow`; `none` is where memory is missing."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.labels = 0

    def put(self, *lines: str) -> None:
        self.lines += [line if line.endswith(":") or line in "}" else f"  {line}" for line in lines]

    def field(self, name: str, owner: str, offset: int | str, kind: str) -> str:
        """Read a field of an object into %name."""
        self.put(f"%{name}.at = getelementptr i8, ptr {owner}, i64 {offset}", f"%{name} = load {kind}, ptr %{name}.at")
        return f"%{name}"

    def need(self, condition: str, otherwise: str = "slow") -> None:
        """Go on only if the condition holds."""
        self.labels += 1
        self.put(f"br i1 {condition}, label %go{self.labels}, label %{otherwise}", f"go{self.labels}:")

    def equal(self, name: str, kind: str, a: str, b: str | int) -> str:
        self.put(f"%{name} = icmp eq {kind} {a}, {b}")
        return f"%{name}"

    def read_context(self, *words: str) -> None:
        """Read the words of %context, each into the value of its name."""
        for k, word in enumerate(words):
            self.field(word, "%context", 8 * k, "ptr")

    def exact(self, array: str, k: int | str, flags: int) -> None:
        """The object must be a NumPy array itself, of the function's type, with these flags."""
        kind = self.field(f"type{k}", array, FIELDS["type"], "ptr")
        self.need(self.equal(f"exact{k}", "ptr", kind, "%array.type"))
        descriptor = self.field(f"descriptor{k}", array, FIELDS["descriptor"], "ptr")
        self.need(self.equal(f"number{k}", "ptr", descriptor, "%descriptor"))
        self.put(f"%masked{k} = and i32 {self.field(f'flags{k}', array, FIELDS['flags'], 'i32')}, {flags}")
        self.need(self.equal(f"flagged{k}", "i32", f"%masked{k}", flags))

    def nothing_made(self, count: int) -> None:
        """%made is the list of new arrays."""
        array = f"[{max(count, 1)} x ptr]"
        self.put(f"%made = alloca {array}", f"store {array} zeroinitializer, ptr %made")

    def new_array(self, k: int, axes: int, shape: str, number: str, suffix: str = "") -> None:
        """Make the array %new{k}, the k-th of %made; its elements are at %out{k}."""
        self.put(
            f"%new{k}{suffix} = call ptr %new.array(ptr %array.type, i32 {axes}, ptr {shape}, "
            f"i32 {_TYPE_NUMBER[number]}, ptr null, ptr null, i32 0, i32 0, ptr null)",
            f"%exists{k}{suffix} = icmp ne ptr %new{k}{suffix}, null",
        )
        self.need(f"%exists{k}{suffix}", "none")
        self.put(
            f"%made{k}{suffix} = getelementptr ptr, ptr %made, i64 {k}",
            f"store ptr %new{k}{suffix}, ptr %made{k}{suffix}",
        )
        self.field(f"out{k}{suffix}", f"%new{k}{suffix}", FIELDS["data"], "ptr")

    def forget(self, count: int) -> None:
        """There was no memory for an object: release the arrays that were made before it."""
        for k in range(count):
            self.put(f"%left{k}.at = getelementptr ptr, ptr %made, i64 {k}", f"%left{k} = load ptr, ptr %left{k}.at")
            self.put(f"call void %release(ptr %left{k})")


def sizes(name: str, shape: tuple[int, ...]) -> str:
    """A constant with the sizes of an array."""
    numbers = ", ".join(f"i64 {size}" for size in shape) or "i64 0"
    return f"@{name} = internal constant [{max(len(shape), 1)} x i64] [{numbers}]"
