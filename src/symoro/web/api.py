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

from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.staticfiles import StaticFiles

from symoro.findings import Finding, Language
from symoro.formats import load
from symoro.robot import library
from symoro.robot.tables import structure
from symoro.version import __version__
from symoro.web import requests
from symoro.web.document import document_of
from symoro.web.encoding import as_json, language_of
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
    misfits = [f"{'.'.join(map(str, e['loc'][1:]))}: {e['msg']}" for e in error.errors()[:20]]
    return JSONResponse({"message": "; ".join(misfits)[:2000].encode("utf-8", "replace").decode()}, 422)


async def _busy(request: Request, error: Exception) -> Response:
    assert isinstance(error, Busy)
    return _json({"message": error.finding}, _language(request), 429)


def _json(data: Any, language: Language, status: int = 200) -> Response:
    """An answer whose findings are sentences of the page's language."""
    return Response(as_json(data, language), status, media_type="application/json")


def _language(request: Request) -> Language:
    return language_of(request.headers.get("accept-language", ""))


Spoken = Annotated[Language, Depends(_language)]
"""The language in which the page wants texts."""


def _add_facts(app: FastAPI) -> None:
    """What does not depend on a robot."""

    @app.get("/api/health")
    async def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @app.get("/api/facts")
    async def facts(language: Spoken) -> Response:
        what = {
            "catalogue": catalogue(),
            "platforms": platform_catalogue(),
            "targets": languages(),
            "suffixes": SUFFIXES,
            "version": __version__,
        }
        return _json(what, language)

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
    async def read(request: requests.ReadFile, language: Spoken) -> Response:
        return await _answer(work, "read", request, language)

    @app.post("/api/write")
    async def write(request: requests.WriteFile, language: Spoken) -> Response:
        return await _answer(work, "write", request, language, "text/plain; charset=utf-8")

    @app.post("/api/check")
    async def check(request: requests.OfRobot, language: Spoken) -> Response:
        return await _answer(work, "check", request, language)

    @app.post("/api/branches")
    async def branches(request: requests.BranchesAtPose, language: Spoken) -> Response:
        return await _answer(work, "branches", request, language)

    @app.post("/api/zip")
    async def archive(request: requests.Code, language: Spoken) -> Response:
        return await _answer(work, "zip", request, language, "application/zip", quick=False, after=[request.job])

    @app.post("/api/report")
    async def report(request: requests.WantedReport, language: Spoken) -> Response:
        after = [chosen.job for chosen in request.models]
        return await _answer(work, "report", request, language, REPORTS[request.kind], quick=False, after=after)


async def _answer(
    work: Jobs,
    task: str,
    request: BaseModel,
    language: Language,
    kind: str = "application/json",
    quick: bool = True,
    after: Sequence[str] = (),
) -> Response:
    job = work.start(task, request.model_dump(), quick, after, language)
    try:
        while not job.over:
            await asyncio.sleep(_PAUSE)
    except asyncio.CancelledError:
        work.cancel(job)
        raise
    if job.state == "done":
        return Response(job.result, media_type=kind)
    return _json({"message": job.message, "problems": job.problems}, language, 422)


def _add_jobs(app: FastAPI, work: Jobs) -> None:
    """What may take long: the answer is a job, which is asked for until it is over."""

    def begin(task: str, request: BaseModel, language: Language, after: Sequence[str] = ()) -> Response:
        return _json(work.start(task, request.model_dump(), False, after, language).data(), language, 202)

    @app.post("/api/jobs/model", status_code=202)
    async def model(request: requests.KnownModel, language: Spoken) -> Response:
        return begin("model", request, language, [request.job])

    @app.post("/api/jobs/code", status_code=202)
    async def code(request: requests.Code, language: Spoken) -> Response:
        return begin("code", request, language, [request.job])

    @app.post("/api/jobs/expanded", status_code=202)
    async def expanded(request: requests.KnownModel, language: Spoken) -> Response:
        return begin("expanded", request, language, [request.job])

    @app.post("/api/jobs/platform", status_code=202)
    async def platform(request: requests.OfRobot, language: Spoken) -> Response:
        return begin("platform", request, language)

    @app.post("/api/jobs/structure", status_code=202)
    async def structure(request: requests.OfRobot, language: Spoken) -> Response:
        return begin("structure", request, language)

    @app.post("/api/jobs/loops", status_code=202)
    async def loops(request: requests.OfRobot, language: Spoken) -> Response:
        return begin("loops", request, language)

    @app.post("/api/jobs/play", status_code=202)
    async def play(request: requests.Play, language: Spoken) -> Response:
        return begin("play", request, language)

    @app.get("/api/jobs/{job_id}")
    async def status(job_id: str, language: Spoken, stages: Annotated[int, Query(ge=0, le=10_000)] = 0) -> Response:
        """How a job stands, as soon as it has more stages than this, or after ten seconds."""
        job = _known(work, job_id, language)
        for _ in range(int(10 / _PAUSE)):
            if job.over or len(job.stages) > stages:
                break
            await asyncio.sleep(_PAUSE)
        return _json(job.data(), language)

    @app.get("/api/jobs/{job_id}/result")
    async def result(job_id: str, language: Spoken) -> Response:
        job = _known(work, job_id, language)
        if job.state != "done":
            raise HTTPException(404, Finding("page.no_result").sentence(language))
        return Response(job.result, media_type="application/json")

    @app.delete("/api/jobs/{job_id}")
    async def cancel(job_id: str, language: Spoken) -> Response:
        job = _known(work, job_id, language)
        work.cancel(job)
        return _json(job.data(), language)


def _known(work: Jobs, job_id: str, language: Language) -> Job:
    job = work.find(job_id)
    if job is None:
        raise HTTPException(404, Finding("page.no_job").sentence(language))
    return job


def _add_page(app: FastAPI) -> None:
    if (STATIC / "index.html").exists():
        app.mount("/", StaticFiles(directory=STATIC, html=True))
        return

    @app.get("/", include_in_schema=False)
    async def not_built() -> Response:
        return Response(NOT_BUILT, media_type="text/plain")
