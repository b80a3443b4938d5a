"""The recording of a Stäubli TX40 (FIGAROH, Apache-2.0), its published parameters, and their names here."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import symoro
from symoro import Measurements

FOLDER = Path(__file__).parents[1] / "data" / "tx40"
JOINTS = ("waist", "shoulder", "elbow", "wrist_roll", "wrist_pitch", "flange")
RATIOS = (32.0, 32.0, 45.0, -48.0, 45.0, 32.0)
DEAD_ZONE = (0.0501, 0.0501, 0.0750, 0.0716, 0.0559, 0.1222)
"""rad/s, 1 % of the rated speed of each joint, as published."""
BAND = {"cutoff": 100.0, "decimation": 100, "dead_zone": DEAD_ZONE, "border": 20}
_LETTERS = {"Ia": "IA", "fv": "FV", "fs": "FS", "off": "FO", "Iam": "IAM", "fvm": "FVM", "fsm": "FSM"}


def matrix() -> NDArray[np.float64]:
    """R of q̇m = R q̇: motor 6 turns with q5 + q6."""
    R = np.diag(RATIOS)
    R[5, 4] = RATIOS[5]
    return R


@cache
def recording(turned: bool = False) -> Measurements:
    """The recording at the joints. The published frame 6 is `turned` by π about z6: then q6 + π is the angle."""
    files = {"q": FOLDER / "pos_read_data.csv.xz", "tau": FOLDER / "curr_data.csv.xz"}
    found = symoro.measurements("tx40", files, rate=5000, side="motor", transmission=matrix())
    if turned:
        found.runs[0]["q"][:, 5] += np.pi
    return found


def published(name: str, method: str) -> dict[str, tuple[float, float]]:
    """Value and σ of each parameter of `TX40_bp_5.csv` or `TX40_ep_5.csv`, by the names of this package."""
    place = {"ols": 1, "wls": 3}[method]
    with open(FOLDER / name, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {own_name(r[0]): (float(r[place]), abs(float(r[place])) * float(r[place + 1]) / 100) for r in rows}


def own_name(text: str) -> str:
    """Ixx3 … becomes XXR3 where something is regrouped, else XX3."""
    first, _, rest = text.partition(" ")
    found = re.fullmatch(r"([A-Za-z]+)(\d)", first)
    assert found, text
    letters, link = found.groups()
    if letters in _LETTERS:
        return f"{_LETTERS[letters]}{link}"
    stem = letters[1:].upper() if letters.startswith("I") else letters.upper()
    return f"{stem}{'R' if rest else ''}{link}"
