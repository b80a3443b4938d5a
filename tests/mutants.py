"""Changes one operator or number of the sources at a time, and asks whether a test that reads the line notices it.

python tests/mutants.py map           runs the quick tests once; writes which test reads which line, .mutants/map.json
python tests/mutants.py run OUT.json  makes 200 random changes, runs the tests of each line, writes what they said

A change that no test notices is a survivor: the suite is weaker than it looks there. Two versions of the sources are
compared by their parts of survivors, as lines move. `coverage` and `pytest-cov` are needed: pip install pytest-cov.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from threading import Lock

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".mutants"
PACKAGES = ("ir", "models", "solve", "runtime")
#: Seconds for the tests of one change; the quickest tests are the first.
LIMIT = 240
#: The tests that a run of changed sources takes, one id a line.
CHOSEN = "SYMORO_MUTANTS_TESTS"

_COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMBINED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.MatMult: ast.Add, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A change of one node: line and column of it, and the text before and after."""

    file: str
    line: int
    before: str
    after: str
    place: int
    """The node's number in a walk through the file."""


def changed(node: ast.AST) -> ast.AST | None:
    """Another node of the same kind; None where there is none to make."""
    match node:
        case ast.Compare(left=a, ops=[op], comparators=[b]) if type(op) in _COMPARED:
            return ast.Compare(a, [_COMPARED[type(op)]()], [b])
        case ast.BinOp(left=a, op=op, right=b) if type(op) in _COMBINED:
            return ast.BinOp(a, _COMBINED[type(op)](), b)
        case ast.BoolOp(op=op, values=values):
            return ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=x) | ast.UnaryOp(op=ast.USub(), operand=x):
            return x
        case ast.Constant(value=bool() as x):
            return ast.Constant(not x)
        case ast.Constant(value=int() | float() as x):
            return ast.Constant(x + 1)
        case ast.IfExp(test=test, body=a, orelse=b):
            return ast.IfExp(test, b, a)
        case ast.Return(value=x) if x is not None and not isinstance(x, ast.Constant):
            return ast.Return(ast.Constant(None))
    return None


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that a program computes with: not annotations, docstrings and the arguments of decorators."""
    left_out = {
        id(part)
        for node in ast.walk(tree)
        for top in (
            getattr(node, "annotation", None), getattr(node, "returns", None), *getattr(node, "decorator_list", [])
        )
        if top is not None
        for part in ast.walk(top)
    }  # fmt: skip
    yield from (node for node in ast.walk(tree) if id(node) not in left_out and hasattr(node, "lineno"))


def mutants(lines: dict[str, dict[str, list[int]]], count: int, seed: int) -> list[Mutant]:
    """Random changes in lines that tests read, as many in a package as it has places for them."""
    every = []
    for file in sorted(lines):
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        for place, node in enumerate(nodes(tree)):
            after = changed(node) if str(node.lineno) in lines[file] else None  # type: ignore[attr-defined]
            if after is not None:
                every.append(Mutant(file, node.lineno, ast.unparse(node), ast.unparse(after), place))  # type: ignore[attr-defined]
    return Random(seed).sample(every, count)


def write_changed(mutant: Mutant, root: Path) -> None:
    """The source with the change, in a copy of the tree. Only the text of the node is another one."""
    path = root / mutant.file
    text = path.read_text(encoding="utf-8")
    node = next(one for place, one in enumerate(nodes(ast.parse(text))) if place == mutant.place)
    rows = text.encode().splitlines(keepends=True)
    first, last = node.lineno - 1, node.end_lineno - 1  # type: ignore[attr-defined]
    head, tail = rows[first][: node.col_offset], rows[last][node.end_col_offset :]  # type: ignore[attr-defined]
    replaced = mutant.after if isinstance(node, ast.stmt) else f"({mutant.after})"
    path.write_bytes(b"".join([*rows[:first], head + replaced.encode() + tail, *rows[last + 1 :]]))


def write_map() -> int:
    """Run the quick tests under coverage, and write which test reads which line, and how long each test takes."""
    FOLDER.mkdir(exist_ok=True)
    times = FOLDER / "times.txt"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "2", "-m", "not long", "-p", "no:cacheprovider", "--durations=0",
         *(f"--cov=symoro.{package}" for package in PACKAGES), "--cov-context=test", "--cov-report=",
         "-W", "ignore::coverage.exceptions.CoverageWarning"],
        cwd=ROOT, env=os.environ | {"COVERAGE_FILE": str(FOLDER / "data"), "OPENBLAS_NUM_THREADS": "1"},
        stdout=times.open("w"), check=False,
    )  # fmt: skip
    from coverage import CoverageData

    data = CoverageData(str(FOLDER / "data"))
    data.read()
    tests = sorted(c.partition("|")[0] for c in data.measured_contexts() if c)
    number = {test: k for k, test in enumerate(dict.fromkeys(tests))}
    lines: dict[str, dict[int, list[int]]] = defaultdict(dict)
    for file in (file for file in data.measured_files() if Path(file).is_relative_to(ROOT / "src")):
        name = Path(file).relative_to(ROOT).as_posix()
        for line, contexts in data.contexts_by_lineno(file).items():
            readers = sorted({number[c.partition("|")[0]] for c in contexts if c})
            if readers:
                lines[name][line] = readers
    seconds: Counter[str] = Counter()
    for row in times.read_text().splitlines():
        took, _, rest = row.strip().partition("s ")
        phase, _, test = rest.strip().partition(" ")
        if phase in ("call", "setup"):
            seconds[test.strip()] += float(took)
    json.dump({"tests": list(number), "lines": lines, "seconds": seconds}, (FOLDER / "map.json").open("w"))
    return done.returncode


def run(out: Path, count: int, seed: int, processes: int) -> int:
    """Try the changes, and print how many were noticed."""
    known = json.loads((FOLDER / "map.json").read_text())
    chosen = mutants(known["lines"], count, seed)
    lock, results = Lock(), list[dict[str, object]]()
    copies = [copied() for _ in range(processes)]
    free = list(copies)

    def tried(mutant: Mutant) -> None:
        with lock:
            root = free.pop()
        tests = [known["tests"][k] for k in known["lines"][mutant.file][str(mutant.line)]]
        tests.sort(key=lambda test: known["seconds"].get(test, 0.0))
        result = noticed(mutant, root, tests)
        with lock:
            free.append(root)
            results.append(asdict(mutant) | {"tests": len(tests), "result": result})
            out.write_text(json.dumps(results, indent=1))
            print(
                f"{len(results)}/{count} {result}: {mutant.file}:{mutant.line} {mutant.before} -> {mutant.after}",
                flush=True,
            )

    with ThreadPoolExecutor(processes) as pool:
        list(pool.map(tried, chosen))
    for root in copies:
        shutil.rmtree(root)
    print(dict(Counter(str(one["result"]) for one in results)))
    return 0


def copied() -> Path:
    """A copy of the tree in a folder of its own."""
    root = Path(tempfile.mkdtemp(prefix="mutants"))
    names = (
        "src",
        "tests",
        "docs",
        "examples",
        "benchmarks",
        "frontend",
        "pyproject.toml",
        "README.md",
        "CHANGELOG.md",
    )
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
        else:
            shutil.copy(ROOT / name, root / name)
    return root


def noticed(mutant: Mutant, root: Path, tests: list[str]) -> str:
    """`killed` by a test, or by taking much longer; `survived`; `unfinished` where the tests take longer than LIMIT."""
    path = root / mutant.file
    text = path.read_bytes()
    write_changed(mutant, root)
    listed = root / "chosen.txt"
    listed.write_text("\n".join(tests))
    files = sorted({test.partition("::")[0] for test in tests})
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "mutants", *files]
    environment = os.environ | {
        CHOSEN: str(listed), "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root / 'tests'}", "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1", "SYMORO_CACHE": "off",
    }  # fmt: skip
    start = time.monotonic()
    try:
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return "unfinished"
    finally:
        path.write_bytes(text)
    if done.returncode not in (0, 1) and b"error" not in done.stdout.lower():
        return f"broken ({done.returncode}, {time.monotonic() - start:.0f} s)"
    return "killed" if done.returncode else "survived"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """As a plugin: keep the chosen tests, in their order."""
    if CHOSEN in os.environ:
        order = {test: k for k, test in enumerate(Path(os.environ[CHOSEN]).read_text().splitlines())}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("map")
    trying = commands.add_parser("run")
    trying.add_argument("out", type=Path)
    trying.add_argument("--count", type=int, default=200)
    trying.add_argument("--seed", type=int, default=0)
    trying.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    return write_map() if asked.command == "map" else run(asked.out, asked.count, asked.seed, asked.processes)


if __name__ == "__main__":
    sys.exit(main())
