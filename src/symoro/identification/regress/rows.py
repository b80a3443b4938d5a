"""Rows of the regression, filtered and decimated in parallel with the torques, and their triangular factors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.integrate import cumulative_simpson

from symoro.errors import DataError
from symoro.findings import Argument, Finding, Place
from symoro.identification.arrays import Array, needed
from symoro.identification.process.checks import jumps, positions_are_wrong
from symoro.identification.process.measurements import Measurements, at_all_joints, at_joints, in_si, measured
from symoro.identification.process.processing import Moved, Processing, long_runs, moved, unsettled
from symoro.identification.process.signals import Chebyshev, Fir
from symoro.identification.read.array_file import read_rows, row_count
from symoro.identification.read.channels import by_channel, of_columns, with_motors_of_legs
from symoro.identification.read.runs import SHORTEST, Run, jitters
from symoro.identification.regress.terms import Terms
from symoro.identification.subject.subject import Subject, transmission_of

# The columns of a regression along a motion, by one of three models; two of them need no accelerations.
#
# dynamic: Γ = D(q, q̇, q̈) K (K97:39). filtered: F Γ = (F′ D1 + F D2) K (K97:40-46), where F is the filter of the
# decimation, which follows, and F′ its derivative. energy: ∫ q̇ᵀ Γ dt = Δh K + ∫ hf dt K_f (K97:47-54), a row for each
# interval of time.


_CHUNK = 2048
"""Samples of one call of the regressor: more leave the cache."""
Part = Callable[[Moved, slice], Array]


def columns_along(terms: Terms, motion: Moved, model: str) -> list[Array]:
    """For each row of the regressor its columns that are not zero for every motion, at the full rate."""
    if model == "dynamic":
        return _gathered(terms, motion, terms.evaluate)
    momenta, rest = _gathered(terms, motion, terms.momenta), _gathered(terms, motion, terms.without_acceleration)
    step = motion.period
    return [np.gradient(D1, step, axis=0, edge_order=2) + D2 for D1, D2 in zip(momenta, rest, strict=True)]


def _gathered(terms: Terms, motion: Moved, evaluate: Part) -> list[Array]:
    columns = terms.places
    W = [np.empty((motion.count, len(places)), order="F") for places in columns]
    for first in range(0, motion.count, _CHUNK):
        part = slice(first, first + _CHUNK)
        full = evaluate(motion, part)
        for joint, places in enumerate(columns):
            W[joint][part] = full[:, joint, places]
    return W


def energy_along(terms: Terms, motion: Moved, length: int) -> tuple[Array, Array, Array]:
    """Times, columns and work of the motors, for intervals of `length` samples."""
    ends = np.arange(0, motion.count, length)
    whole = slice(0, motion.count)
    stored, lost = terms.energies(motion, whole)
    work = np.einsum("tr,tr->t", motion.speeds, motion.torques)

    def integral(x: Array) -> Array:
        return np.diff(cumulative_simpson(x, dx=motion.period, axis=0, initial=0.0)[ends], axis=0)

    return motion.t[ends[:-1]], np.diff(stored[ends], axis=0) + integral(lost), integral(work)


# Rows of the regression: columns along the runs, filtered and decimated in parallel with the torques.


@dataclass(frozen=True)
class RowBlock:
    """Rows of one joint in one run: y = W β over the columns that are not zero."""

    joint: int
    """The row of the regressor."""
    run: int
    t: Array = field(repr=False)
    columns: Array = field(repr=False)
    """The places of its columns among the names of all."""
    W: Array = field(repr=False)
    y: Array = field(repr=False)


@dataclass(frozen=True)
class RegressionRows:
    """The rows of all joints in all runs."""

    names: tuple[str, ...]
    """A name for each column."""
    joints: tuple[str, ...]
    blocks: tuple[RowBlock, ...] = field(repr=False)
    power: float = 1.0
    """The part of white noise that is left: n rows count as `power` times n (see `filters.passed_power`)."""

    @property
    def count(self) -> int:
        return sum(len(block.y) for block in self.blocks)

    def only(self, names: Sequence[str], kept: Sequence[Array] | None = None) -> RegressionRows:
        """Some of the columns; with `kept`, a mask for each block, some of the rows."""
        at = {self.names.index(name): k for k, name in enumerate(names)}
        blocks = []
        for number, block in enumerate(self.blocks):
            mine = slice(None) if kept is None else kept[number]
            places = [k for k, c in enumerate(block.columns) if c in at]
            columns = np.array([at[block.columns[k]] for k in places], dtype=int)
            blocks.append(replace(block, t=block.t[mine], columns=columns, W=block.W[mine][:, places], y=block.y[mine]))
        return replace(self, names=tuple(names), blocks=tuple(blocks))

    def less(self, known: dict[str, float]) -> RegressionRows:
        """The torques without those of parameters that are known."""
        beta = np.array([known.get(name, 0.0) for name in self.names])
        blocks = tuple(replace(b, y=b.y - b.W @ beta[b.columns]) for b in self.blocks)
        return replace(self, blocks=blocks).only([name for name in self.names if name not in known])

    def dense(self) -> tuple[Array, Array, Array]:
        """W with all columns, y, and the joint of each row."""
        W = np.zeros((self.count, len(self.names)))
        at = 0
        for block in self.blocks:
            W[at : at + len(block.y), block.columns] = block.W
            at += len(block.y)
        y = np.concatenate([block.y for block in self.blocks])
        joint = np.concatenate([np.full(len(block.y), block.joint) for block in self.blocks])
        return W, y, joint


def rows_of(terms: Terms, runs: Sequence[Run], how: Processing) -> RegressionRows:
    """The rows of all runs."""
    by_energy = how.model == "energy"
    decimation = Chebyshev(how.decimation or 1)
    blocks = [
        block
        for number, run in enumerate(runs)
        for block in (
            _intervals(terms, run, number, how) if by_energy else blocks_of(terms, run, number, how, decimation)
        )
    ]
    if not any(len(block.y) for block in blocks):
        raise DataError("estimates.no_row")
    joints = ("energy",) if by_energy else terms.subject.row_names
    return RegressionRows(terms.names, joints, tuple(blocks), 1.0 if by_energy else decimation.power)


def blocks_of(terms: Terms, run: Run, number: int, how: Processing, decimation: Chebyshev | Fir) -> Iterator[RowBlock]:
    """The rows of one run, or of a piece of one, joint by joint: the columns pass the same filter as the torques."""
    motion = moved(terms.subject, run, how)
    W = columns_along(terms, motion, how.model)
    speeds, t = decimation(motion.speeds), decimation.times(motion.t)
    for joint, places in enumerate(terms.places):
        kept = np.abs(speeds[:, joint]) >= how.dead_zone_of(joint, len(W))
        block, W[joint] = decimation(W[joint]), W[joint][:0]
        y = decimation(motion.torques[:, joint])
        yield RowBlock(joint, number, t[kept], places, block[kept], y[kept])


def _intervals(terms: Terms, run: Run, number: int, how: Processing) -> Iterator[RowBlock]:
    """The rows of the energy model: one for each interval, of as many samples as become one in the other models."""
    t, W, y = energy_along(terms, moved(terms.subject, run, how), how.decimation or 1)
    yield RowBlock(0, number, t, np.arange(len(terms.names)), W, y)


# The regression as triangular factors: one of [W y] for each joint and each block of time.
#
# W = Q R, so that ‖W β − y‖ follows from R alone. All that is asked of least squares (weights, errors of joints,
# cross-validation over blocks of time, smaller sets of columns) comes from these factors; the rows are not needed
# again.


FOLDS = 6
"""Blocks of time for cross-validation."""
Key = tuple[int, int]
"""Block of time and joint."""


@dataclass(frozen=True)
class Triangle:
    """R of [W y] for some rows, over the columns that are not zero; the last column is y."""

    columns: Array
    R: Array = field(repr=False)
    count: int
    measured: float | None = None
    """‖y‖² of the measured torques, where those of parameters that are known were taken off."""

    def squares(self, beta: Array) -> float:
        """‖W β − y‖²."""
        e = self.R[:, :-1] @ beta[self.columns] - self.R[:, -1]
        return float(e @ e)

    @property
    def norm(self) -> float:
        """‖y‖² of the measured torques, to which errors are related."""
        return self.left if self.measured is None else self.measured

    @property
    def left(self) -> float:
        """‖y‖² of what is to be explained."""
        return float(self.R[:, -1] @ self.R[:, -1])


def triangle(W: Array, y: Array, columns: Array) -> Triangle:
    """The factor of some rows."""
    return Triangle(columns, np.asarray(np.linalg.qr(np.column_stack([W, y]), mode="r")), len(y))


@dataclass(frozen=True)
class TriangularFactors:
    """The factors of a regression."""

    names: tuple[str, ...]
    joints: tuple[str, ...]
    parts: Mapping[Key, Triangle] = field(repr=False)
    power: float = 1.0
    """n rows count as `power` times n."""
    prior: Array | None = field(default=None, repr=False)
    """Rows of [W y] with deviation 1 that say what is known beforehand; weighted least squares takes them."""

    @property
    def folds(self) -> tuple[int, ...]:
        return tuple(sorted({fold for fold, _ in self.parts}))

    def in_blocks(self, folds: Iterable[int] | None = None) -> dict[Key, Triangle]:
        """The factors of some blocks of time, of all without a choice."""
        wanted = set(self.folds if folds is None else folds)
        return {key: part for key, part in self.parts.items() if key[0] in wanted}

    def count(self, folds: Iterable[int] | None = None) -> Array:
        """The number of rows of each joint."""
        return self._by_joint(lambda part: part.count, folds)

    def norm(self, folds: Iterable[int] | None = None) -> Array:
        """‖y‖² of each joint."""
        return self._by_joint(lambda part: part.norm, folds)

    def squares(self, beta: Array, folds: Iterable[int] | None = None) -> Array:
        """‖W β − y‖² of each joint."""
        return self._by_joint(lambda part: part.squares(beta), folds)

    def _by_joint(self, number: Callable[[Triangle], float], folds: Iterable[int] | None) -> Array:
        """The sum of a number of the factors of each joint."""
        sums = np.zeros(len(self.joints))
        for (_, joint), part in self.in_blocks(folds).items():
            sums[joint] += number(part)
        return sums

    def stacked(self, weights: Array | None = None, folds: Iterable[int] | None = None) -> Array:
        """R of [W y] of all rows, each joint's divided by its deviation; its last row has the smallest residual."""
        p = len(self.names)
        lines = [np.zeros((p + 1, p + 1))]
        if self.prior is not None and weights is not None:
            lines.append(self.prior / np.sqrt(self.power))
        for (_, joint), part in self.in_blocks(folds).items():
            scale = 1.0 if weights is None else weights[joint]
            full = np.zeros((len(part.R), p + 1))
            full[:, [*part.columns, p]] = part.R * scale
            lines.append(full)
        return np.asarray(np.linalg.qr(np.concatenate(lines), mode="r"))

    def only(self, names: Sequence[str]) -> TriangularFactors:
        """The regression with some of its columns."""
        places = [self.names.index(name) for name in names]
        at = {place: k for k, place in enumerate(places)}
        parts = {}
        for key, part in self.parts.items():
            kept = [k for k, place in enumerate(part.columns) if place in at]
            columns = np.array([at[part.columns[k]] for k in kept], dtype=int)
            parts[key] = Triangle(columns, part.R[:, [*kept, -1]], part.count, part.measured)
        prior = None if self.prior is None else self.prior[:, [*places, -1]]
        return replace(self, names=tuple(names), parts=parts, prior=prior)

    def less(self, values: Mapping[str, float]) -> TriangularFactors:
        """The regression without columns whose parameters are known: y − W_known β_known."""
        known = {self.names.index(name): x for name, x in values.items()}
        parts = {}
        for key, part in self.parts.items():
            y = part.R[:, -1] - sum(
                (part.R[:, k] * known[c] for k, c in enumerate(part.columns) if c in known), start=np.zeros(len(part.R))
            )
            parts[key] = Triangle(part.columns, np.column_stack([part.R[:, :-1], y]), part.count, part.norm)
        rest = [name for k, name in enumerate(self.names) if k not in known]
        return replace(self, parts=parts).only(rest)


def triangles_of(rows: RegressionRows, folds: int = FOLDS) -> TriangularFactors:
    """The factors of rows, with blocks of time of equal length between the first and the last row that is kept."""
    parts: dict[Key, list[tuple[Array, Array, Array]]] = {}
    for block, fold in zip(rows.blocks, fold_of(rows, folds), strict=True):
        for f in range(folds):
            mine = fold == f
            if mine.any():
                parts.setdefault((f, block.joint), []).append((block.W[mine], block.y[mine], block.columns))
    factors = {
        key: triangle(np.concatenate([W for W, _, _ in some]), np.concatenate([y for _, y, _ in some]), some[0][2])
        for key, some in parts.items()
    }
    return TriangularFactors(rows.names, rows.joints, factors, rows.power)


def fold_of(rows: RegressionRows, folds: int = FOLDS) -> list[Array]:
    """The block of time of each row, an array for each block of rows; runs follow each other."""
    starts = _starts(rows)
    times = [starts[block.run] + block.t for block in rows.blocks]
    first = min(t.min() for t in times if len(t))
    last = max(t.max() for t in times if len(t))
    edges = np.linspace(first, last, folds + 1)[1:-1]
    return [np.searchsorted(edges, t, side="right") for t in times]


def _starts(rows: RegressionRows) -> dict[int, float]:
    """What is added to the times of each run, so that runs follow each other."""
    starts: dict[int, float] = {}
    end = 0.0
    for run in sorted({block.run for block in rows.blocks}):
        t = np.concatenate([block.t for block in rows.blocks if block.run == run])
        starts[run] = end - float(t.min()) if len(t) else end
        end += float(np.ptp(t)) if len(t) else 0.0
    return starts


# Measurements piece by piece, and what is left of them: triangular factors, and the rows where they are kept.
#
# Measurements in memory have a piece for each run. Their rows are kept, for robust estimators, residuals and pictures.
# Large files are read in pieces of some samples, so that memory does not grow with samples: rows are not kept.


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
    channels = in_si(of_columns(subject, table, chosen, piece.file, scales), scales)
    t = channels.pop("t", None)
    uneven = t is not None and np.abs(np.diff(t) - stream.period).max() > 0.5 * stream.period
    if uneven or not all(np.isfinite(x).all() for x in channels.values()):
        return Finding("estimates.gaps")
    channels = with_motors_of_legs(subject, channels)
    gears = transmission_of(subject, reading.get("transmission")) if reading.get("side") == "motor" else None
    start = first * stream.period if t is None else float(t[0])
    run = at_joints(subject, Run(stream.period, channels, start, piece.file), gears)
    if any(len(jumps(x)) for x in run["q"].T):
        return Finding("estimates.jumps")
    return at_all_joints(subject, [run], None, stream.known)[0][0]


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
