"""Large files: the triangular factors of their pieces, found one by one, so that memory does not grow with samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError, OptionError
from symoro.identification.arrays import Array, needed
from symoro.identification.estimate.regression import Regression, chosen_law, terms_of, with_law
from symoro.identification.process.checks import jumps, positions_are_wrong
from symoro.identification.process.filters import decimated_by_fir, passed_power_of_fir, reach
from symoro.identification.process.loop_runs import closed_runs
from symoro.identification.process.measurements import Measurements, at_joints, measurements
from symoro.identification.process.processing import moved
from symoro.identification.process.settings import is_dry, processing, speeds
from symoro.identification.read.array_file import read_rows, row_count
from symoro.identification.read.channels import known, without_flips
from symoro.identification.read.recording import of_columns
from symoro.identification.read.repairs import jitters
from symoro.identification.read.runs import SHORTEST, Run
from symoro.identification.read.units import converted
from symoro.identification.regress.rows import columns_along
from symoro.identification.regress.terms import Terms
from symoro.identification.regress.triangles import FOLDS, Key, Triangle, Triangles, triangle
from symoro.identification.subject.subject import Subject, transmission_of

_PIECE = 20_000
"""Samples of a piece."""
_HEAD = 60_000
"""Samples from which the processing is chosen."""
_KNOWN = 500
"""Configurations of closed loops from which pieces begin."""
_SAME_RATE = 0.01
"""Relative difference of the rates of two files that count as one."""
_SETTLED = 8.0
"""Periods of the cut-off frequency after which a filter has forgotten where it began."""


@dataclass(frozen=True)
class Stream:
    """What every piece needs; it can be sent to other processes."""

    subject: Subject
    friction: tuple[str, ...]
    turning: Array | None
    coupled: Array | None
    largest: tuple[float, ...]
    how: Any
    period: float
    reading: Mapping[str, Any] = field(default_factory=dict)
    known: Array | None = None
    """Configurations of closed loops on the branch of the recording."""

    def __reduce__(self) -> Any:
        """As the robot, not as compiled code."""
        return _again, (self.subject.given, self.subject.regressor.options, {
            "friction": self.friction, "turning": self.turning, "coupled": self.coupled, "largest": self.largest,
            "how": self.how, "period": self.period, "reading": dict(self.reading), "known": self.known,
        })  # fmt: skip

    @property
    def terms(self) -> Terms:
        return Terms(self.subject, self.friction, self.turning, self.coupled, self.largest)


def _again(given: Any, options: Mapping[str, Any], rest: dict[str, Any]) -> Stream:
    described = options.get("friction") is not False
    offset, alike = options.get("offset") if described else None, options.get("alike", False)
    return Stream(Subject.of(given, described, offset, alike), **rest)


@dataclass(frozen=True)
class Piece:
    """Outputs first … last of the decimated rows of a file, which has `count` samples; and its block of time."""

    file: str
    count: int
    first: int
    last: int
    fold: int


def streamed(files: Sequence[str | Path], subject: Subject, laws: Any, options: dict[str, Any], reading: dict[str, Any],
             scheduler: str | None = None, workers: int = 2) -> Regression:  # fmt: skip
    """The regression of large files. Rows are not kept: residuals, pictures and robust estimators need them."""
    if options["model"] == "energy":
        raise OptionError("model='energy' needs whole runs: a stream has the models dynamic and filtered")
    head, said = _heads([Path(file) for file in files], subject, reading)
    terms = terms_of(head, subject, laws)
    how = processing(head, **options, dry=is_dry(terms.names))
    places = [subject.moving.index(joint) for joint in subject.motors]
    largest = tuple(map(float, speeds(head, how)[places]))
    stream = Stream(subject, terms.friction, terms.turning, terms.coupled, largest, how, head.runs[0].period, reading)
    if subject.robot.cuts:  # pieces follow the branch of the first samples
        stream = replace(stream, known=_some_configurations(head))
    by_file = {file: list(_pieces(Path(file), stream)) for file in files}
    said += [f"{file}: too few samples for the filters; it was left out" for file, own in by_file.items() if not own]
    pieces = [piece for file in files for piece in by_file[file]]
    pieces = [replace(piece, fold=k * FOLDS // len(pieces)) for k, piece in enumerate(pieces)]
    every, missing = merged(stream, _mapped(stream, pieces, scheduler, workers))
    found, tried = chosen_law(every, stream.terms, laws)
    t = every.only(with_law(every.names, stream.terms, found))
    said += [f"{count} of {len(pieces)} pieces were left out: {why}" for why, count in missing.items()]
    if found is not None and found.speed is not None:
        said.append("a stream keeps the speed of Stribeck's curve that was tried: σ is without the error of it")
    return Regression(subject, stream.terms, how, head.rate, t, None, found, tried, (*head.warnings, *said))


def _heads(files: Sequence[Path], subject: Subject, reading: Mapping[str, Any]) -> tuple[Measurements, list[str]]:
    """The first samples of the longest file, which choose the processing; and what those of other files show.

    Other files must have the same rate. A joint that stands still at the beginning of one of them is no error.
    """
    longest = max(files, key=row_count)
    head = _head(subject, longest, reading)
    guess = {"guess": head.runs[0]["q"][0]} if subject.robot.cuts else {}
    said = []
    for file in dict.fromkeys(files):
        if file != longest and row_count(file) >= SHORTEST:
            other = _head(subject, file, {**reading, **guess})
            if abs(other.rate / head.rate - 1) > _SAME_RATE:
                rates = f"{longest}: {head.rate:.6g} Hz, {file}: {other.rate:.6g} Hz"
                raise DataError(f"the files have different rates ({rates}): identify them apart, or resample them")
            said += [f"{file}: {text}" for text in other.warnings if positions_are_wrong([text])]
    return head, said


def _some_configurations(head: Measurements) -> Array:
    every = np.concatenate([run["q"] for run in head.runs])
    return np.asarray(every[:: max(1, len(every) // _KNOWN)])


def _head(subject: Subject, file: Path, reading: Mapping[str, Any]) -> Measurements:
    """The first samples of a file, for which all checks are made."""
    columns = read_rows(file, 0, min(_HEAD, row_count(file)))
    chosen, scales = (known(reading.get(name), name) for name in ("columns", "units"))
    found = of_columns(subject, columns, chosen, str(file), scales)
    if "t" in found and jitters(found["t"], float(np.median(np.diff(found["t"])))):
        raise DataError(f"{file}: time stamps jitter: a stream needs samples at equal times; read it without stream")
    kept = {name: value for name, value in reading.items() if name != "columns"}
    return measurements(subject, found, **kept)


def _pieces(file: Path, stream: Stream) -> Iterable[Piece]:
    count, factor = row_count(file), stream.how.decimation or 1
    edge = reach(factor) + _overlap(stream)
    first, last = -(-edge // factor), (count - edge - 1) // factor
    step = max(1, _PIECE // factor)
    for start in range(first, last, step):
        yield Piece(str(file), count, start, min(start + step, last), 0)


def _overlap(stream: Stream) -> int:
    """Samples on each side in which the filter of positions settles."""
    cutoff = stream.how.cutoff
    settled = int(_SETTLED / (cutoff * stream.period)) if cutoff else 0
    return max(int(stream.how.border), settled)


def piece_triangles(stream: Stream, piece: Piece) -> dict[Key, Triangle] | str:
    """The factors of one piece; or why it is left out."""
    factor, extra = stream.how.decimation or 1, _overlap(stream)
    wide = reach(factor) + extra
    run = _run(stream, piece, piece.first * factor - wide, (piece.last - 1) * factor + wide + 1)
    if isinstance(run, str):
        return run
    terms, outputs = stream.terms, piece.last - piece.first
    motion = moved(stream.subject, run, replace(stream.how, border=extra))
    slow = decimated_by_fir(motion.speeds, factor, outputs)
    y = decimated_by_fir(motion.torques, factor, outputs)
    W = columns_along(terms, motion, stream.how.model)
    found = {}
    for joint, places in enumerate(terms.places):
        kept = np.abs(slow[:, joint]) >= stream.how.dead_zone_of(joint, len(W))
        rows = decimated_by_fir(W[joint], factor, outputs)
        if kept.any():
            found[piece.fold, joint] = triangle(rows[kept], y[kept, joint], places)
    return found


def _run(stream: Stream, piece: Piece, first: int, last: int) -> Run | str:
    """The samples of a piece as a run at the joints; or what is wrong with them."""
    reading, subject = stream.reading, stream.subject
    table = read_rows(Path(piece.file), first, last)
    chosen, scales = (known(reading.get(name), name) for name in ("columns", "units"))
    raw = of_columns(subject, table, chosen, piece.file, scales)
    channels = {name: converted(x, name, scales.get(name)) for name, x in raw.items()}
    channels |= {"quat": without_flips(channels["quat"])} if "quat" in channels else {}
    t = channels.pop("t", None)
    uneven = t is not None and np.abs(np.diff(t) - stream.period).max() > 0.5 * stream.period
    if uneven or not all(np.isfinite(x).all() for x in channels.values()):
        return "they have gaps, or no numbers"
    gears = transmission_of(subject, reading.get("transmission")) if reading.get("side") == "motor" else None
    start = first * stream.period if t is None else float(t[0])
    run = at_joints(subject, Run(stream.period, channels, start, piece.file), gears)
    if any(len(jumps(x)) for x in run["q"].T):
        return "positions jump, as those of an encoder that wraps or was reset"
    return closed_runs(subject, [run], None, stream.known)[0][0]


def _mapped(
    stream: Stream, pieces: Sequence[Piece], scheduler: str | None, workers: int
) -> Iterable[dict[Key, Triangle] | str]:
    """The factors of all pieces in their order: by threads, by a local cluster of Dask, or by a scheduler of Dask."""
    if scheduler is None:
        with ThreadPoolExecutor(workers) as pool:
            yield from pool.map(partial(piece_triangles, stream), pieces)
        return
    distributed = needed("distributed", "a cluster", "cluster")
    kept: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    try:
        client = distributed.Client(**kept) if scheduler == "local" else distributed.Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise DataError(f"scheduler {scheduler!r} does not answer ({error})") from None
    with client:
        yield from client.gather(client.map(partial(piece_triangles, stream), pieces))


def merged(stream: Stream, found: Iterable[dict[Key, Triangle] | str]) -> tuple[Triangles, dict[str, int]]:
    """The factors of all pieces, joined as they come; and why how many pieces were left out."""
    parts: dict[Key, Triangle] = {}
    missing: dict[str, int] = {}
    for one in found:
        if isinstance(one, str):
            missing[one] = missing.get(one, 0) + 1
            continue
        for key, new in one.items():
            parts[key] = _joined(parts[key], new) if key in parts else new
    if not parts:
        why = "; ".join(missing) or "files are too short for the filters, or joints stand still"
        raise DataError(f"no row is left of the files: {why}")
    terms = stream.terms
    power = passed_power_of_fir(stream.how.decimation or 1)
    return Triangles(terms.names, stream.subject.row_names, parts, power), missing


def _joined(a: Triangle, b: Triangle) -> Triangle:
    R = np.linalg.qr(np.concatenate([a.R, b.R]), mode="r")
    return Triangle(a.columns, np.asarray(R), a.count + b.count)
