"""Libraries that only some tasks need, and the extra that installs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from symoro.errors import SymoroError


def needed(module: str, task: str, extra: str = "identify") -> Any:
    """A module that an extra installs; where it is missing, an error says what to install for which task."""
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        raise SymoroError(f"{task} needs {library}, which is not installed: pip install 'symoro[{extra}]'") from None
