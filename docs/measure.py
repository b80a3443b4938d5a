"""Prints measures of the code: its size, what is written twice, how many files a call crosses. No test holds them.

python docs/measure.py
"""

from __future__ import annotations

import ast
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
from walk import ROOT, visited

import symoro

PLATFORM = re.compile(r"platform|parallel|(?<![a-z])legs?(?![a-z])")
LONGEST = 15


def main() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))}
    trees = {name: ast.parse(text) for name, text in texts.items()}
    lines = {name: text.count("\n") for name, text in texts.items()}
    total = sum(lines.values())
    imports = sum(node.end_lineno - node.lineno + 1 for tree in trees.values() for node in _imports(tree))
    root = sorted(name.removesuffix(".py") for name in texts if "/" not in name)
    of_platforms = [name for name in texts if PLATFORM.search(name)]

    print(f"modules at the root: {len(root)} ({' '.join(root)})")
    print(f"files: {len(texts)}, lines: {total:,}, lines of imports: {imports:,} ({100 * imports / total:.1f} %)")
    print(
        f"files of platforms or legs alone: {len(of_platforms)}, lines: {sum(lines[name] for name in of_platforms):,}"
    )
    print("\n".join(f"       {name}" for name in of_platforms))
    _repeated_classes(trees)
    print("files that a call crosses:")
    print(f"  {_crossed(model_in_c):4} load, inverse_dynamics of puma560, emit C")
    print(f"  {_crossed(inverse_geometry, _pose()):4} inverse_geometry of ur5, compiled and called")
    print(f"  {_crossed(identified, _recording()):4} identify of a generated recording")
    print("longest files:")
    for name in sorted(lines, key=lines.__getitem__, reverse=True)[:LONGEST]:
        print(f"  {lines[name]:4} {name}")


def _imports(tree: ast.Module) -> Iterator[Any]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def _repeated_classes(trees: dict[str, ast.Module]) -> None:
    classes = Counter(node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    repeated = {name: times for name, times in sorted(classes.items()) if times > 1}
    print(f"class names that exist more than once: {len(repeated)}")
    print("       " + ", ".join(f"{name} ({times})" for name, times in repeated.items()))


def _files_crossed(call: Callable[..., Any], *given: Any) -> int:
    return len({file for file, _ in visited(lambda: call(*given))})


def _crossed(call: Callable[..., Any], *given: Any) -> int:
    """The files that a call crosses in a process of its own, where nothing is remembered, nor compiled."""
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(1, get_context("spawn")) as process:
        os.environ["XDG_CACHE_HOME"] = folder
        return process.submit(_files_crossed, call, *given).result()


def model_in_c() -> None:
    with tempfile.TemporaryDirectory() as folder:
        symoro.inverse_dynamics(symoro.load("puma560")).emit("c", folder)


def inverse_geometry(T: Any) -> None:
    symoro.inverse_geometry("ur5").compile()(T)


def identified(data: dict[str, Any]) -> None:
    symoro.identify("scara", data)


def _pose() -> Any:
    return symoro.forward_geometry("ur5").compile("numpy")([0.3, -0.8, 1.1, 0.4, 0.9, -0.2])


def _recording() -> dict[str, Any]:
    """Ten seconds of a motion of an arm, with the torques of its own model."""
    t, w = np.arange(0.0, 10.0, 0.005), 2 * np.pi * 0.1 * np.arange(1, 6)
    sine, cosine = np.sin(t[:, None] * w), np.cos(t[:, None] * w)
    a, b = np.random.default_rng(0).uniform(-0.4, 0.4, (2, 5, 4))
    q, qd, qdd = sine @ a + cosine @ b, (cosine * w) @ a - (sine * w) @ b, -(sine * w**2) @ a - (cosine * w**2) @ b
    return {"t": t, "q": q, "tau": symoro.inverse_dynamics("scara").compile("numpy")(q, qd, qdd)}


if __name__ == "__main__":
    main()
