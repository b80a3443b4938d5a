"""Finds files of packages; a file outside the given folders is never opened."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from symoro.errors import SymoroError
from symoro.findings import Setting

_UP = 6
_NAMES = ("_description", "_descriptions", "_support", "_resources")


class OutsideError(SymoroError):
    """A file is not inside the folders that may be read, or does not exist."""


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders that may be read: that of the file, those of packages by name, and folders with packages in them."""

    folder: Path
    packages: Mapping[str, Path]
    folders: tuple[Path, ...]

    @classmethod
    def of(cls, file: str | None, packages: Mapping[str, str | Path], folders: Iterable[str | Path]) -> Roots:
        """The folders for a file; ROS_PACKAGE_PATH adds more."""
        folder = Path(file).resolve().parent if file else Path.cwd()
        more = [path for path in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if path]
        named = {name: Path(path).resolve() for name, path in packages.items()}
        return cls(folder, named, tuple(Path(path).resolve() for path in (*folders, *more)))

    def package(self, name: str) -> Path:
        """The folder of a package: a given one, a folder of its name above the file, or one in a given folder."""
        if name in self.packages:
            return self.packages[name]
        if not name or any(c in name for c in "/\\\0") or name in (".", ".."):
            raise OutsideError("packages.no_name", name=name)
        for folder in self._above():
            if folder.name == name:
                return folder
        for folder in self.folders:
            if folder.name == name or (folder / name).is_dir():
                return folder if folder.name == name else folder / name
        folder_of = Setting(f"packages={{{name!r}: …}}", f"--package {name}=…")
        raise OutsideError("packages.not_found", name=name, option=folder_of)

    def inside(self, package: str, name: str) -> Path:
        """The path of a file of a package; it must be in the folder of this package."""
        folder = self.package(package).resolve()
        path = self.allowed(folder / name)
        if not path.is_relative_to(folder):
            raise OutsideError("packages.outside", name=name, package=package)
        return path

    def allowed(self, path: Path) -> Path:
        """The resolved path of a file that may be opened."""
        try:
            real = path.resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise OutsideError("files.key", key=path, reason=str(error)) from error
        roots = (self.folder, *self._above(), *self.packages.values(), *self.folders)
        if not any(real.is_relative_to(root) for root in roots):
            raise OutsideError("packages.outside_folders", path=path, own=self.folder)
        if not real.is_file():
            raise OutsideError("files.no_file", path=path)
        return real

    def _above(self) -> list[Path]:
        """The folder of the file's own package: it is above the file, and has a package.xml or such a name."""
        near = (self.folder, *list(self.folder.parents)[:_UP])
        return [folder for folder in near if folder.name.endswith(_NAMES) or (folder / "package.xml").is_file()]
