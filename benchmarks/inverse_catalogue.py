"""Write docs/inverse-catalogue.md: the branches of symoro beside those of a search, for arms and closed loops.

python benchmarks/inverse_catalogue.py [poses]

It takes some minutes. The comparison is that of tests/oracles/test_inverse_catalogue.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from support.arm_catalogue import CATALOGUE, LOOPS
from support.compared_branches import Record, compared_arm, compared_loop

PAGE = Path(__file__).resolve().parent.parent / "docs" / "inverse-catalogue.md"
#: Each position of the motors has 128 branches, which takes seconds.
LARGE = {"orthoglide": 10}
TEXT = """# The catalogue of inverse geometry

`benchmarks/inverse_catalogue.py` writes this page. Each arm is taken to random configurations, which give poses. The
branches of `inverse_geometry` at these poses are compared with those of a search: Gauss and Newton's method from many
random starts, with transformations by NumPy products (`tests/support/many_starts.py`). Robots with closed loops are
taken to random positions of their motors at which the loops close, and the branches are those of
`loop_geometry(robot).compile().branches`.

| column | meaning |
|---|---|
| branches | the largest number of branches at one pose |
| poses | how many poses |
| generating | poses whose configuration is among the branches |
| equal | poses at which both sets are the same |
| lost | poses at which the search has a branch that symoro has not |
| unseen | poses at which symoro has a branch that the search has not: all of them reach the pose |
| error | the largest error of a branch at a regular configuration, in parts of the robot's length |

Where the sets differ, these reasons were found. `stanford` and the arm of `humanoid` have poses near a singularity (a
singular value of the Jacobian is below 1e-7 of the largest), where the search stops before it is exact. `PRP-middle`
has branches whose slides go further than the search starts. `snake20`, `random wrist 456` and `random RPRRPR` have
branches that reach the pose and that the search did not find; no reason was looked for.

"""
HEAD = (
    "| method | branches | poses | generating | equal | lost | unseen | error |\n|---|---|---|---|---|---|---|---|---|"
)


def row(name: str, r: Record) -> str:
    numbers = (r.branches, r.poses, r.generating, r.equal, r.lost, r.unseen)
    text = f"| {name} | {r.method} | {' | '.join(map(str, numbers))} | {r.regular:.0e} |"
    print(text, flush=True)
    return text


def main(arguments: list[str]) -> None:
    """Compare all, and write the page."""
    poses = int(arguments[0]) if arguments else 200
    arms = [row(name, compared_arm(case, poses, 1)) for name, case in CATALOGUE.items()]
    loops = [row(name, compared_loop(make(), min(poses, LARGE.get(name, poses)), 1)) for name, make in LOOPS.items()]
    tables = [
        f"## {len(arms)} arms\n\n| arm {HEAD}",
        *arms,
        f"\n## {len(loops)} robots with closed loops\n\n| robot {HEAD}",
    ]
    PAGE.write_text(TEXT + "\n".join([*tables, *loops]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
