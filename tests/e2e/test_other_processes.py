"""Models, functions and procedures are sent to other processes and give the same results there."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import symoro

STATES = np.random.default_rng(0).uniform(-1, 1, (4, 3, 2))


def torques(model: symoro.Model, state: Any) -> Any:
    """Compiled where it runs."""
    return model.compile()(*state)


def test_functions_models_and_procedures_work_in_new_processes() -> None:
    model = symoro.inverse_dynamics("planar2r")
    function, procedure = model.compile(), symoro.loop_geometry("four-bar")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = [pool.submit(function, *state).result() for state in STATES]
        there = pool.submit(torques, model, STATES[0]).result()
        closed = pool.submit(procedure.compile(), 0.3).result()
    wanted = [function(*state) for state in STATES]
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(there, wanted[0])
    np.testing.assert_allclose(closed, procedure.compile()(0.3), rtol=1e-12)


@pytest.mark.parametrize("robot", ["four-bar", "satellite", "flexible-joints"])
def test_a_model_of_any_family_survives_pickling(robot: str) -> None:
    model = symoro.direct_dynamics(robot)
    copy = pickle.loads(pickle.dumps(model))
    assert copy == model
    assert copy.equations() == model.equations()
    inputs = [np.full(shape, 0.2) for name, shape in model.inputs.items() if name != "wrench"]
    found, wanted = (
        f(*inputs) for f in (pickle.loads(pickle.dumps(model.compile(check=False))), model.compile(check=False))
    )
    np.testing.assert_array_equal(np.hstack(found), np.hstack(wanted))


def test_a_function_that_looks_at_its_loops_survives_pickling() -> None:
    f = symoro.inverse_dynamics("four-bar").compile()
    copy = pickle.loads(pickle.dumps(f))
    q = symoro.loop_geometry("four-bar").compile()(0.3)
    np.testing.assert_array_equal(copy(q, 0.1, 0.2), f(q, 0.1, 0.2))
    with pytest.warns(symoro.errors.LoopWarning, match="open"):
        copy(q + 0.1, 0.1, 0.2)


def test_a_number_for_the_only_motor() -> None:
    f, closing = symoro.inverse_dynamics("four-bar").compile(), symoro.loop_geometry("four-bar").compile()
    q = closing(0.3)
    np.testing.assert_array_equal(q, closing([0.3]))
    np.testing.assert_array_equal(f(q, 0.1, 0.2), f(q, [0.1], [0.2]))


def test_loops_are_closed_for_one_robot_at_a_time() -> None:
    with pytest.raises(symoro.errors.ParameterError, match="one number a parameter"):
        symoro.loop_geometry("four-bar").compile()(0.3, values={"L1": [1.0, 2.0]})


INTERRUPTED = """
import signal
import numpy as np
import symoro

f = symoro.inverse_dynamics("planar3r").compile()
q, still = np.random.default_rng(0).uniform(-1, 1, (200_000, 3)), np.zeros(3)
wanted, interrupted = f(q, still, still), 0
signal.signal(signal.SIGALRM, signal.default_int_handler)
for k in range(40):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0004 + 0.0001 * k)
        for _ in range(1000):
            f(q, still, still, threads=4)
    except KeyboardInterrupt:
        interrupted += 1
    other = np.full((200_000, 3), 7.0)
    assert (other == 7).all()
assert np.array_equal(f(q, still, still, threads=4), wanted)
print(interrupted)
"""


def test_an_interrupted_batch_leaves_no_thread_in_memory_that_is_free() -> None:
    """Ctrl-C reaches the first thread while the others compute; the memory of the batch is used again at once."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 40
