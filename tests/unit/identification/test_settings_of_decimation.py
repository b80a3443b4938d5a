"""Factors of a decimation."""

from __future__ import annotations

import pytest

from support.raised import raised
from symoro.errors import DataError
from symoro.identification.process.signals import stages


@pytest.mark.parametrize("factor", [0, -3, 17])
def test_a_factor_that_has_no_stages_is_refused(factor: int) -> None:
    with raised("measurements.stages", DataError):
        stages(factor)
