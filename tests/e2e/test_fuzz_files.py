"""Commands on malformed files end with a status and a message; no file of a user changes. 2,000 seeded files.

The files are mutations of those that come with symoro. Each is checked, and if it can be read, one more command runs,
which is asked to write over files that exist.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.mutated_files import mutated, sources
from symoro.formats import dh, par, toml

CASES, BATCHES = 2000, 20
SUFFIX = {par: ".par", toml: ".toml", dh: ".csv"}
MINE = {"kept.toml": "mine", "kept.par": "mine", "kept.csv": "mine", "package/README.md": "mine"}
TRANSFORM = ("transform", "-o", "i=0", "-o", "j=1", "-o", "optimize=false")
MORE = [
    ("show",),
    ("convert", "kept.toml"),
    ("convert", "kept.par"),
    ("convert", "kept.csv"),
    ("convert", "new.toml"),
    ("convert", "new.par"),
    ("convert", "new.csv"),
    ("generate", *TRANSFORM, "--out", "package"),
    ("generate", *TRANSFORM, "--out", "package", "--force"),
    ("generate", *TRANSFORM, "--target", "python"),
]


def content(folder: Path) -> dict[str, str]:
    """Every file below a folder with its text."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in files}


def batches() -> list[Any]:
    """The first batch is in every run, the others are long."""
    return [pytest.param(batch, marks=pytest.mark.long if batch else ()) for batch in range(BATCHES)]


@pytest.mark.parametrize("batch", batches())
def test_commands_on_malformed_files(
    symoro: Callable[..., Any], batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random_, texts, found = random.Random(1000 + batch), sources(), Counter[str]()
    for case in range(CASES // BATCHES):
        folder = tmp_path / str(case)
        (folder / "package").mkdir(parents=True)
        monkeypatch.chdir(folder)
        reader, text = random_.choice(texts)
        name = f"robot{SUFFIX[reader]}"  # type: ignore[index]
        Path(name).write_bytes(mutated(text, random_).encode("utf-8", "surrogatepass"))
        for mine, words in MINE.items():
            Path(mine).write_text(words, encoding="utf-8")
        before = content(folder)
        first = symoro("check", name)
        assert content(folder) == before
        found[f"check {first.status}"] += 1
        if first.status == 0:
            command, *words = random_.choice(MORE)
            done = symoro(command, name, *words)
            found[f"{command} {done.status}"] += 1
            after = content(folder)
            assert {file: after[file] for file in before} == before
            assert done.status == 0 or after == before, (case, words)  # all files, or none
            assert done.status == 0 or done.err.strip(), (case, words)
    assert found["check 0"] > 10
    assert found["check 1"] > 10
    assert all(key.rpartition(" ")[2] in ("0", "1", "2") for key in found)
