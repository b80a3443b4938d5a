"""The requests that the server answers: every one is validated, and what computes runs in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.staticfiles import StaticFiles

from symoro.formats import load
from symoro.report.work.content import WORDS
from symoro.robot import library
from symoro.robot.tables import structure
from symoro.version import __version__
from symoro.web import requests
from symoro.web.document import document_of
from symoro.web.jobs import Busy, Job, Jobs
from symoro.web.menus import catalogue, languages, platform_catalogue
from symoro.web.security import LOCAL, Guard
from symoro.web.tasks import SUFFIXES

STATIC = Path(str(files("symoro.web") / "static"))
NOT_BUILT = (
    "The page is not built, because npm was not there when symoro was installed. In a clone, run: make gui. "
    "Everything else of symoro works without it.\n"
)
REPORTS = {"html": "text/html; charset=utf-8", "pdf": "application/pdf", "ipynb": "application/x-ipynb+json"}
_PAUSE = 0.03


def application(jobs: Jobs | None = None, hosts: frozenset[str] = frozenset(LOCAL), token: str = "") -> FastAPI:
    """The server as an application of ASGI."""
    work = jobs or Jobs()

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        work.start("check", {"robot": {"name": "warm", "joints": []}}, quick=True)  # starts the process to fork from
        Thread(target=_library, daemon=True).start()
        yield
        work.close()

    app = FastAPI(
        title="symoro",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=life,
        responses={s: {"description": "refused"} for s in (400, 401, 403, 404, 413, 415, 422, 429)},
    )
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Busy, _busy)
    app.add_middleware(Guard, hosts=hosts, token=token)
    _add_facts(app)
    _add_quick(app, work)
    _add_jobs(app, work)
    _add_page(app)
    return app


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    found = [f"{'.'.join(map(str, e['loc'][1:]))}: {e['msg']}" for e in error.errors()[:20]]
    return JSONResponse({"message": "; ".join(found)[:2000].encode("utf-8", "replace").decode()}, 422)


async def _busy(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"message": str(error)}, 429)


def _add_facts(app: FastAPI) -> None:
    """What does not depend on a robot."""

    @app.get("/api/health")
    async def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @app.get("/api/facts")
    async def facts() -> dict[str, Any]:
        return {
            "catalogue": catalogue(),
            "platforms": platform_catalogue(),
            "targets": languages(),
            "suffixes": SUFFIXES,
            "report_words": WORDS,
            "version": __version__,
        }

    @app.get("/api/library")
    def robots() -> list[dict[str, Any]]:
        return _library()


@cache
def _library() -> list[dict[str, Any]]:
    robots = [load(name) for name in (*library.names(), *library.parallel_names())]
    return [{"structure": structure(robot), "robot": document_of(robot)} for robot in robots]


def _add_quick(app: FastAPI, work: Jobs) -> None:
    """What is answered at once; a file or a robot that cannot be read is answered by status 422."""

    @app.post("/api/read")
    async def read(given: requests.ReadFile) -> Response:
        return await _answer(work, "read", given)

    @app.post("/api/write")
    async def write(given: requests.WriteFile) -> Response:
        return await _answer(work, "write", given, "text/plain; charset=utf-8")

    @app.post("/api/check")
    async def check(given: requests.OfRobot) -> Response:
        return await _answer(work, "check", given)

    @app.post("/api/branches")
    async def branches(given: requests.Branches) -> Response:
        return await _answer(work, "branches", given)

    @app.post("/api/zip")
    async def archive(given: requests.Code) -> Response:
        return await _answer(work, "zip", given, "application/zip", quick=False, after=[given.job])

    @app.post("/api/report")
    async def report(given: requests.Report) -> Response:
        after = [chosen.job for chosen in given.models]
        return await _answer(work, "report", given, REPORTS[given.kind], quick=False, after=after)


async def _answer(
    work: Jobs,
    task: str,
    given: BaseModel,
    kind: str = "application/json",
    quick: bool = True,
    after: Sequence[str] = (),
) -> Response:
    job = work.start(task, given.model_dump(), quick, after)
    try:
        while not job.over:
            await asyncio.sleep(_PAUSE)
    except asyncio.CancelledError:
        work.cancel(job)
        raise
    if job.state == "done":
        return Response(job.result, media_type=kind)
    return JSONResponse({"message": job.message, "problems": job.problems}, 422)


def _add_jobs(app: FastAPI, work: Jobs) -> None:
    """What may take long: the answer is a job, which is asked for until it is over."""

    @app.post("/api/jobs/model", status_code=202)
    async def model(given: requests.Wanted) -> dict[str, Any]:
        return work.start("model", given.model_dump()).data()

    @app.post("/api/jobs/code", status_code=202)
    async def code(given: requests.Code) -> dict[str, Any]:
        return work.start("code", given.model_dump(), after=[given.job]).data()

    @app.post("/api/jobs/expanded", status_code=202)
    async def expanded(given: requests.Made) -> dict[str, Any]:
        return work.start("expanded", given.model_dump(), after=[given.job]).data()

    @app.post("/api/jobs/platform", status_code=202)
    async def platform(given: requests.OfRobot) -> dict[str, Any]:
        return work.start("platform", given.model_dump()).data()

    @app.post("/api/jobs/structure", status_code=202)
    async def found(given: requests.OfRobot) -> dict[str, Any]:
        return work.start("structure", given.model_dump()).data()

    @app.post("/api/jobs/loops", status_code=202)
    async def loops(given: requests.OfRobot) -> dict[str, Any]:
        return work.start("loops", given.model_dump()).data()

    @app.post("/api/jobs/play", status_code=202)
    async def play(given: requests.Play) -> dict[str, Any]:
        return work.start("play", given.model_dump()).data()

    @app.get("/api/jobs/{job_id}")
    async def status(job_id: str, stages: Annotated[int, Query(ge=0, le=10_000)] = 0) -> dict[str, Any]:
        """How a job stands, as soon as it has more stages than this, or after ten seconds."""
        job = _known(work, job_id)
        for _ in range(int(10 / _PAUSE)):
            if job.over or len(job.stages) > stages:
                break
            await asyncio.sleep(_PAUSE)
        return job.data()

    @app.get("/api/jobs/{job_id}/result")
    async def result(job_id: str) -> Response:
        job = _known(work, job_id)
        if job.state != "done":
            raise HTTPException(404, "this job has no result")
        return Response(job.result, media_type="application/json")

    @app.delete("/api/jobs/{job_id}")
    async def cancel(job_id: str) -> dict[str, Any]:
        job = _known(work, job_id)
        work.cancel(job)
        return job.data()


def _known(work: Jobs, job_id: str) -> Job:
    job = work.find(job_id)
    if job is None:
        raise HTTPException(404, "there is no such job; it may be over for long")
    return job


def _add_page(app: FastAPI) -> None:
    if (STATIC / "index.html").exists():
        app.mount("/", StaticFiles(directory=STATIC, html=True))
        return

    @app.get("/", include_in_schema=False)
    async def not_built() -> Response:
        return Response(NOT_BUILT, media_type="text/plain")
