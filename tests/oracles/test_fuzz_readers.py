"""Random mutations of the shipped files end in a robot or in a symoro error: never in another exception, a hang or an
evaluated string. 2,000 cases, seeded.
"""

import builtins
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from support.mutated_files import mutated, sources
from symoro.errors import SymoroError
from symoro.formats import decode, dh, par, toml
from symoro.robot.robot import Robot

CASES, BATCHES, SECONDS = 2000, 8, 5


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Stops what computes too long: time of the processor counts, as others may use the machine, too."""

    def stop(signum: int, frame: object) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def outcome(reader: Any, text: str) -> str:
    """What reading a text ends in: "robot", "error", or what must not be."""
    try:
        with time_limit(SECONDS):
            assert isinstance(reader.read_text(text, "robot", "robot").robot, Robot)
    except SymoroError as error:
        return "error" if str(error) else "an error that says nothing"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "robot"


@pytest.mark.long
@pytest.mark.parametrize("batch", range(BATCHES))
def test_mutated_files_end_in_a_robot_or_an_error(batch, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random_, texts, found = random.Random(batch), sources(), Counter[str]()
    started = time.process_time()
    with monkeypatch.context() as patched:
        for name in ("eval", "exec", "compile"):
            patched.setattr(builtins, name, forbidden)
        for case in range(CASES // BATCHES):
            reader, text = random_.choice(texts)
            ended = outcome(reader, mutated(text, random_))
            found[ended if ended in ("robot", "error") else f"case {case}, {reader.__name__}: {ended}"] += 1
    assert set(found) == {"robot", "error"}
    assert time.process_time() - started < 60
    assert not (tmp_path / "evaluated").exists()


def test_any_bytes_are_a_text():
    random_ = random.Random(0)
    for _ in range(50):
        text = decode(random_.randbytes(300))
        for reader in (par, toml, dh):
            with pytest.raises(SymoroError):
                reader.read_text(text, "robot")


def forbidden(*arguments: object, **options: object) -> None:
    raise AssertionError("a reader evaluated what a file says")
