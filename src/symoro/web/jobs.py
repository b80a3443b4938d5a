"""Runs tasks in processes of their own, with limits of time and memory; progress, cancelling, and what became of them.

A process is forked from a process that has symoro loaded, so that it starts in milliseconds; where a system cannot
fork, it is started anew. A task that eats memory or time, or that breaks Python, ends its process and nothing else.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from secrets import token_urlsafe
from threading import BoundedSemaphore, Lock, Thread
from time import monotonic
from typing import Any, Literal

from symoro.errors import SymoroError
from symoro.findings import Finding, Language

State = Literal["waiting", "running", "done", "failed", "cancelled"]
_KEPT = 64


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """The most seconds and megabytes of a task."""

    seconds: float = 600.0
    megabytes: int = 2000


QUICK = TaskLimits(20.0, 1000)


class Busy(SymoroError):
    """Too many tasks wait already."""


@dataclass(slots=True)
class Job:
    """A task and what became of it: its result, or a message that says why there is none."""

    id: str
    task: str
    state: State = "waiting"
    language: Language = "en"
    stages: list[tuple[float, str | Finding]] = field(default_factory=list)
    result: bytes = b""
    program: bytes = b""
    message: str | Finding = ""
    problems: list[dict[str, Any]] = field(default_factory=list)
    started: float = field(default_factory=monotonic)
    ended: float | None = None
    process: Any = None

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    def data(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "task": self.task,
            "state": self.state,
            "stages": [{"at": round(at, 2), "text": text} for at, text in self.stages[-200:]],
            "elapsed": round((self.ended or monotonic()) - self.started, 2),
            "message": self.message,
            "problems": self.problems,
        }

    def end(self, state: State, message: str | Finding = "", result: bytes = b"", program: bytes = b"") -> None:
        if not self.over:
            self.program = program
            self.state, self.message, self.result, self.ended = state, message, result, monotonic()


def _context() -> Any:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", "symoro.web.tasks", "symoro.web.warm"])
    return context


class Jobs:
    """The tasks of a server: some at a time, the others wait; quick ones have places of their own."""

    def __init__(self, limits: TaskLimits | None = None, places: int | None = None, waiting: int = 100) -> None:
        self.limits = limits or TaskLimits()
        self.most = waiting
        count = places or max(1, os.cpu_count() or 1)
        self._places = {False: BoundedSemaphore(count), True: BoundedSemaphore(count)}
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()
        self._context = _context()

    def start(
        self,
        task: str,
        request: Mapping[str, Any],
        quick: bool = False,
        after: Sequence[str] = (),
        language: Language = "en",
    ) -> Job:
        """Begin a task, or let it wait for its turn; it takes the programs that the jobs `after` have made."""
        earlier = [self._jobs.get(name) for name in after]
        programs = tuple(before.program if before is not None else b"" for before in earlier)
        job = Job(token_urlsafe(12), task, language=language)
        with self._lock:
            if sum(not known.over for known in self._jobs.values()) >= self.most:
                raise Busy("page.busy", most=self.most)
            self._jobs[job.id] = job
            for old in [known for known in self._jobs.values() if known.over][:-_KEPT]:
                del self._jobs[old.id]
        Thread(target=self._run, args=(job, (dict(request), *programs), quick), daemon=True).start()
        return job

    def find(self, job_id: str) -> Job | None:
        return self._jobs.get(job_id)

    def cancel(self, job: Job) -> None:
        """End a task; one that waits never begins."""
        job.end("cancelled", Finding("page.cancelled"))
        process = job.process
        with suppress(OSError, ValueError, AttributeError):  # it may begin or end just now; `_run` kills it then
            process.kill()

    def close(self) -> None:
        for job in list(self._jobs.values()):
            self.cancel(job)

    def _run(self, job: Job, arguments: tuple[Any, ...], quick: bool) -> None:
        with self._places[quick]:
            if job.over:
                return
            limits = QUICK if quick else self.limits
            ours, theirs = self._context.Pipe(duplex=False)
            what = (theirs, job.task, arguments, limits.megabytes, job.language)
            job.process = self._context.Process(target=_work, args=what, daemon=True)
            try:
                job.process.start()
                theirs.close()
                _begin(job)
                _follow(job, ours, limits)
            except (OSError, EOFError) as error:
                job.end("failed", Finding("page.not_started", reason=str(error)))
            finally:
                ours.close()
                with suppress(OSError, ValueError, AttributeError):
                    job.process.kill()
                    job.process.join(5)
                job.process = None


def _begin(job: Job) -> None:
    job.started = monotonic()
    if not job.over:
        job.state = "running"


def _follow(job: Job, messages: Connection, limits: TaskLimits) -> None:
    """Take what the process says until it is done, ends, or takes too long."""
    while not job.over:
        left = job.started + limits.seconds - monotonic()
        if left <= 0:
            return job.end("failed", Finding("page.too_long", seconds=limits.seconds))
        if not messages.poll(min(left, 0.5)):
            continue
        try:
            kind, text, more = messages.recv()
        except (EOFError, OSError):
            return job.end("failed", Finding("page.broke", megabytes=limits.megabytes))
        if kind == "stage":
            job.stages.append((monotonic() - job.started, text))
        elif kind == "done":
            job.end("done", "", *more)
        else:
            job.problems = more
            job.end("failed", text)
    return None


def _work(messages: Connection, task: str, arguments: tuple[Any, ...], megabytes: int, language: Language) -> None:
    """The process of a task."""
    from symoro.models.results import reporting
    from symoro.web.tasks import run

    _restrict(task, megabytes)
    try:
        with reporting(lambda text: messages.send(("stage", text, None))):
            messages.send(("done", "", run(task, *arguments, language=language)))
    except SymoroError as error:
        messages.send(("failed", error.finding, _problems(error)))
    except (MemoryError, ImportError):  # a library that finds no room says that it cannot be imported
        messages.send(("failed", Finding("page.memory", megabytes=megabytes), []))
    except RecursionError:
        messages.send(("failed", Finding("page.too_deep"), []))
    except Exception as error:
        kind, words = type(error).__name__, str(error)[:300]
        messages.send(("failed", Finding("page.could_not", kind=kind, words=words), []))
    sys.stdout.flush()
    os._exit(0)  # nothing of the server that was forked is to be cleaned up


def _restrict(task: str, megabytes: int) -> None:
    """Give this process a low priority, limited memory, and no files beyond those that the task needs."""
    import warnings

    from symoro.web.limits import forbid_files, limit_memory
    from symoro.web.results import prepare

    prepare(task)
    warnings.simplefilter("ignore")
    with suppress(AttributeError, OSError):
        os.nice(10)
    limit_memory(megabytes)
    forbid_files()


def _problems(error: Exception) -> list[dict[str, Any]]:
    from symoro.web.tasks import problems_data

    return problems_data(getattr(error, "problems", ()))
