"""The files of a package: templates filled by Jinja, written all or none."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from symoro.emit.listing import wrap
from symoro.emit.target import Target
from symoro.emit.trace import without_marks
from symoro.errors import TargetError
from symoro.findings import Finding
from symoro.saving import why

# Fills the templates of the targets by Jinja.


class Rendered(Protocol):
    """The data of a package, in the language of its target."""

    @property
    def name(self) -> str: ...

    @property
    def target(self) -> Target: ...


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("symoro.emit"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["wrapped"] = wrap
    environment.filters["unmarked"] = without_marks
    return environment


def _quote(text: str) -> str:
    """A string literal, in the notation that most languages share."""
    return json.dumps(text, ensure_ascii=False)


def render(package: Rendered, files: Mapping[str, str], **more: Any) -> dict[str, str]:
    """Fill the templates {file name: template} with the package and what else they need; return {file name: text}."""
    target = package.target
    context: dict[str, Any] = {
        "p": package,
        "number": target.number,
        "comment": target.comment,
        "quote": _quote,
        **more,
    }
    context["unknown"] = target.number(math.nan)  # the default of a parameter without a number
    context["check"] = target.check.format(name=package.name)
    texts = {file: _environment().get_template(f"{template}.jinja").render(context) for file, template in files.items()}
    return {file: text.rstrip("\n") + "\n" for file, text in texts.items()}


# Writes the files of a package: all of them or none, and never over a file that symoro did not make.
#
# A manifest in the folder lists every file that was written there, with its model and its SHA-256. A file that is not
# in the manifest was not made by symoro: it is never touched. A file that is in it, but has another content now, was
# changed by somebody: it is overwritten only where that is asked for. So is a file of another model.


MANIFEST = "symoro-files.json"
_ABOUT = "Files that symoro wrote here; it replaces only these. Delete this file, and symoro replaces none of them."


def write_files(directory: Path | str, files: Mapping[str, str], owner: str, force: bool = False) -> list[Path]:
    """Write {file name: text} of a model into a folder; the paths. An error leaves the folder as it was."""
    if not isinstance(directory, str | Path):
        raise TargetError("targets.no_folder", folder=f"{directory!r:.60}")
    folder = Path(directory)
    try:
        listed = _listed(folder)
        if problems := [p for name in files if (p := _problem(folder / name, listed.get(name), owner, force))]:
            raise TargetError("targets.nothing_written", folder=str(folder), problems=problems)
        written = {name: {"model": owner, "sha256": _digest(text.encode())} for name, text in files.items()}
        manifest = {"about": _ABOUT, "files": dict(sorted((listed | written).items()))}
        _move_in(folder, {**files, MANIFEST: json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"})
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        raise TargetError("targets.cannot_be_written", folder=str(folder), reason=why(error)) from error
    return [folder / name for name in files]


def _listed(folder: Path) -> dict[str, Any]:
    """The files that the manifest of a folder lists; none where there is no manifest that can be read."""
    try:
        data = (folder / MANIFEST).read_bytes()
    except FileNotFoundError:
        return {}
    try:
        listed = json.loads(data)["files"]
        return {name: entry for name, entry in listed.items() if {"model", "sha256"} <= entry.keys()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise TargetError("targets.no_manifest", file=str(folder / MANIFEST)) from None


def _problem(path: Path, entry: Mapping[str, str] | None, owner: str, force: bool) -> Finding | None:
    """Why a file may not be replaced; None where it may, or where there is none."""
    if not os.path.lexists(path):
        return None
    if entry is None or path.is_symlink() or not path.is_file():
        return Finding("targets.not_ours", file=path.name)
    if force:
        return None
    if entry["model"] != owner:
        return Finding("targets.of_another", file=path.name, model=entry["model"])
    if entry["sha256"] != _digest(path.read_bytes()):
        return Finding("targets.changed", file=path.name)
    return None


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def _move_in(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files beside their places, then move them there; where a move fails, everything is moved back."""
    with _new_folder(folder), tempfile.TemporaryDirectory(prefix=".symoro-", dir=folder) as staging:
        new, old = Path(staging, "new"), Path(staging, "old")
        new.mkdir()
        old.mkdir()
        for name, text in files.items():
            (new / name).write_text(text, encoding="utf-8", newline="\n")
        moved: list[str] = []
        try:
            for name in files:
                if (folder / name).exists():
                    os.replace(folder / name, old / name)
                moved.append(name)
                os.replace(new / name, folder / name)
        except OSError:
            for name in moved:
                _back(folder / name, old / name)
            raise


def _back(path: Path, before: Path) -> None:
    """Undo a move: the file that was there before, or none."""
    if before.exists():
        os.replace(before, path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def _new_folder(folder: Path) -> Iterator[None]:
    """Make a folder; where what follows fails, remove what was made."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for path in missing:
            with suppress(OSError):  # somebody else has put a file there
                path.rmdir()
        raise
