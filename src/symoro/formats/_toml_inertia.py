"""The inertia of a link in a TOML document: XX … M, or mass, centre of mass and tensor."""

from __future__ import annotations

from typing import Any

from symoro.errors import RobotError
from symoro.formats._toml_part import Part
from symoro.robot.link import Inertia
from symoro.robot.values import ZERO, Value

TENSORS = {"tensor_at_com": Inertia.from_com, "tensor_at_origin": Inertia.from_origin}
BODY = ("mass", "com", *TENSORS)
_ALLOWED = "XX … M about the origin of the frame, or mass, com and one of tensor_at_com, tensor_at_origin"


def read_inertia(part: Part, link: int) -> Inertia:
    """The table `inertia` of a joint or of the base."""
    given = part.data.get("inertia", {})
    if not isinstance(given, dict) or not any(key in BODY for key in given):
        return part.table("inertia", Inertia, link)
    if others := [key for key in given if key not in BODY]:
        known = [key for key in others if key in Inertia.names()]
        what = f"has both {known[0]} and {next(k for k in given if k in BODY)}" if known else f"has a key {others[0]!r}"
        part.error(f"inertia.{others[0]}", f"inertia {what} (allowed: {_ALLOWED})")
        return Inertia()
    if len(tensors := [key for key in TENSORS if key in given]) > 1:
        part.error(f"inertia.{tensors[1]}", "inertia has two tensors (allowed: tensor_at_com or tensor_at_origin)")
        return Inertia()
    if "mass" not in given:
        part.error(f"inertia.{next(iter(given))}", "inertia has no mass (needed with com and with a tensor)")
        return Inertia()
    return _body(part, given, tensors[0] if tensors else "tensor_at_com")


def _body(part: Part, given: dict[str, Any], tensor: str) -> Inertia:
    nothing = [[0, 0, 0]] * 3
    rows = given.get(tensor, nothing)
    if not isinstance(rows, list) or len(rows) != 3 or any(not isinstance(row, list) or len(row) != 3 for row in rows):
        shape = "three rows of three values: [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]"
        part.error(f"inertia.{tensor}", f"inertia.{tensor} is not a tensor (allowed: {shape})")
        rows = nothing
    com = given.get("com", [0, 0, 0])
    if not isinstance(com, list) or len(com) != 3:
        part.error("inertia.com", "inertia.com is not a point (allowed: three values, in the link's frame)")
        com = [0, 0, 0]

    def values(name: str, row: list[Any]) -> list[Value]:
        return [part.convert(f"inertia.{name}", item) for item in row]

    try:
        mass = part.convert("inertia.mass", given["mass"])
        return TENSORS[tensor](mass, values("com", com), [values(tensor, row) for row in rows])
    except RobotError as error:
        part.error(f"inertia.{tensor}", f"inertia.{tensor}: {error}")
        return Inertia(M=ZERO)
