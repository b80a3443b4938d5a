"""Logs as other tools write them: Matlab's version 7.3 and structures, bags with several topics, dates as times."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars
import pytest
from rosbags.rosbag2 import Writer
from rosbags.typesys import Stores, get_typestore
from scipy.io import savemat

import symoro
from support.raised import raised
from symoro.errors import DataError
from symoro.identification.read.table import read_table

T = np.arange(6) / 500
Q = np.column_stack([np.linspace(0, 1, 6), np.linspace(2, -1, 6)])
TAU = Q[:, ::-1] ** 2
JOINTS = ["shoulder", "elbow"]
Message = tuple[str, float, list[str], Any, Any]
"""Topic, stamp (0 for none), joints, positions, efforts."""


def matlab_7_3(path: Path, arrays: Mapping[str, Any]) -> Path:
    """What Matlab writes with -v7.3: HDF5 with the axes in the other order, behind a header of 512 bytes."""
    with h5py.File(path, "w", userblock_size=512) as file:
        _write(file, arrays)
        text = np.frombuffer("élan".encode("utf-16-le"), dtype=np.uint16)
        file.create_dataset("note", data=text).attrs["MATLAB_class"] = np.bytes_("char")
        file.create_dataset("nothing", data=np.array([0, 0])).attrs["MATLAB_empty"] = np.uint8(1)
        file.create_group("#refs#").create_dataset("a", data=np.zeros(3))
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64 HDF5 schema 1.00 .".ljust(116) + bytes(8) + b"\x00\x02IM")
    return path


def _write(group: Any, arrays: Mapping[str, Any]) -> None:
    for name, x in arrays.items():
        if isinstance(x, Mapping):
            _write(group.create_group(name), x)
        else:
            group.create_dataset(name, data=np.atleast_2d(x).T if np.ndim(x) < 2 else np.asarray(x).T)


def assert_same(found: Mapping[str, Any]) -> None:
    wanted = {"t": T, "q1": Q[:, 0], "q2": Q[:, 1], "tau1": TAU[:, 0], "tau2": TAU[:, 1]}
    assert {name: x.tolist() for name, x in found.items()} == {name: x.tolist() for name, x in wanted.items()}


def test_matlab_of_version_7_3(tmp_path: Path) -> None:
    assert_same(read_table(matlab_7_3(tmp_path / "a.mat", {"t": T, "q": Q, "tau": TAU, "gain": 2.0})))
    assert_same(read_table(matlab_7_3(tmp_path / "b.mat", {"log": {"t": T, "q": Q}, "motors": {"tau": TAU}})))


def test_a_damaged_file_of_version_7_3_is_named(tmp_path: Path) -> None:
    path = matlab_7_3(tmp_path / "a.mat", {"q": Q})
    path.write_bytes(path.read_bytes()[:700])
    with raised("recordings.not_matlab", DataError):
        read_table(path)


def test_fields_of_structures_have_their_own_names(tmp_path: Path) -> None:
    savemat(tmp_path / "a.mat", {"log": {"t": T, "q": Q, "tau": TAU, "unit": "rad"}})
    assert_same(read_table(tmp_path / "a.mat"))
    savemat(tmp_path / "b.mat", {"meas": {"t": T, "q": Q}, "ref": {"q": Q}, "tau": TAU})
    assert list(read_table(tmp_path / "b.mat")) == ["t", "meas.q1", "meas.q2", "ref.q1", "ref.q2", "tau1", "tau2"]


def bag(path: Path, messages: list[Message]) -> Path:
    types = get_typestore(Stores.ROS2_HUMBLE)
    state, header, time = (
        types.types[name]
        for name in ("sensor_msgs/msg/JointState", "std_msgs/msg/Header", "builtin_interfaces/msg/Time")
    )
    with Writer(path, version=9) as writer:
        topics = {
            topic: writer.add_connection(topic, state.__msgtype__, typestore=types)
            for topic in dict.fromkeys(topic for topic, *_ in messages)
        }
        for k, (topic, stamp, names, q, tau) in enumerate(messages):
            at = time(sec=int(stamp), nanosec=round(stamp % 1 * 1e9))
            numbers = (np.asarray(x, dtype=float) for x in (q, [], tau))
            data = types.serialize_cdr(state(header(stamp=at, frame_id=""), names, *numbers), state.__msgtype__)
            writer.write(topics[topic], 10**9 + 2_000_000 * k, data)
    return path


def test_joints_of_two_topics_are_told_apart_by_the_topic(tmp_path: Path) -> None:
    """Wanted positions beside measured ones did overwrite them."""
    rows = list(zip(T + 5, Q, TAU, strict=True))
    messages = [(topic, *x) for t, q, tau in rows for topic, *x in (
        ("/joint_states", t, JOINTS, q, tau), ("/commands", t, JOINTS, q + 9, []))]  # fmt: skip
    found = read_table(bag(tmp_path / "two", messages))
    assert found["/joint_states/elbow.position"].tolist() == Q[:, 1].tolist()
    assert found["/commands/elbow.position"].tolist() == (Q[:, 1] + 9).tolist()
    assert found["elbow.effort"].tolist() == TAU[:, 1].tolist()
    with raised("recordings.no_channel_in_columns", DataError):
        symoro.measurements("planar2r", tmp_path / "two")


def test_parts_of_a_robot_in_two_topics_are_joined(tmp_path: Path) -> None:
    messages = [(topic, t + 5, [name], [q[k]], [tau[k]]) for t, q, tau in zip(T, Q, TAU, strict=True)
                for k, (topic, name) in enumerate(zip(("/a", "/b"), JOINTS, strict=True))]  # fmt: skip
    found = read_table(bag(tmp_path / "parts", messages))
    assert found["t"] == pytest.approx(T, abs=1e-9)
    assert found["shoulder.position"].tolist() == Q[:, 0].tolist()
    assert found["elbow.effort"].tolist() == TAU[:, 1].tolist()


def test_a_clock_that_is_set_back_begins_anew(tmp_path: Path) -> None:
    """Two runs of a simulation with the same stamps."""
    rows = [(t + 100, q, tau) for t, q, tau in zip(T, Q, TAU, strict=True)]
    again = [("/joint_states", t + shift, JOINTS, q + shift, tau) for shift in (5.0, 0.0) for t, q, tau in rows]
    found = read_table(bag(tmp_path / "again", again))
    assert found["t"] == pytest.approx([*(T + 5), *T], abs=1e-6)
    assert found["elbow.position"].tolist() == [*(Q[:, 1] + 5), *Q[:, 1]]


def test_messages_without_a_stamp_have_the_time_of_receipt(tmp_path: Path) -> None:
    messages = [("/joint_states", 0.0, JOINTS, q, tau) for q, tau in zip(Q, TAU, strict=True)]
    assert read_table(bag(tmp_path / "none", messages))["t"] == pytest.approx(T, abs=1e-9)


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "zone.csv", "duration.parquet"])
def test_dates_are_seconds_from_the_first_row(name: str, tmp_path: Path) -> None:
    first = datetime(2026, 3, 1, 23, 59, 59, 996_000)
    dates = [first + timedelta(seconds=t) for t in T]
    times: list[Any] = [d - first for d in dates] if "duration" in name else dates
    frame = polars.DataFrame({"timestamp": times, "q1": Q[:, 0]})
    if name.endswith("parquet"):
        frame.write_parquet(tmp_path / name)
    else:
        zone = "+01:00" if "zone" in name else ""
        rows = [f"{d.isoformat(sep=' ')}{zone},{q}" for d, q in zip(dates, Q[:, 0], strict=True)]
        (tmp_path / name).write_text("\n".join(["timestamp,q1", *rows]), encoding="utf-8")
    found = read_table(tmp_path / name)
    assert found["timestamp"] == pytest.approx(T, abs=1e-6)
    assert found["q1"].tolist() == Q[:, 0].tolist()
