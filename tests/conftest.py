"""Lets tests share helpers (`from support.close import assert_close`), and makes a skip a failure in CI."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_report_header() -> str:
    """As which processor the tests run: the last digit of numbers depends on it."""
    from support.processor import processor

    return f"processor: {processor()}"


@pytest.fixture(scope="session", autouse=True)
def compiled_code(tmp_path_factory: pytest.TempPathFactory) -> Generator[None, None, None]:
    """Keep compiled code of a run in a folder of its own: nothing comes from before, and nothing stays."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMORO_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where CI=true, fail what would be skipped: a run that passes has run everything."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome, report.longrepr = "failed", f"{reason} (with CI=true nothing may be skipped)"
    return report
