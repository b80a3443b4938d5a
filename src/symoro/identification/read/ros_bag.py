"""Bags of ROS 1 (.bag) and ROS 2 (a folder, .db3, .mcap): messages sensor_msgs/JointState."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.findings import Finding, Place
from symoro.identification.arrays import needed
from symoro.identification.read.columns import Columns

_KIND = "sensor_msgs/msg/JointState"
_FIELDS = ("position", "velocity", "effort")
_BACK = 10**9
"""Nanoseconds by which a stamp lies before the one before it, where the clock was set back: a new run begins."""
Time = tuple[int, int]
"""How often the clock was set back, and nanoseconds."""
Rows = dict[Time, dict[str, float]]
"""Numbers by the name of their column, for each time."""


def read_bag(file: Path) -> Columns:
    """Columns t, and <joint>.position, <joint>.velocity, <joint>.effort of each joint of the messages JointState.

    Where two topics have the same joints, such as measured and wanted positions, the names begin with the topic:
    /joint_states/<joint>.position.
    """
    highlevel = needed("rosbags.highlevel", Finding("estimates.reading_bags"))
    folder = file.parent if file.suffix == ".db3" or (file.suffix == ".mcap" and _has_metadata(file.parent)) else file
    try:
        with highlevel.AnyReader([folder], default_typestore=_types()) as reader:
            topics = [c for c in reader.connections if c.msgtype == _KIND]
            if not topics:
                kinds = sorted({c.msgtype for c in reader.connections}) or Finding("recordings.none")
                raise DataError("recordings.no_topic", kind=_KIND, kinds=kinds, place=Place(str(file)))
            rows = _joined(_by_topic(reader, topics))
    except DataError:
        raise
    except Exception as error:  # the reader lets errors of every kind pass where bytes are no bag
        raise DataError("recordings.not_bag", reason=str(error), place=Place(str(file))) from None
    first = min((time for _, time in rows), default=0)
    names = dict.fromkeys(name for row in rows.values() for name in row)
    columns = {name: np.array([row.get(name, np.nan) for row in rows.values()]) for name in names}
    return {"t": 1e-9 * np.array([time - first for _, time in rows], dtype=float), **columns}


def _has_metadata(folder: Path) -> bool:
    return (folder / "metadata.yaml").exists()


def _types() -> Any:
    typesys = needed("rosbags.typesys", Finding("estimates.reading_bags"))
    return typesys.get_typestore(typesys.Stores.LATEST)


def _by_topic(reader: Any, topics: list[Any]) -> dict[str, Rows]:
    """The rows of each topic: messages of one stamp are joined, as drivers send some joints by a message of their own.

    A message without a stamp belongs to the time at which it was received.
    """
    topics_rows: dict[str, Rows] = {}
    last: dict[str, Time] = {}
    for connection, received, raw in reader.messages(connections=topics):
        message = reader.deserialize(raw, connection.msgtype)
        topic, stamp = connection.topic, message.header.stamp
        last[topic] = _behind(last.get(topic, (0, 0)), stamp.sec * 10**9 + stamp.nanosec or received)
        row = topics_rows.setdefault(topic, {}).setdefault(last[topic], {})
        for field in _FIELDS:
            values = zip(message.name, getattr(message, field), strict=False)
            row |= {f"{name}.{field}": float(x) for name, x in values}
    return topics_rows


def _behind(last: Time, nanoseconds: int) -> Time:
    """The time of a message behind another one: a clock that is set back begins a new run."""
    resets, before = last
    return resets + (nanoseconds < before - _BACK), nanoseconds


def _joined(topics: dict[str, Rows]) -> Rows:
    """The rows of all topics in the order of time; columns that several topics have get the name of their topic."""
    has = [{name for row in rows.values() for name in row} for rows in topics.values()]
    shared = {name for columns in has for name in columns if sum(name in other for other in has) > 1}
    rows_of_all: Rows = {}
    for topic, rows in topics.items():
        for time, row in rows.items():
            columns = {f"{topic}/{name}" if name in shared else name: x for name, x in row.items()}
            rows_of_all.setdefault(time, {}).update(columns)
    return dict(sorted(rows_of_all.items()))
