"""The server of the page on a free port, in a thread, for tests."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

import uvicorn

from symoro.web.api import application
from symoro.web.jobs import Jobs, TaskLimits
from symoro.web.security import LOCAL


class Answer:
    def __init__(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.status, self.body, self.headers = status, body, headers

    def json(self) -> Any:
        return json.loads(self.body)


class Page:
    """Requests to a server."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(
        self, method: str, path: str, data: Any = None, headers: dict[str, str] | None = None, body: bytes | None = None
    ) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {"content-type": "application/json"} if data is not None or body is not None else {}
        content = body if body is not None else None if data is None else json.dumps(data).encode()
        connection.request(method, path, content, given | (headers or {}))
        answer = connection.getresponse()
        found = Answer(answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()})
        connection.close()
        return found

    def job(self, task: str, data: Any) -> dict[str, Any]:
        """Start a job and wait until it is over."""
        status = self.ask("POST", f"/api/jobs/{task}", data).json()
        while status["state"] in ("waiting", "running"):
            status = self.ask("GET", f"/api/jobs/{status['id']}?stages={len(status['stages'])}").json()
        return dict(status)

    def robot(self, name: str) -> dict[str, Any]:
        return next(r["robot"] for r in self.ask("GET", "/api/library").json() if r["robot"]["name"] == name)


@contextmanager
def page_server(limits: TaskLimits | None = None, token: str = "") -> Iterator[Page]:
    app = application(Jobs(limits or TaskLimits(60, 1000)), frozenset(LOCAL), token)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Page(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(10)
