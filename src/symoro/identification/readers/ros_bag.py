"""Bags of ROS 1 (.bag) and ROS 2 (a folder, .db3, .mcap): messages sensor_msgs/JointState."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.identification.extras import needed
from symoro.identification.readers.columns import Columns

_KIND = "sensor_msgs/msg/JointState"
_FIELDS = ("position", "velocity", "effort")


def read_bag(file: Path) -> Columns:
    """Columns t, and <joint>.position, <joint>.velocity, <joint>.effort of each joint of the messages JointState."""
    highlevel = needed("rosbags.highlevel", "reading bags of ROS")
    folder = file.parent if file.suffix == ".db3" or (file.suffix == ".mcap" and _has_metadata(file.parent)) else file
    try:
        with highlevel.AnyReader([folder], default_typestore=_types()) as reader:
            topics = [c for c in reader.connections if c.msgtype == _KIND]
            if not topics:
                found = ", ".join(sorted({c.msgtype for c in reader.connections})) or "none"
                raise DataError(f"{file}: no topic has messages {_KIND} (found: {found})")
            rows = list(_rows(reader, topics))
    except DataError:
        raise
    except Exception as error:  # the reader lets errors of every kind pass where bytes are no bag
        raise DataError(f"{file}: this is not a bag of ROS ({error})") from None
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: np.array([row.get(name, np.nan) for row in rows]) for name in names}


def _has_metadata(folder: Path) -> bool:
    return (folder / "metadata.yaml").exists()


def _types() -> Any:
    typesys = needed("rosbags.typesys", "reading bags of ROS")
    return typesys.get_typestore(typesys.Stores.LATEST)


def _rows(reader: Any, topics: list[Any]) -> Iterator[dict[str, float]]:
    """A row for each time: messages of one stamp are joined, as drivers send some joints by a message of their own."""
    rows: dict[int, dict[str, float]] = defaultdict(dict)
    for connection, received, raw in reader.messages(connections=topics):
        message = reader.deserialize(raw, connection.msgtype)
        stamp = message.header.stamp
        nanoseconds = stamp.sec * 10**9 + stamp.nanosec or received
        for field in _FIELDS:
            values = zip(message.name, getattr(message, field), strict=False)
            rows[nanoseconds] |= {f"{name}.{field}": float(x) for name, x in values}
    first = min(rows, default=0)
    for nanoseconds, row in rows.items():
        yield {"t": 1e-9 * (nanoseconds - first), **row}
