"""The letters of the papers: parameters, and the intermediate variables of the models.

Their meanings are rows of `findings/symbols.toml` and `findings/variables.toml`.
"""

from __future__ import annotations

from symoro.findings import Sentence, sentence
from symoro.ir.meaning import Meaning

#: letters: unit of a parameter of joint or link {j}
PARAMETERS = {
    "gamma": "rad",
    "b": "m",
    "alpha": "rad",
    "d": "m",
    "theta": "rad",
    "r": "m",
    "stiffness": "N·m/rad or N/m",
    "rest": "rad or m",
    "XX": "kg·m²",
    "XY": "kg·m²",
    "XZ": "kg·m²",
    "YY": "kg·m²",
    "YZ": "kg·m²",
    "ZZ": "kg·m²",
    "MX": "kg·m",
    "MY": "kg·m",
    "MZ": "kg·m",
    "M": "kg",
    "IA": "kg·m² or kg",
    "FV": "N·m·s/rad or N·s/m",
    "FS": "N·m or N",
    "FA": "N·m or N",
    "FO": "N·m or N",
    "FST": "N·m or N",
    "BST": "s/rad or s/m",
    "VS": "rad/s or m/s",
    "FX": "N",
    "FY": "N",
    "FZ": "N",
    "CX": "N·m",
    "CY": "N·m",
    "CZ": "N·m",
    "G": "m/s²",
}

#: letters: (unit, equation) of an intermediate variable of link {j}
INTERMEDIATE = {
    "WI": ("rad/s", "K97:6a"),
    "W": ("rad/s", "K97:6b"),
    "V": ("m/s", "K97:6c"),
    "WP": ("rad/s²", "K97:8"),
    "DV": ("rad²/s²", "K97:9"),
    "U": ("rad/s²", "K97:9"),
    "VSP": ("m/s²", "K97:10"),
    "VP": ("m/s²", "K97:10"),
    "F": ("N", "K97:15"),
    "PIS": ("kg·m²", "K97:16"),
    "No": ("N·m", "K97:16"),
    "E": ("N", "K97:17"),
    "FDI": ("N", "K97:18"),
    "N": ("N·m", "K97:19"),
    "GAM": ("N·m or N", "K97:20"),
    "AS": ("kg·m", "K97:27"),
    "JP": ("kg·m²", "K97:28"),
    "MSP": ("kg·m", "K97:29"),
    "MP": ("kg", "K97:30"),
    "QDP": ("rad/s² or m/s²", "K10:41"),
    "H": ("N·m or N", "K97:25"),
    "Q": ("N·m or N", "K97:23"),
    "PL": ("kg·m/s", ""),
    "PI": ("kg·m/s", ""),
    "LL": ("kg·m²/s", ""),
    "COM": ("m", ""),
    "GAMF": ("N·m or N", "K13:7.26"),
}

#: quantity of joints: (unit of a rotation, unit of a translation), and of a matrix the unit between both
MOTION_UNITS: dict[str, tuple[str, ...]] = {
    "position": ("rad", "m"),
    "velocity": ("rad/s", "m/s"),
    "acceleration": ("rad/s²", "m/s²"),
    "torque": ("N·m", "N"),
    "inertia": ("kg·m²", "kg", "kg·m"),
    "damping": ("N·m·s/rad", "N·s/m", "N·s"),
    "stiffness": ("N·m/rad", "N/m", "N"),
}


def parameter_text(letters: str, j: int | None, axis: str = "", of_link: Sentence | None = None) -> Sentence:
    """What a parameter of joint or link j is; `of_link` says of which body where it is not a link of the robot."""
    return sentence(f"symbols.{letters}", j=j, axis=axis, of_link=of_link or sentence("symbols.of_link", j=j))


def variable_meaning(letters: str, j: int) -> Meaning:
    """What an intermediate variable of link j is."""
    if letters not in INTERMEDIATE:
        return Meaning(link=j)
    unit, equation = INTERMEDIATE[letters]
    return Meaning(sentence(f"variables.{letters}", j=j), unit, j, equation)
