"""Builds the page into the wheel, where npm is there; without it, everything else is built and the page says so."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """`npm install` and `vite build` before files are packed; an editable installation is not delayed by it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        built = root / "src" / "symoro" / "web" / "static" / "index.html"
        if version == "editable" or built.exists() or os.environ.get("SYMORO_NO_PAGE"):
            return
        npm = shutil.which("npm")
        if npm is None:
            print("symoro: npm is not there, so the page (symoro gui) is not built", file=sys.stderr)
            return
        try:
            for command in (["install", "--no-save", "--no-audit", "--no-fund"], ["run", "build"]):
                subprocess.run([npm, *command], cwd=root / "frontend", check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"symoro: the page (symoro gui) is not built: {error}", file=sys.stderr)
