"""Texts in the dialect of the original SYMORO+: capitals, wrapped lists, CRLF, a Latin-1 byte, wrong headers."""

from __future__ import annotations

from collections.abc import Sequence

DYNAMIC = [*("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M"), *("IA", "FV", "FS")]
DYNAMIC += ["FX", "FY", "FZ", "CX", "CY", "CZ"]
KEYS = {"ant": "Ant", "sigma": "Sigma", "b": "B", "r": "R", "alpha": "Alpha", "mu": "Mu", "theta": "Theta"}


def block(key: str, items: Sequence[object], width: int = 10) -> str:
    """A list that starts on its own line and is wrapped."""
    rows = [",".join(map(str, items[start : start + width])) for start in range(0, len(items), width)]
    return f"{KEYS.get(key, key)}  = {{\n        " + ",\n        ".join(rows) + "}"


def symoro_plus(
    name: str, geometry: dict[str, str], header: tuple[int, int, int, int], links: int = 0, gravity: str = "0,0,-9.8"
) -> bytes:
    """The bytes of a file; `links` is the length of the dynamic lists, 0 for none and no gravity."""
    frames, bodies, joints, kind = header
    parts = [
        "(*~~~~~~~~~~~~~~~~~~~~*)\n(*  Universit\u00e9, robots  *)\n(*~~~~~~~~~~~~~~~~~~~~*)",
        f"(* The parameters\n   of a robot *)\n(* Robotname = '{name}' *)",
        f"NF = {frames}\nNL = {bodies}\nNJ = {joints}\nType = {kind} (* as it was saved *)",
        *(block(key, texts.split(",")) for key, texts in geometry.items()),
    ]
    if links:
        parts += [block(key, [f"{key}{j}" for j in range(1, links + 1)]) for key in DYNAMIC]
        parts += [block(key, [f"{key}{j}" for j in range(1, links + 1)]) for key in ("QP", "QDP")]
        parts += [block(key, [0, 0, 0]) for key in ("W0", "WP0", "V0", "VP0")]
        parts += [block("Z", [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), block("G", gravity.split(","))]
    return ("\n\n".join(parts) + "\n\n(* The end *)\n").replace("\n", "\r\n").encode("latin-1")


AKR3000 = {
    "ant": "0,1,1,1,3,4,2,7,8,9,5,6,7,2",
    "sigma": "0,0,0,0,1,1,0,0,0,0,0,0,2,2",
    "b": "0,0,0,0,0,0,0,0,0,0,0,0,0,0",
    "d": "0,0,d3,d4,0,0,d7,0,0,0,0,0,d13,d14",
    "r": "0,0,0,0,r5,r6,0,r8,0,0,0,0,0,0",
    "gamma": "0,0,0,0,0,0,0,0,0,0,0,0,g13,g14",
    "alpha": "0,Pi/2,Pi/2,Pi/2,-Pi/2,-Pi/2,0,-Pi/2,Pi/2,-Pi/2,Pi/2,Pi/2,0,0",
    "mu": "1,0,0,0,1,1,0,1,1,1,0,0,0,0",
    "theta": "0,0,0,0,0,0,0,0,0,0,0,0,0,0",
}
SR400 = {
    "ant": "0,1,2,3,4,5,1,7,8,3",
    "sigma": "0,0,0,0,0,0,0,0,0,2",
    "b": "0,0,0,0,0,0,0,0,0,0",
    "d": "0,d2,d3,d4,0,0,d2,d8,d3,-d8",
    "r": "0,0,0,RL4,0,0,0,0,0,0",
    "gamma": "0,0,0,0,0,0,0,0,0,Pi/2",
    "alpha": "0,-Pi/2,0,-Pi/2,Pi/2,-Pi/2,-Pi/2,0,0,0",
    "mu": "1,1,0,1,1,1,1,0,0,0",
    "theta": "0,0,0,0,0,0,0,0,0,0",
}
RX90 = {
    "ant": "0,1,2,3,4,5",
    "sigma": "0,0,0,0,0,0",
    "b": "0,0,0,0,0,0",
    "d": "0,0,d3,0,0,0",
    "r": "0,0,0,RL4,0,0",
    "gamma": "0,0,0,0,0,0",
    "alpha": "0,Pi/2,0,-Pi/2,Pi/2,-Pi/2",
    "mu": "1,1,0,1,1,1",
    "theta": "0,0,0,0,0,0",
}
ORTHOGLIDE = {
    "ant": "0,0,0,1,4,5,6,2,8,9,10,3,12,13,14",
    "sigma": "1,1,1,0,0,0,0,0,0,0,0,0,0,0,0",
    "b": "0,a,a,0,0,0,0,0,0,0,0,0,0,0,0",
    "d": "0,0,0,0,0,d4,0,0,0,d4,0,0,0,d4,0",
    "r": "q1,-a + q2,-a + q3,0,0,0,0,0,0,0,0,0,0,0,0",
    "gamma": "0,Pi/2,0,0,0,0,0,0,0,0,0,0,0,0,0",
    "alpha": "0,Pi/2,-Pi/2,-Pi/2,-Pi/2,0,Pi/2,-Pi/2,-Pi/2,0,Pi/2,-Pi/2,-Pi/2,0,Pi/2",
    "mu": "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
    "theta": "0,0,-Pi/2,q4,q5,q6,q7,q8,q9,q10,q11,q12,q13,q14,q15",
}
