"""Measurements piece by piece, and what is left of them: triangular factors, and the rows where they are kept.

Measurements in memory have a piece for each run. Their rows are kept, for robust estimators, residuals and pictures.
Large files are read in pieces of some samples, so that memory does not grow with samples: rows are not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from symoro.errors import DataError
from symoro.findings import Argument, Finding, Place
from symoro.identification.arrays import Array, needed
from symoro.identification.process.assembled_runs import closed_runs
from symoro.identification.process.checks import jumps, positions_are_wrong
from symoro.identification.process.filters import Fir
from symoro.identification.process.measurements import Measurements, at_joints, measured
from symoro.identification.process.processing import Processing
from symoro.identification.process.settings import long_runs, unsettled
from symoro.identification.read.array_file import read_rows, row_count
from symoro.identification.read.channels import by_channel, without_flips
from symoro.identification.read.recording import of_columns
from symoro.identification.read.repairs import jitters
from symoro.identification.read.runs import SHORTEST, Run
from symoro.identification.read.units import converted
from symoro.identification.regress.rows import RegressionRows, blocks_of, rows_of
from symoro.identification.regress.terms import Terms
from symoro.identification.regress.triangles import FOLDS, Key, Triangle, TriangularFactors, triangle, triangles_of
from symoro.identification.subject.subject import Subject, transmission_of

_PIECE = 20_000
"""Samples of a piece of a file."""
_HEAD = 60_000
"""Samples from which the processing is chosen."""
_KNOWN = 500
"""Configurations of closed loops from which pieces begin."""
_SAME_RATE = 0.01
"""Relative difference of the rates of two files that count as one."""
_SETTLED = 8.0
"""Periods of the cut-off frequency after which a filter has forgotten where it began."""


class Reduced(NamedTuple):
    """All pieces as triangular factors, with their rows where these are kept, and warnings."""

    triangles: TriangularFactors
    rows: RegressionRows | None
    warnings: tuple[Finding, ...]


class DataPieces(Protocol):
    """What is identified from."""

    @property
    def sample(self) -> Measurements:
        """The measurements from which the processing is chosen."""

    def reduced(self, terms: Terms, how: Processing) -> Reduced:
        """All pieces, reduced to triangular factors."""


@dataclass(frozen=True)
class InMemory:
    """Measurements in memory, a piece for each run."""

    sample: Measurements

    def reduced(self, terms: Terms, how: Processing) -> Reduced:
        data = long_runs(self.sample, how)
        rows = rows_of(terms, data.runs, how)
        left_out = data.warnings[len(self.sample.warnings) :]
        return Reduced(triangles_of(rows), rows, (*left_out, *unsettled(data, how)))


# Large files. What every piece needs can be sent to other processes.


@dataclass(frozen=True)
class Piece:
    """Outputs first … last of the decimated rows of a file, which has `count` samples; and its block of time."""

    file: str
    count: int
    first: int
    last: int
    fold: int


@dataclass(frozen=True)
class Files:
    """Large files, read in pieces by threads (`workers`) or by Dask (`scheduler`)."""

    sample: Measurements
    """The first samples of the longest file."""
    files: tuple[Path, ...]
    reading: Mapping[str, Any]
    scheduler: str | None = None
    workers: int = 2
    warnings: tuple[Finding, ...] = ()
    """What the first samples of other files show."""

    def reduced(self, terms: Terms, how: Processing) -> Reduced:
        stream = Stream(terms, how, self.sample.runs[0].period, self.reading)
        if terms.subject.robot.cuts:  # pieces follow the branch of the first samples
            stream = replace(stream, known=_some_configurations(self.sample))
        by_file = {file: list(_pieces(file, stream)) for file in self.files}
        short = [Finding("estimates.short_file", place=Place(str(file))) for file in by_file if not by_file[file]]
        pieces = [piece for file in self.files for piece in by_file[file]]
        pieces = [replace(piece, fold=k * FOLDS // len(pieces)) for k, piece in enumerate(pieces)]
        triangles, left_out = merged(stream, _mapped(stream, pieces, self.scheduler, self.workers))
        missing = [
            Finding("estimates.pieces_left_out", count=count, pieces=len(pieces), reason=reason)
            for reason, count in left_out.items()
        ]
        return Reduced(triangles, None, (*self.warnings, *short, *missing))


def of_files(
    files: Sequence[str | Path],
    subject: Subject,
    reading: Mapping[str, Any],
    scheduler: str | None = None,
    workers: int = 2,
) -> Files:
    """Files with the first samples of the longest one, and what those of the others show.

    Other files must have the same rate. A joint that stands still at the beginning of one of them is no error.
    """
    paths = tuple(map(Path, files))
    longest = max(paths, key=row_count)
    head = _head(subject, longest, reading)
    guess = {"guess": head.runs[0]["q"][0]} if subject.robot.cuts else {}
    warnings: list[Finding] = []
    for file in dict.fromkeys(paths):
        if file != longest and row_count(file) >= SHORTEST:
            other = _head(subject, file, {**reading, **guess})
            if abs(other.rate / head.rate - 1) > _SAME_RATE:
                raise DataError(
                    "recordings.rates_of_files",
                    first=str(longest),
                    first_rate=head.rate,
                    second=str(file),
                    second_rate=other.rate,
                )
            warnings += [warning.at(file=str(file)) for warning in other.warnings if positions_are_wrong([warning])]
    return Files(head, paths, reading, scheduler, workers, tuple(warnings))


def _head(subject: Subject, file: Path, reading: Mapping[str, Any]) -> Measurements:
    """The first samples of a file, for which all checks are made."""
    columns = read_rows(file, 0, min(_HEAD, row_count(file)))
    chosen, scales = (by_channel(reading.get(name), name) for name in ("columns", "units"))
    channels = of_columns(subject, columns, chosen, str(file), scales)
    if "t" in channels and jitters(channels["t"], float(np.median(np.diff(channels["t"])))):
        raise DataError("recordings.uneven_stream", place=Place(str(file)))
    return measured(subject, channels, **{name: value for name, value in reading.items() if name != "columns"})


def _some_configurations(head: Measurements) -> Array:
    every = np.concatenate([run["q"] for run in head.runs])
    return np.asarray(every[:: max(1, len(every) // _KNOWN)])


@dataclass(frozen=True)
class Stream:
    """What every piece needs; it can be sent to other processes."""

    terms: Terms
    how: Processing
    period: float
    reading: Mapping[str, Any] = field(default_factory=dict)
    known: Array | None = None
    """Configurations of closed loops on the branch of the recording."""

    def __reduce__(self) -> Any:
        """As the robot, not as compiled code."""
        subject, terms = self.terms.subject, replace(self.terms, subject=None)  # type: ignore[arg-type]
        rest = (self.how, self.period, dict(self.reading), self.known)
        return _received, (subject.description, subject.regressor.options, terms, rest)

    @property
    def filter(self) -> Fir:
        return Fir(self.how.decimation or 1)

    @property
    def overlap(self) -> int:
        """Samples on each side in which the filter of positions settles."""
        cutoff = self.how.cutoff
        return max(self.how.border, int(_SETTLED / (cutoff * self.period)) if cutoff else 0)


def _received(description: Any, options: Mapping[str, Any], terms: Terms, rest: tuple[Any, ...]) -> Stream:
    """The stream in another process."""
    described = options.get("friction") is not False
    offset, alike = options.get("offset") if described else None, options.get("alike", False)
    return Stream(replace(terms, subject=Subject.of(description, described, offset, alike)), *rest)


def _pieces(file: Path, stream: Stream) -> Iterable[Piece]:
    count, factor = row_count(file), stream.filter.factor
    edge = stream.filter.reach + stream.overlap
    first, last = -(-edge // factor), (count - edge - 1) // factor
    step = max(1, _PIECE // factor)
    for start in range(first, last, step):
        yield Piece(str(file), count, start, min(start + step, last), 0)


def piece_triangles(stream: Stream, piece: Piece) -> dict[Key, Triangle] | Finding:
    """The factors of one piece; or why it is left out."""
    factor, wide = stream.filter.factor, stream.filter.reach + stream.overlap
    run = _run(stream, piece, piece.first * factor - wide, (piece.last - 1) * factor + wide + 1)
    if isinstance(run, Finding):
        return run
    how = replace(stream.how, border=stream.overlap)
    blocks = blocks_of(stream.terms, run, 0, how, stream.filter)
    return {(piece.fold, block.joint): triangle(block.W, block.y, block.columns) for block in blocks if len(block.y)}


def _run(stream: Stream, piece: Piece, first: int, last: int) -> Run | Finding:
    """The samples of a piece as a run at the joints; or what is wrong with them."""
    reading, subject = stream.reading, stream.terms.subject
    table = read_rows(Path(piece.file), first, last)
    chosen, scales = (by_channel(reading.get(name), name) for name in ("columns", "units"))
    raw = of_columns(subject, table, chosen, piece.file, scales)
    channels = {name: converted(x, name, scales.get(name)) for name, x in raw.items()}
    channels |= {"quat": without_flips(channels["quat"])} if "quat" in channels else {}
    t = channels.pop("t", None)
    uneven = t is not None and np.abs(np.diff(t) - stream.period).max() > 0.5 * stream.period
    if uneven or not all(np.isfinite(x).all() for x in channels.values()):
        return Finding("estimates.gaps")
    gears = transmission_of(subject, reading.get("transmission")) if reading.get("side") == "motor" else None
    start = first * stream.period if t is None else float(t[0])
    run = at_joints(subject, Run(stream.period, channels, start, piece.file), gears)
    if any(len(jumps(x)) for x in run["q"].T):
        return Finding("estimates.jumps")
    return closed_runs(subject, [run], reading.get("guess"), stream.known)[0][0]


def _mapped(
    stream: Stream, pieces: Sequence[Piece], scheduler: str | None, workers: int
) -> Iterable[dict[Key, Triangle] | Finding]:
    """The factors of all pieces in their order: by threads, by a local cluster of Dask, or by a scheduler of Dask."""
    if scheduler is None:
        with ThreadPoolExecutor(workers) as pool:
            yield from pool.map(partial(piece_triangles, stream), pieces)
        return
    distributed = needed("distributed", Finding("estimates.cluster"), "cluster")
    kept: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    try:
        client = distributed.Client(**kept) if scheduler == "local" else distributed.Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        option = Argument("scheduler")
        raise DataError("estimates.no_scheduler", option=option, address=scheduler, reason=str(error)) from None
    with client:
        yield from client.gather(client.map(partial(piece_triangles, stream), pieces))


def merged(
    stream: Stream, factors: Iterable[dict[Key, Triangle] | Finding]
) -> tuple[TriangularFactors, dict[Finding, int]]:
    """The factors of all pieces, joined as they come; and why how many pieces were left out."""
    parts: dict[Key, Triangle] = {}
    left_out: dict[Finding, int] = {}
    for of_piece in factors:
        if isinstance(of_piece, Finding):
            left_out[of_piece] = left_out.get(of_piece, 0) + 1
            continue
        for key, new in of_piece.items():
            parts[key] = _joined(parts[key], new) if key in parts else new
    if not parts:
        raise DataError("estimates.no_row_of_stream", reasons=list(left_out) or Finding("estimates.too_short"))
    return TriangularFactors(stream.terms.names, stream.terms.subject.row_names, parts, stream.filter.power), left_out


def _joined(a: Triangle, b: Triangle) -> Triangle:
    R = np.linalg.qr(np.concatenate([a.R, b.R]), mode="r")
    return Triangle(a.columns, np.asarray(R), a.count + b.count)
