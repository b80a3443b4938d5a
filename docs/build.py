"""The documentation with its generated reference pages: python docs/build.py [folder]."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from symoro.cli.app import COMMANDS
from symoro.models.catalogue import entries
from symoro.robot.notation import TERMS, Term
from symoro.vocabulary import MOTION_UNITS

DOCS = Path(__file__).parent


def main(folder: Path) -> None:
    """Copy the written pages and add the generated ones."""
    shutil.copytree(DOCS, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for name, text in {"models": models(), "notation": notation(), "cli-reference": commands()}.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    print(f"{len(list(folder.glob('**/*.md')))} pages in {folder}/")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def models() -> str:
    """The catalogue: a table, then the options of each model."""
    rows = [(f"`{e.name}`", ", ".join(e.aliases), e.title, e.citation, ", ".join(e.inputs)) for e in entries()]
    parts = ["# Models\n", table(("model", "aliases", "what", "after", "inputs"), rows)]
    for e in entries():
        options = [
            (f"`{o.name}`", ", ".join(o.choices) or o.kind, "required" if o.required else str(o.default), o.help)
            for o in e.all_options
        ]
        parts += [f"## {e.name}\n", f"{e.title} ({e.citation}); checked against {e.oracle}.\n"]
        parts.append(table(("option", "values", "default", "meaning"), options))
        if e.outputs:
            parts.append(
                table(("output", "meaning", "unit"), [(f"`{o.name}`", o.meaning, _unit(o.unit)) for o in e.outputs])
            )
    return "\n".join(parts)


def _unit(name: str) -> str:
    """A unit, or those of joints of any kind."""
    return " or ".join(MOTION_UNITS.get(name, (name,)))


def notation() -> str:
    """One quantity a row under its names."""
    return "# Notation\n\n" + table(Term._fields, TERMS)


def commands() -> str:
    """The help text of each command."""
    parts = ["# Command reference"]
    for name in COMMANDS:
        text = subprocess.check_output([sys.executable, "-m", "symoro", name, "--help"], text=True)
        parts.append(f"## symoro {name}\n\n```\n{text.strip()}\n```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "site"))
