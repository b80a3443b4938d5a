"""Runs that are long enough for the filters: one short run does not decide how the others are processed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from symoro.identification.measurements.measurements import Measurements
from symoro.identification.processing.filtering import ORDER, can_be_decimated
from symoro.identification.processing.processing import Processing
from symoro.identification.recordings.runs import Run


def usual_count(runs: Sequence[Run]) -> int:
    """The number of samples of a usual run: half of all samples are in runs that are at least as long."""
    counts = np.sort([run.count for run in runs])
    return int(counts[np.searchsorted(np.cumsum(counts), counts.sum() / 2)])


def is_long(run: Run, how: Processing) -> bool:
    """Whether rows are left of a run when its ends are left out and it is decimated."""
    count = run.count - 2 * how.border
    return count > 2 * ORDER and (how.model == "energy" or can_be_decimated(count, how.decimation or 1))


def long_runs(data: Measurements, how: Processing) -> Measurements:
    """The measurements without runs that are too short, and with a warning; all of them where every run is short."""
    kept = tuple(run for run in data.runs if is_long(run, how))
    left = [run for run in data.runs if not is_long(run, how)]
    if not left or not kept:
        return data
    counts = sorted(run.count for run in left)
    sizes = f"{counts[0]} samples" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]} samples"
    what = "is too short" if len(left) == 1 else "are too short"
    said = f"{len(left)} of {len(data.runs)} runs {what} for the filters ({sizes}): left out"
    return replace(data, runs=kept, warnings=(*data.warnings, said))
