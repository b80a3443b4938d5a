"""Every format gives the same columns; files that are none end in errors."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import Writer as Writer2
from rosbags.typesys import Stores, get_typestore
from scipy.io import savemat

from support.raised import raised
from symoro.errors import DataError
from symoro.identification.read.table import read_table

TABLE = {"t": np.arange(5) / 100, "q1": np.linspace(0, 1, 5), "tau1": np.array([1.0, -2.0, 3.5, 4.0, 5.25])}


def text(path: Path, opener: Callable[..., Any] = open, separator: str = ",") -> Path:
    rows = "\n".join(separator.join(f"{x:.17g}" for x in row) for row in zip(*TABLE.values(), strict=True))
    with opener(path, "wt", encoding="utf-8") as file:
        file.write(separator.join(TABLE) + "\n" + rows + "\n")
    return path


WRITERS: dict[str, Callable[[Path], Any]] = {
    "a.csv": text,
    "a.tsv": lambda path: text(path, separator="\t"),
    "a.txt": lambda path: text(path, separator=";"),
    "a.csv.gz": lambda path: text(path, gzip.open),
    "a.csv.xz": lambda path: text(path, lzma.open),
    "a.npz": lambda path: np.savez(path, t=TABLE["t"], q=TABLE["q1"][:, None], tau1=TABLE["tau1"]),
    "a.npy": lambda path: np.save(path, np.rec.fromarrays(list(TABLE.values()), names=list(TABLE))),
    "a.mat": lambda path: savemat(path, {**TABLE, "note": "text", "gain": 2.0}),
    "a.parquet": lambda path: polars.DataFrame(TABLE).write_parquet(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_columns(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    found = read_table(tmp_path / name)
    found = {"q1" if key == "q" else key: column for key, column in found.items()}
    assert {key: column.tolist() for key, column in found.items() if key in TABLE} == {
        key: column.tolist() for key, column in TABLE.items()
    }


@pytest.mark.parametrize("version", [1, 2])
def test_bags_of_ros_give_the_joints_by_name(version: int, tmp_path: Path) -> None:
    types = get_typestore(Stores.ROS1_NOETIC if version == 1 else Stores.ROS2_HUMBLE)
    path = tmp_path / ("a.bag" if version == 1 else "bag")
    state = types.types["sensor_msgs/msg/JointState"]
    header, time = types.types["std_msgs/msg/Header"], types.types["builtin_interfaces/msg/Time"]
    writer = Writer1(path) if version == 1 else Writer2(path, version=9)
    with writer:
        topic = writer.add_connection("/joint_states", state.__msgtype__, typestore=types)
        for k, (t, q, tau) in enumerate(zip(*TABLE.values(), strict=True)):
            stamp = time(sec=1_700_000_000, nanosec=round(t * 1e9))
            fields = {"seq": k} if version == 1 else {}
            numbers = [np.array([x]) for x in (q, 0.0, tau)]
            message = state(header(stamp=stamp, frame_id="", **fields), ["elbow"], *numbers)
            data = types.serialize_ros1(message, state.__msgtype__) if version == 1 else None
            data = data or types.serialize_cdr(message, state.__msgtype__)
            writer.write(topic, 1_700_000_000_000_000_000 + round(t * 1e9), data)
    found = read_table(path)
    assert np.allclose(found["t"], TABLE["t"], atol=1e-12)
    assert found["elbow.position"].tolist() == TABLE["q1"].tolist()
    assert found["elbow.effort"].tolist() == TABLE["tau1"].tolist()


def test_cells_that_are_no_numbers_become_nan(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t,q1\n0,1\n1,error\n2\n", encoding="utf-8")
    found = read_table(tmp_path / "a.csv")
    assert np.isnan(found["q1"]).tolist() == [False, True, True]


def test_a_missing_file_is_named() -> None:
    with raised("recordings.no_file", DataError):
        read_table("nothing.csv")
