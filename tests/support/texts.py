"""What is written for some robots: equations, code and counts of models, base parameters, steps of inverse geometry."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import symoro

MODELS = {
    "planar2r": ("inverse_dynamics", "direct_dynamics", "jacobian_inverse"),
    "rx90": ("inverse_dynamics", "jacobian_determinant"),
    "four-bar": ("inverse_dynamics", "loop_kinematics"),
    "sr400": ("inverse_dynamics",),
    "test-loop": ("inertia_matrix", "loop_closure"),
    "gough-stewart": ("inverse_dynamics",),
}
LOOPS = ("akr3000", "five-bar", "orthoglide", "slider-crank", "two-loops")
ARMS = ("rx90", "planar2r", "scara")


def texts() -> Iterator[tuple[str, str]]:
    """Each text with its name."""
    for robot, models in MODELS.items():
        for name in models:
            yield from _texts_of(robot, name)
    for robot in ("rx90", "sr400", "four-bar"):
        base = symoro.base_parameters(robot)
        notes = [str(note) for note in base.notes]
        yield f"base parameters of {robot}", f"{base.parameters} {base.relations} {notes}"
    for robot in LOOPS:
        yield f"mobility of {robot}", str(symoro.mobility(robot))
    for robot in ARMS:
        yield f"inverse geometry of {robot}", str(symoro.inverse_geometry(robot).derivation)


def _texts_of(robot: str, name: str) -> Iterator[tuple[str, str]]:
    params = {"params": "base"} if name == "inverse_dynamics" else {}
    model = getattr(symoro, name)(robot, **params)
    yield f"{name} of {robot}: counts", f"{model.ops} {model.setup_ops}"
    yield f"{name} of {robot}: equations", str(model.equations())
    with tempfile.TemporaryDirectory() as folder:
        paths = [path for path in model.emit("c", Path(folder)) if path.stem != "selftest"]  # it has computed numbers
        for path in paths:
            yield f"{name} of {robot}: {path.name}", path.read_text()


if __name__ == "__main__":
    print(json.dumps({name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts()}))
