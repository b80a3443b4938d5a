"""The server of the page: what it answers, what it refuses, and what ends a job."""

from __future__ import annotations

import io
import threading
import time
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from support.page_server import Page, page_server
from symoro.web.jobs import TaskLimits


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with page_server(TaskLimits(60, 1000)) as found:
        yield found


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8765"},
        {"host": "127.0.0.1.evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_another_host_or_origin_is_refused(page: Page, headers: dict[str, str]) -> None:
    answer = page.ask("GET", "/api/library", headers=headers)
    assert answer.status == 403
    assert "message" in answer.json()


def test_the_own_origin_is_answered_with_a_closed_policy(page: Page) -> None:
    answer = page.ask("GET", "/api/health", headers={"origin": f"http://127.0.0.1:{page.port}"})
    assert answer.status == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_another_address_needs_its_token() -> None:
    with page_server(token="secret") as page:
        assert page.ask("GET", "/api/health").status == 401
        assert page.ask("GET", "/api/health", headers={"x-symoro-token": "wrong"}).status == 401
        assert page.ask("GET", "/api/health", headers={"x-symoro-token": "secret"}).status == 200


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "/..%2f..%2f__init__.py", "/%2e%2e/api.py", "/assets/../../api.py"]
)
def test_no_path_of_the_machine_is_served(page: Page, path: str) -> None:
    assert page.ask("GET", path).status in (400, 404, 405)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xml", "<mujoco><include file='/etc/hostname'/></mujoco>"),
        ("a.xacro", "<robot xmlns:xacro='http://x' name='a'><xacro:include filename='/etc/hostname'/></robot>"),
        (
            "a.urdf",
            "<!DOCTYPE r [<!ENTITY x SYSTEM '/etc/hostname'>]><robot name='&x;'/>",
        ),
        ("a.toml", "joints = 3"),
        ("a.exe", "MZ"),
        ("../../a.par", "\0"),
    ],
)
def test_files_that_are_no_robots_are_refused_with_a_message(page: Page, name: str, text: str) -> None:
    answer = page.ask("POST", "/api/read", {"name": name, "text": text})
    assert answer.status == 422
    assert answer.json()["message"]


def test_a_file_becomes_a_robot_and_a_file_again(page: Page) -> None:
    robot = page.robot("planar2r")
    text = page.ask("POST", "/api/write", {"robot": robot, "suffix": ".par"}).body.decode("latin-1")
    back = page.ask("POST", "/api/read", {"name": "planar2r.par", "text": text}).json()["robot"]
    assert [j["d"] for j in back["joints"]] == [j["d"] for j in robot["joints"]]


def test_a_model_becomes_a_zip_with_its_self_test(page: Page) -> None:
    wanted: dict[str, Any] = {
        "robot": page.robot("planar2r"),
        "model": "inverse_dynamics",
        "options": {"params": "base"},
    }
    job = page.job("model", wanted)
    assert job["state"] == "done", job
    data = page.ask("GET", f"/api/jobs/{job['id']}/result").json()
    assert data["ops"]["mul"] > 0
    answer = page.ask("POST", "/api/zip", wanted | {"target": "c", "job": job["id"]})
    names = zipfile.ZipFile(io.BytesIO(answer.body)).namelist()
    assert {name.rpartition("/")[2] for name in names} >= {"selftest.c", "CMakeLists.txt", "Makefile"}


FRENCH = {"accept-language": "fr-FR,fr;q=0.9"}


def test_a_model_is_written_again_in_another_language(page: Page) -> None:
    wanted = {"robot": page.robot("puma560"), "model": "inverse_geometry"}
    first = page.job("model", wanted)
    status = page.ask("POST", "/api/jobs/model", wanted | {"job": first["id"]}, FRENCH).json()
    while status["state"] in ("waiting", "running"):
        status = page.ask("GET", f"/api/jobs/{status['id']}", headers=FRENCH).json()
    english, french = (page.ask("GET", f"/api/jobs/{job['id']}/result").json() for job in (first, status))
    assert english["title"] == "Inverse geometric model"
    assert french["title"] == "Modèle géométrique inverse"
    assert english["instructions"] == french["instructions"]
    assert english["inverse"]["steps"][0]["source"].startswith("the origin of frame")
    assert french["inverse"]["steps"][0]["source"].startswith("l'origine du repère")
    texts = {symbol["text"] for symbol in french["symbols"] if "text" in symbol}
    assert any("du repère" in text for text in texts)


def test_refusals_are_in_the_language_of_the_request(page: Page) -> None:
    assert "no such job" in page.ask("GET", "/api/jobs/unknown").json()["detail"]
    assert "pas de telle tâche" in page.ask("GET", "/api/jobs/unknown", headers=FRENCH).json()["detail"]
    rows = page.ask("GET", "/api/facts", headers=FRENCH).json()["catalogue"]
    assert "Modèle dynamique inverse" in {row["title"] for row in rows}


def test_a_wrong_option_fails_with_what_is_allowed(page: Page) -> None:
    job = page.job(
        "model", {"robot": page.robot("planar2r"), "model": "inverse_dynamics", "options": {"params": "few"}}
    )
    assert job["state"] == "failed"
    assert "allowed: standard, base" in job["message"]


def test_a_job_that_takes_too_long_is_ended_and_named_and_another_can_be_cancelled() -> None:
    with page_server(TaskLimits(2, 1000)) as page:
        eel = {"robot": page.robot("eel50"), "model": "inverse_dynamics", "options": {"optimize": "best"}}
        first = page.ask("POST", "/api/jobs/model", eel).json()
        second = page.ask("POST", "/api/jobs/model", eel).json()
        assert page.ask("DELETE", f"/api/jobs/{second['id']}").json()["state"] == "cancelled"
        while first["state"] in ("waiting", "running"):
            first = page.ask("GET", f"/api/jobs/{first['id']}").json()
        assert first["state"] == "failed"
        assert "longer than 2 s" in first["message"]
        assert page.ask("GET", "/api/health").status == 200


def test_a_job_that_eats_memory_is_ended_and_the_server_lives() -> None:
    with page_server(TaskLimits(60, 60)) as page:
        eel = {"robot": page.robot("eel50"), "model": "direct_dynamics", "options": {"method": "inertia-matrix"}}
        job = page.job("model", eel)
        assert job["state"] == "failed"
        assert "memory" in job["message"]
        assert page.ask("GET", "/api/health").status == 200


@pytest.mark.long
def test_ten_browsers_keep_the_server_responsive_and_no_job_is_lost(page: Page) -> None:
    wanted = {"robot": page.robot("puma560"), "model": "inverse_dynamics", "options": {"params": "base"}}
    jobs = [page.ask("POST", "/api/jobs/model", wanted).json()["id"] for _ in range(10)]
    slowest = 0.0
    states: dict[str, str] = {}

    def wait(job: str) -> None:
        state = "waiting"
        while state in ("waiting", "running"):
            state = page.ask("GET", f"/api/jobs/{job}").json()["state"]
        states[job] = state

    threads = [threading.Thread(target=wait, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        began = time.perf_counter()
        assert page.ask("GET", "/api/health").status == 200
        slowest = max(slowest, time.perf_counter() - began)
        time.sleep(0.1)
    assert set(states.values()) == {"done"}
    print(f"slowest answer of health: {1000 * slowest:.0f} ms")
