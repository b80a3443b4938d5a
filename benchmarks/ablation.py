"""Measures what each step saves: counts with one step left out, written into docs/theory/fewer-operations.md.

python benchmarks/ablation.py [--reached]: with the option, only the table of the reached counts is written.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tables import markdown, put

import symoro
from symoro.ir import passes
from symoro.ir.linalg import Rotation, Vector
from symoro.ir.passes.algebra import expand_and_share, factor_and_share
from symoro.ir.passes.resubstitute import resubstitute
from symoro.ir.passes.turns import merge_angles, merge_equal, turn_by_three
from symoro.models import search
from symoro.models.dynamic.lean import frames, inertia, inertia_matrix, layout, motion, newton_euler
from symoro.robot.joint import Joint

PAGE = "theory/fewer-operations.md"
BUDGET = Path(__file__).parents[1] / "tests" / "counts" / "budget.toml"
ROBOTS = ("puma560", "puma560-symmetric", "rx90", "rx90-symmetric", "stanford", "general6r", "ur5")
MODELS = {"inverse_dynamics": "inverse dynamics", "inertia_matrix": "A", "direct_dynamics": "direct dynamics"}
#: Robot, model and title of each row.
ROWS = [(robot, model, title) for robot in ROBOTS for model, title in MODELS.items()]
ROWS += [(robot, "dynamic_regressor", "regressor") for robot in ("puma560", "rx90")]

Change = tuple[object, str, Any]


def _unmerged(graph: Any, twists: list[frames.Twist]) -> list[frames.Twist]:
    """Turns about one axis are not merged; only turns by 0 are removed."""
    return [(axis, angle) for axis, angle in twists if not frames._is_zero(graph, angle)]


_SPLIT = frames._split


def _own_frame(twists: list[frames.Twist], joint: Joint, grouped: bool) -> Any:
    """Each link is evaluated in its own frame."""
    return _SPLIT(twists, joint, grouped=False)


def _unmoved(s: Any, body: inertia.Moments, j: int, Kzz: Any, M: Any) -> tuple[inertia.Moments, inertia.Moments]:
    """Everything stays on its link."""
    return body, inertia.Moments.of(s.graph.zero, 0 * body.MS, s.graph.zero * body.K)


def _turned_after(s: Any, j: int, E: Rotation, a: Vector, body: inertia.Moments) -> tuple[inertia.Moments, Any]:
    """The wrench is computed in the composite's own frame, then turned."""
    f, m = inertia_matrix.unit_wrench(s, j, a, body)
    return body.turned(E), (E @ f, E @ m)


def _turned_first(s: Any, j: int, at: frames.EvaluationFrame) -> inertia_matrix.FrameChange:
    """P in the frame of evaluation of the antecedent."""
    return inertia_matrix.FrameChange(at.E, at.P, Rotation(s.graph, ()))


def _by_rates(self: motion.AngularMotion, at: Any, qdd: Any, j: int, by_rates: Any) -> motion.AngularMotion:
    """U always comes from ω̇."""
    return _NEXT(self, at, qdd, j, frozenset(at))


_NEXT = motion.AngularMotion.next


def _frames_alone(self: layout.FrameLayout, robot: Any, joints: layout.Joints) -> Iterator[layout.FrameLayout]:
    """Origins are those of the frames."""
    yield self.turned_over(frozenset(joint.index for joint in joints))


def _by_elements(s: Any, body: inertia.Moments, now: motion.AngularMotion, axes: tuple[int, ...], used: Any) -> Any:
    """The diagonal of K is always multiplied by elements of U."""
    _, y, z = axes
    return now.U[z, y] * body.K[y, y] - now.U[y, z] * body.K[z, z]


#: Name of a step in the table: the replacements that leave it out.
STEPS: dict[str, tuple[Change, ...]] = {
    "frames of evaluation": ((frames, "_split", _own_frame),),
    "columns of U": ((motion.AngularMotion, "next", _by_rates),),
    "origins along axes": ((layout.FrameLayout, "_at", _frames_alone),),
    "K meets what is there": ((newton_euler, "_in_plane", _by_elements),),
    "J beside K": (
        (layout.RecursionLayout, "other_form", lambda self, j: self),
        (layout, "_rounds", lambda robot, joint: False),
    ),
    "parallel joints as one": ((frames, "merge", _unmerged),),
    "moving along axes": ((inertia, "_divide", _unmoved),),
    "mass as a choice": ((layout.InertiaLayout, "_at", layout.FrameLayout._at),),
    "columns read off": ((inertia_matrix, "read_off", _turned_after),),
    "moving between the turns": ((inertia_matrix, "way_of", _turned_first),),
    "search of layouts": ((search, "best_layouts", lambda robot, starts, count, effort: list(starts)[:1]),),
    "algebra": ((passes, "PASSES", (merge_equal, resubstitute)),),
    "resubstitution": (
        (passes, "PASSES", (merge_angles, factor_and_share, expand_and_share, passes.gather, turn_by_three)),
    ),
}


@contextmanager
def without(step: str) -> Iterator[None]:
    """Builds inside this context do not use the step."""
    with ExitStack() as stack:
        for owner, name, instead in STEPS[step]:
            stack.enter_context(patch.object(owner, name, instead))
        yield


def count(make: Callable[..., Any], robot: str, **options: Any) -> int:
    total: int = make(robot, params="base", **options).ops.total
    return total


def row(robot: str, model: str, title: str) -> list[str]:
    """Counts: the plain form, the passes alone on it, all steps, and the increase when each step is left out."""
    make = getattr(symoro, model)
    plain = make(robot, params="base", optimize=False)
    alone = passes.optimize(plain.program).ops.total
    everything = count(make, robot)
    lost = []
    for step in STEPS:
        with without(step):
            lost.append(count(make, robot) - everything)
    print(robot, title, plain.ops.total, alone, everything, lost, file=sys.stderr)
    return [
        robot,
        title,
        str(plain.ops.total),
        str(alone),
        f"**{everything}**",
        *(f"{x:+d}" if x else "·" for x in lost),
    ]


def table() -> str:
    """The table in Markdown."""
    heads = ["robot", "model", "plain", "passes alone", "all", *(f"− {step}" for step in STEPS)]
    lines = [heads, ["---", "---", *["--:"] * (len(heads) - 2)], *(row(*chosen) for chosen in ROWS)]
    return markdown(lines)


def reached() -> str:
    """The budget as a table: the reached count, the goal, and published counts."""
    lines = ["| robot | model | parameters | M | A | total | goal | published |", "|---|---|---|--:|--:|--:|---|---|"]
    for r in tomllib.loads(BUDGET.read_text(encoding="utf-8"))["rows"]:
        total, goal = r["M"] + r["A"] + r.get("D", 0), r.get("at_most")
        said = "" if goal is None else f"{goal}" if total <= goal else f"{goal}, **not reached**"
        model = f"{r['model']}, {r['given']} given" if "given" in r else r["model"]
        cells = (r["robot"], model, r["params"], r["M"], r["A"], total, said, r["published"])
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> None:
    put(PAGE, "reached", reached())
    if "--reached" not in sys.argv:
        put(PAGE, "ablation", table())


if __name__ == "__main__":
    main()
