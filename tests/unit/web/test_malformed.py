"""Requests that are wrong in many ways: each is answered by a status from 400 to 499 with a message."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from support.page_server import Page, page_server

POSTS = [
    "read",
    "write",
    "check",
    "zip",
    "jobs/model",
    "jobs/code",
    "jobs/expanded",
    "jobs/structure",
    "jobs/loops",
    "jobs/platform",
    "jobs/play",
    "branches",
    "report",
]
VALUES: list[Any] = [None, True, -1, 1e308, "", "x" * 500, [], {}, [[]], {"a": 1}, "\ud800", "\u0000", "1" * 5000]
BODIES = [b"", b"{", b"null", b"[]", b"1e999", b'"\xff"', b"[" * 100_000, b'{"robot":{}}', b'{"robot":null}', b"NaN"]


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with page_server() as found:
        yield found


def refused(page: Page, path: str, body: bytes) -> None:
    answer = page.ask("POST", f"/api/{path}", body=body)
    assert 400 <= answer.status < 500, (path, body[:100], answer.status, answer.body[:200])
    said = json.loads(answer.body)
    assert said.get("message") or said.get("detail")


@pytest.mark.parametrize("path", POSTS)
def test_bodies_that_are_no_requests(page: Page, path: str) -> None:
    for body in BODIES:
        refused(page, path, body)


def test_robots_with_a_wrong_field(page: Page) -> None:
    rng = random.Random(1)
    robots = [page.robot("planar2r"), page.robot("five-bar-legs")]
    for k in range(120):
        wrong = json.loads(json.dumps(robots[k % 2]))
        place: Any = wrong
        while True:
            key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if not isinstance(place[key], dict | list) or not place[key] or rng.random() < 0.2:
                break
            place = place[key]
        place[key] = rng.choice([v for v in VALUES if not isinstance(v, str)] + ["x" * 500])
        path = rng.choice(["jobs/structure", "write", "zip"])
        data = {"robot": wrong, **({"suffix": ".par"} if path == "write" else {})}
        if path == "zip":
            data |= {"model": "no such model", "target": "c"}
        answer = page.ask("POST", f"/api/{path}", body=json.dumps(data).encode())
        if path == "zip":
            assert 400 <= answer.status < 500, answer.body[:300]
        assert answer.status < 500, (data, answer.body[:300])


def test_a_body_that_is_too_long_or_of_another_kind(page: Page) -> None:
    assert page.ask("POST", "/api/check", body=b" " * 5_000_000).status == 413
    assert page.ask("POST", "/api/check", body=b"{}", headers={"content-type": "text/plain"}).status == 415
    assert page.ask("GET", "/api/jobs/none").status == 404
    assert page.ask("DELETE", "/api/jobs/none").status == 404
    assert page.ask("PUT", "/api/check", body=b"{}").status == 405


@pytest.mark.long
@pytest.mark.filterwarnings("default")
def test_schemathesis_finds_no_server_error(page: Page) -> None:
    import schemathesis
    from hypothesis import HealthCheck, given, settings

    schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{page.port}/api/openapi.json")
    few = settings(
        max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
    )
    for operation in schema.get_all_operations():

        @few
        @given(case=operation.ok().as_strategy())
        def call(case: Any) -> None:
            assert case.call().status_code < 500

        call()
