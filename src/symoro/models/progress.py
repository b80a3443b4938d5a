"""What a long search says while it runs: nothing, unless somebody listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def reporting(listener: Listener) -> Iterator[None]:
    """Have `listener` called with a line of text at every step of a search that is run inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def say(text: str) -> None:
    """Tell whoever listens."""
    if (listener := _listener.get()) is not None:
        listener(text)
