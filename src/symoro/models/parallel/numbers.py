"""Numbers of a parallel robot: values of expressions at poses of the platform, and small motions of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.linalg import Vector
from symoro.ir.program import Input, Variable
from symoro.models.parallel.letters import Letters
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import parameters
from symoro.robot.values import evaluate as number
from symoro.robot.values import symbols

if TYPE_CHECKING:
    from symoro.models.parallel.leg import Leg

Array = NDArray[Any]
Function = Callable[..., Array]
#: Newton's method on a pose ends below the first residual (metres or radians); below the second, constraints hold.
_EXACT, _HELD = 1e-14, 1e-11


def numbers_of(letters: Letters, seed: int = 0) -> dict[str, float]:
    """The robot's numbers for its parameters; arbitrary ones for those that have none."""
    known, rng = letters.robot.values.numbers(), np.random.default_rng(seed)
    return {name: known.get(name, float(rng.uniform(0.3, 1.3))) for name in letters.parameter_names}


def has_numbers(robot: ParallelRobot) -> bool:
    """Whether every parameter of the geometry has a number."""
    return geometric_symbols(robot) <= robot.values.numbers().keys()


def geometric_symbols(robot: ParallelRobot) -> set[str]:
    """The symbols of the geometry that are no variables: they decide which poses the legs reach."""
    joints = [(j.gamma, j.b, j.alpha, j.d, j.theta, j.r) for leg in robot.legs for j in leg.joints]
    frames = [frame.pose for leg in robot.legs for frame in leg.frames]
    tables = (tuple(joints), tuple(frames), tuple(a.pose for a in robot.attachments))
    variables = {j.variable for leg in robot.legs for j in leg.joints}
    return {name for x in parameters(tables) for name in symbols(x)} - variables


def home(robot: ParallelRobot, numbers: Mapping[str, float] | None = None) -> Array:
    """The home pose."""
    known = robot.values.numbers() if numbers is None else numbers
    return np.array([[number(x, known) for x in row] for row in robot.home])


def function_of(letters: Letters, elements: Sequence[Expr], names: Sequence[str] = ("T",)) -> Function:
    """A function of T, and of V and VP where named, that gives the elements as numbers."""
    arrays = {"T": (letters.T.rows, (4, 4)), "V": ([letters.V], (6,)), "VP": ([letters.VP], (6,))}
    inputs = [Input(name, arrays[name][1], variables(arrays[name][0])) for name in names]
    result = Result("X", (len(elements),), tuple(elements), ())
    program = extract(letters.graph, inputs, map(Variable, letters.parameter_names), [result])
    known = numbers_of(letters)

    def f(*given: Array) -> Array:
        return evaluate(program, dict(zip(names, given, strict=True)), known)["X"]

    return f


def constraint_functions(letters: Letters, legs: Sequence[Leg]) -> tuple[Function, Function]:
    """C(T), the rows (n, 6) of the constraints of all legs, and e(T), how far a pose breaks them."""
    rows = [row for leg in legs for row in leg.constraints]
    f = function_of(letters, [x for row in rows for x in row])
    e = function_of(letters, [x for leg in legs if leg.free for x in leg.excess(leg.residual)])
    return lambda T: f(T).reshape(len(rows), 6), e


def variables(rows: Sequence[Vector]) -> tuple[Variable, ...]:
    """The symbols of vectors, in order."""
    return tuple(Variable(str(x.node.value)) for row in rows for x in row)


def moved(T: Array, twist: Array) -> Array:
    """Poses after small motions [v; ω] in frame 0, with the rotation by Rodrigues' formula."""
    angle = np.linalg.norm(twist[..., 3:], axis=-1)[..., None, None]
    x, y, z = np.moveaxis(twist[..., 3:] / np.where(angle > 0, angle, 1.0)[..., 0], -1, 0)
    o = np.zeros_like(x)
    K = np.moveaxis(np.array([[o, -z, y], [z, o, -x], [-y, x, o]]), (0, 1), (-2, -1))
    found = np.array(np.broadcast_to(T, (*twist.shape[:-1], 4, 4)), dtype=float)
    found[..., :3, :3] = (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K) @ found[..., :3, :3]
    found[..., :3, 3] += twist[..., :3]
    return found


def allowed(T: Array, C: Function, e: Function) -> Array | None:
    """The nearest pose with e(T) = 0, by Newton's method with rows C(T); None where a leg does not reach."""
    for _ in range(20):
        rows, error = C(T), e(T)
        if not (np.isfinite(rows).all() and np.isfinite(error).all()):
            return None
        if np.abs(error).max(initial=0.0) < _EXACT:
            return T
        T = moved(T, -np.linalg.lstsq(rows, error, rcond=1e-9)[0])
    return T if np.abs(e(T)).max(initial=0.0) < _HELD and np.isfinite(C(T)).all() else None


def sample_inputs(model: Any) -> dict[str, Array]:
    """Inputs for the self-test of generated code: poses near home, and random motions and forces."""
    robot, rng = model.robot, np.random.default_rng(0)
    at, scale = home(robot), 0.05 * twist_sizes(robot)
    T = np.array([moved(at, scale * rng.uniform(-1, 1, 6)) for _ in range(64)])
    return {array.name: T.reshape(64, *array.shape) for array in model.program.inputs if array.name == "T"}


def size(robot: ParallelRobot) -> float:
    """The radius of the platform: the largest distance of an attachment from its origin, at least 0.1."""
    known = robot.values.numbers()
    points = [[number(x, known) if symbols(x) <= known.keys() else 1.0 for x in a.point] for a in robot.attachments]
    return max(0.1, *(float(np.linalg.norm(point)) for point in points))


def twist_sizes(robot: ParallelRobot) -> Array:
    """What is a large [v; ω]: the radius of the platform, and 1 rad."""
    return np.array([size(robot)] * 3 + [1.0] * 3)
