"""symoro bench: how fast compiled models are, alone or beside other libraries."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from symoro.cli.arguments import Branch, Json, RobotName, robot_of
from symoro.cli.output import Table, note, progress, show_json, show_table
from symoro.findings import Finding
from symoro.formats import valid_robot

Models = Annotated[list[str] | None, typer.Argument(metavar="MODEL", help="Names of models; default: the usual ones.")]
Against = Annotated[
    list[str] | None,
    typer.Option("--against", help="Libraries to compare with: pinocchio, mujoco, casadi, frax."),
]
States = Annotated[int, typer.Option("--states", min=1, help="States of a batch.")]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Threads of a further batch.")]
Rounds = Annotated[int, typer.Option("--rounds", min=1, help="How often everything is measured; the best counts.")]


def command(
    robot: RobotName,
    model: Models = None,
    against: Against = None,
    states: States = 100_000,
    threads: Threads = 1,
    rounds: Rounds = 20,
    branch: Branch = None,
    json: Json = False,
) -> None:
    """Measure how long compiled models take, in nanoseconds for one state.

    All calls are measured in turn in one run, many times, and the best time of each counts. The robot has no drives and
    no wrenches, because other libraries do not have them. A platform is in its home pose. The last column says how many
    times the library takes longer. A library that is not installed is named, and the others are measured.

    Examples:

      symoro bench planar2r --states 1000 --rounds 2

      symoro bench puma560 inverse_dynamics --against pinocchio

      symoro bench puma560 inertia_matrix --against pinocchio mujoco casadi frax

      symoro bench panda --threads 2 --json
    """
    from symoro.bench.cases import MODELS, cases, plain
    from symoro.bench.measure import measured
    from symoro.bench.peers import PEERS, installed

    more = [name for name in model or () if against and name in PEERS]  # the words that follow --against LIBRARY
    models = [name for name in model or () if name not in more]
    peers, missing = installed([*(against or ()), *more])
    described = plain(valid_robot(robot_of(robot, branch)).taking(None))
    for how in missing.values():
        note(Finding("commands.others_measured", missing=how))
    rows = []
    for case in cases(described, models or list(MODELS), states):
        with progress(f"{case.name} of {described.name}"):
            timed = measured(case, described, peers, threads, rounds)
        rows += timed.rows
        for library, reason in timed.missing.items():
            note(Finding("commands.library_left_out", model=case.name, library=library, reason=reason))
    if not rows:
        note(Finding("commands.nothing_measured"))
    if json:
        times = [row._asdict() for row in rows]
        show_json(
            {
                "robot": described.name,
                "states": states,
                "times": times,
                "missing": {name: str(how) for name, how in missing.items()},
            }
        )
    else:
        cells = [(r.model, r.call, r.library, f"{r.nanoseconds:.1f}", _ratio(r.ratio)) for r in rows]
        title = f"Nanoseconds for a state of {described.title or described.name}"
        show_table(Table(title, ("model", "call", "library", "ns", "ratio"), cells, frozenset(("ns", "ratio"))))


def _ratio(value: Any) -> str:
    return "" if value is None else f"{value:.1f}"
