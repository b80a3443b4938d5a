"""The table of all ways to find positions; the first that applies to a question answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from symoro.bind.symbols import Symbols
from symoro.errors import LoopWarning, MissingParameter, NotApplicable
from symoro.findings import Finding
from symoro.formats import valid_robot
from symoro.ir.graph import Graph
from symoro.model import Model
from symoro.models.geometric.frames import FrameRef, carrier, chosen_frame
from symoro.models.geometric.inverse.tasks import TASKS
from symoro.options import FRAME, NONE, Choice, Option, Schema
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.solve.branches import Branches, Status
from symoro.solve.question import (
    AUTO,
    JOINTS,
    LEGS,
    PASSIVE,
    POSES,
    GivenJoints,
    Ladder,
    Question,
    Reason,
    RedundantInputs,
    Way,
    by_way,
)

# The table of all ways to find positions; the first that applies to a question answers.
#
# A way for motors is a function of a solver, positions q of the motors, `values` as the caller gives them, and all
# numbers. Where it cannot answer at these positions it raises `NotApplicable`, and the next way is asked.


Array = NDArray[Any]
Numbers = Mapping[str, float]
Method = Callable[[Any, Array, Numbers | None, Numbers], Branches]
#: Poses that a platform can be searched from.
_STARTS = 400


def answer(question: Question) -> Model:
    """The model of the first way that applies, with the reasons of those before it.

    `NotApplicable` is raised with the reasons of all where none applies.
    """
    ladder = Ladder(question, WAYS)
    model: Model = ladder.first()
    assert model.driver is not None
    return replace(model, driver=replace(model.driver, reasons=tuple(ladder.reasons)))


def first_answer(ladder: Ladder, by: Any, q: Array, values: Numbers | None, numbers: Numbers) -> Branches:
    """The answer of the first way that has one at these positions of the motors."""
    reasons = []
    for name, method in ladder:
        try:
            branches: Branches = method(by, q, values, numbers)
        except NotApplicable as reason:
            reasons.append(by_way(name, reason.finding))
        else:
            return branches
    raise NotApplicable("errors.problems", problems=[*reasons, *ladder.refusal()])


def _always(question: Question) -> None:
    """There is nothing that a robot must have."""


# joints for a pose


def _closed_form(question: Question) -> Model:
    from symoro.solve.closed import closed_form

    return closed_form(question)


def _no_general(question: Question) -> Reason:
    from symoro.solve.general.robot import no_general_method

    return no_general_method(question)


def _general(question: Question) -> Model:
    from symoro.solve.general.robot import general_method

    return general_method(question)


def _all_determined(question: Question) -> Reason:
    from symoro.solve.held import all_determined

    return all_determined(question)


def _held(question: Question) -> Model:
    """The question with some joints given is asked again: the ladder answers it."""
    from symoro.solve.held import with_held

    return with_held(question, answer)


def _has_followers(question: Question) -> Reason:
    from symoro.solve.followers import has_followers

    return has_followers(question)


def _following(question: Question) -> Model:
    """The question in which joints that follow others move alone is asked again: the ladder answers it."""
    from symoro.solve.followers import with_followers

    return with_followers(question, answer)


def _legs(question: Question) -> Model:
    from symoro.solve.legs import leg_geometry

    return leg_geometry(question)


# passive joints for the motors


def _loop_modes(question: Question) -> Method:
    """The closed forms of the loops; another way is asked where a passive joint is free."""
    from symoro.solve.elimination import loop_modes

    modes = loop_modes(question.robot).compile("numpy")

    def closed(by: Any, qa: Array, values: Numbers | None, numbers: Numbers) -> Branches:
        outputs = modes(qa, values=values)
        exist = outputs.ok > 0.5
        if (outputs.free[exist] > 0.5).any():
            raise NotApplicable("ways.free_joint")
        return closed_configurations(outputs.q[exist])

    return closed


def _elimination(question: Question) -> Method:
    from symoro.solve.elimination import Elimination

    method = Elimination(Symbols(question.robot, Graph()))

    def eliminated(by: Any, qa: Array, values: Numbers | None, numbers: Numbers) -> Branches:
        configurations = method(qa, numbers)
        if configurations is None:
            raise NotApplicable("ways.loop_moves")
        return closed_configurations(configurations)

    return eliminated


def _coupled(question: Question) -> Reason:
    """Continuation is for loops that determine their joints only together."""
    try:
        _elimination(question)
    except NotApplicable:
        return None
    return Finding("ways.one_by_one")


class ByContinuation:
    """All loops together, in complex numbers; a search completes the branches where paths are lost."""

    def __init__(self, question: Question) -> None:
        from symoro.solve.coupled import Continuation

        self._name, self._continuation = question.robot.name, Continuation(Symbols(question.robot, Graph()))

    def __call__(self, by: Any, qa: Array, values: Numbers | None, numbers: Numbers) -> Branches:
        ends = self._continuation(qa, numbers)
        if ends.sure:
            return closed_configurations(ends.q)
        assembler = by.assembler(values)
        searched = assembler.branches(qa)  # an error where the loops close in infinitely many ways
        warn(LoopWarning(Finding("ways.unsure", robot=self._name)), stacklevel=4)
        return closed_configurations(assembler.distinct(np.vstack([ends.q, searched])), Status.INCOMPLETE)

    def traced(self, numbers: Numbers) -> bool | None:
        """Whether a trace test confirms the complex solutions; None where there are none."""
        try:
            return self._continuation.generic(numbers).traced
        except (NotApplicable, MissingParameter):
            return None


def _search_loops(question: Question) -> Method:
    def searched(by: Any, qa: Array, values: Numbers | None, numbers: Numbers) -> Branches:
        return closed_configurations(by.assembler(values).branches(qa), Status.INCOMPLETE)

    return searched


def closed_configurations(q: Array, status: Status = Status.COMPLETE) -> Branches:
    """The answer with these closed configurations (branches, joints)."""
    count, joints = q.shape
    if not count and status is not Status.INCOMPLETE:
        status = Status.UNREACHABLE
    return Branches(q, np.ones(count, bool), status, np.zeros(joints, bool), np.array(0.0 if count else np.nan))


# poses of a platform for the motors


def _driven(question: Question) -> Reason:
    from symoro.models.parallel.leg import loops_of
    from symoro.models.parallel.platform import parallel

    robot = parallel(question.robot)
    if any(loops_of(robot, i).following is None for i in range(len(robot.legs))):
        return None
    return Finding("ways.not_driven")


def _driven_legs(question: Question) -> Method:
    """Serial legs in each way to close the loops of the legs."""
    from symoro.models.parallel.platform import parallel
    from symoro.solve.legs import driven
    from symoro.solve.spheres import distinct

    exact = [way for way in WAYS if way.kind == POSES and way.solve not in (_driven_legs, _search_poses)]

    def assemblies(by: Any, q: Array, values: Numbers | None, numbers: Numbers) -> Branches:
        moved = driven(parallel(question.robot), q, numbers)
        if moved is None:
            raise NotApplicable("ways.loops_of_leg")
        serial, rows = moved
        ladder = Ladder(replace(question, robot=serial), exact)
        answers = [first_answer(ladder, by, row, values, numbers) for row in rows]
        T = distinct(np.concatenate([np.zeros((0, 4, 4)), *(one.poses for one in answers)]))
        sure = all(one.status is not Status.INCOMPLETE for one in answers)
        return answer_of(q, T, sure)

    return assemblies


def _assembling(question: Question, method: Callable[..., Any], why: Finding, followed: bool = False) -> Method:
    """The way by a function of robot, motors and numbers that gives poses and whether they are all, or None."""
    from symoro.solve.spheres import distinct

    def assemblies(by: Any, q: Array, values: Numbers | None, numbers: Numbers) -> Branches:
        assembled = method(question.robot, q, numbers, *([by.along] if followed else []))
        if assembled is None:
            raise NotApplicable(why)
        return answer_of(q, distinct(assembled[0]), assembled[1])

    return assemblies


def _six_distances(question: Question) -> Method:
    from symoro.solve.spheres import by_distances

    return _assembling(question, by_distances, Finding("ways.not_six_distances"), followed=True)


def _circles(question: Question) -> Method:
    from symoro.solve.spheres import by_circles

    return _assembling(question, by_circles, Finding("ways.not_circles"), followed=True)


def _three_spheres(question: Question) -> Method:
    from symoro.solve.spheres import by_translation

    return _assembling(question, by_translation, Finding("ways.not_three_spheres"))


def _plane(question: Question) -> Method:
    from symoro.solve.spheres import in_a_plane

    return _assembling(question, in_a_plane, Finding("ways.not_in_plane"))


def _quadrics(question: Question) -> Method:
    from symoro.solve.quadrics import by_quadrics

    return _assembling(question, by_quadrics, Finding("ways.few_quadrics"))


def _search_poses(question: Question) -> Method:
    """The assemblies that Newton's method finds from many poses.

    First in the branches of the legs at home; then with arbitrary joints, where those in loops are sums of others.
    """
    from symoro.models.parallel.platform import home, moved, parallel, size
    from symoro.solve.legs import searched, still_legs
    from symoro.solve.spheres import distinct

    robot = parallel(question.robot)

    def assemblies(by: Any, q: Array, values: Numbers | None, numbers: Numbers) -> Branches:
        rng, at = np.random.default_rng(0), home(robot, numbers)
        scale = 2 * size(robot) * np.r_[1, 1, 1, 0, 0, 0] + np.pi * np.r_[0, 0, 0, 1, 1, 1]
        guesses = np.array([at, *(moved(at, scale * rng.uniform(-1, 1, 6)) for _ in range(_STARTS))])
        tracked = by.tracked(np.broadcast_to(q, (len(guesses), len(q))), guesses, values)
        legs = still_legs(robot, q, numbers)
        others = searched(legs, guesses, rng, size(robot)) if legs else np.zeros((0, 4, 4))
        T = distinct(np.concatenate([tracked.poses[:, 0][tracked.valid[:, 0]], others]))
        return answer_of(q, T, sure=False)

    return assemblies


def answer_of(q: Array, T: Array, sure: bool | Status) -> Branches:
    """The answer with these poses of the platform; `sure` where they are all."""
    status = sure if isinstance(sure, Status) else Status.INCOMPLETE
    if sure is True:
        status = Status.COMPLETE if len(T) else Status.UNREACHABLE
    distance = np.array(0.0 if len(T) else np.nan)
    return Branches(np.tile(q, (len(T), 1)), np.ones(len(T), bool), status, np.zeros(len(q), bool), distance, T)


WAYS: Sequence[Way] = (
    Way("closed form", JOINTS, _always, _closed_form, ("paul", "pieper")),
    Way("held", JOINTS, _all_determined, _held, ("general",)),
    Way("general", JOINTS, _no_general, _general, ("general",)),
    Way("followers", JOINTS, _has_followers, _following, ("paul", "pieper", "general")),
    Way("legs", LEGS, _always, _legs),
    Way("closed form", PASSIVE, _always, _loop_modes),
    Way("elimination", PASSIVE, _always, _elimination),
    Way("continuation", PASSIVE, _coupled, ByContinuation),
    Way("search", PASSIVE, _always, _search_loops),
    Way("driven legs", POSES, _driven, _driven_legs),
    Way("six distances", POSES, _always, _six_distances),
    Way("circles", POSES, _always, _circles),
    Way("three spheres", POSES, _always, _three_spheres),
    Way("planar sextic", POSES, _always, _plane),
    Way("quadrics", POSES, _always, _quadrics),
    Way("search", POSES, _always, _search_poses),
)


# Inverse geometry: the joint positions that give a wanted pose, all branches, in closed form where one exists.


def _without_loops_beside(robot: Robot, frame: FrameRef | None) -> tuple[Robot, FrameRef | None]:
    """The robot and the frame. Loops that have no joint before the frame, such as those of a gripper, are left out."""
    from symoro.models.loops.inverse import end_links

    ends = end_links(robot) if robot.cuts and frame is None else ()
    at = ends[0] if len(ends) == 1 else frame
    if robot.cuts and at is not None:
        way = {joint.index for joint in topology.path(robot, carrier(robot, at)[0])}
        if not any(way & {j.index for j in (*loop.to_joint, *loop.to_mate)} for loop in topology.loops(robot)):
            return topology.without_cuts(robot), at
    return robot, frame


METHODS = tuple(dict.fromkeys([AUTO, *(name for way in WAYS for name in way.methods)]))
INVERSE_GEOMETRY = Schema(
    "inverse_geometry",
    (
        Option("method", Choice(METHODS), AUTO, f"{', '.join(METHODS)}.", f"{', '.join(METHODS)}."),
        Option(
            "link", FRAME | NONE, None,
            "A link, a joint or a named frame; else the only tip.",
            "Un corps, une articulation ou un repère nommé ; sinon la seule extrémité.",
        ),
        Option(
            "task", Choice(TASKS) | NONE, None,
            f"{', '.join(TASKS)}: what is wanted.",
            f"{', '.join(TASKS)} : ce qui est voulu.",
        ),
        Option(
            "redundant", GivenJoints() | NONE, None,
            "The joints that are given, or the arm angle.",
            "Les articulations données, ou l'angle du bras.",
        ),
    ),
)  # fmt: skip


@INVERSE_GEOMETRY.function
def inverse_geometry(
    robot: Robot | str | Path,
    method: str,
    link: FrameRef | None,
    task: str | None,
    redundant: Mapping[int | str, str] | None,
) -> Model:
    """The joint positions of an arm for a pose of its terminal frame, or of `link`: every branch.

    `method`: "paul" and "pieper" give closed forms, "general" solves by eigenvalues; "auto" takes the first that
    applies. `task` says what of the pose is wanted: "pose", "position", or "axis-x", "axis-y", "axis-z", the position
    and the direction of an axis of the frame; where it is not given, it follows from the joints. With closed loops, q
    has all joints of the tree, and `motors` are the places of those with a motor. `redundant` names the joints that
    are given, {3: "q3"} or {"elbow": "q3"}: they are a second input. Of a 7R arm with spherical shoulder and wrist,
    {"arm": "psi"} gives the arm angle instead. Of a parallel robot it gives the positions of the motors for a pose of
    the platform, all branches of the legs.
    """
    described = valid_robot(robot).taking(None)
    if described.platforms:
        return answer(Question(described, LEGS))
    frame, beside = chosen_frame(described, link), RedundantInputs.of(described, redundant or {})
    described, frame = _without_loops_beside(described, frame)
    return answer(Question(described, JOINTS, frame, task, beside, method))
