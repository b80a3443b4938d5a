"""Several models of a robot as one package of code, whose functions share the robot's parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symoro.emit import emit_all
from symoro.errors import ModelError
from symoro.model import Model


def generate(
    models: Sequence[Model],
    target: str,
    directory: str | Path,
    name: str = "",
    force: bool = False,
    precision: str = "double",
) -> list[Path]:
    """Write models of one robot as a package of files in a language; their paths. All files are written, or none.

    The functions share the structure of parameters. `name` is that of the package, by default the robot's. `force` and
    `precision` are as in `Model.emit`.
    """
    if not models:
        raise ModelError("a package needs a model: none is given")
    robots = list(dict.fromkeys(model.robot.name for model in models))
    if len(robots) > 1:
        raise ModelError(f"the models of a package are those of one robot, not of {', '.join(robots)}")
    sources = [model.source for model in models]
    if len(models) == 1:
        return emit_all(sources, target, directory, name, force=force, precision=precision)
    title = f"{len(models)} models of {models[0].robot.title or robots[0]}"
    return emit_all(sources, target, directory, name or robots[0], title, force, precision)
