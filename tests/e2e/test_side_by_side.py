"""Models that differ in their options have names that differ: they are used in one program, in C and in Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symoro
from support.tools import COMPILER, needs_compiler

FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
PROGRAM = """
#include <stdio.h>
{includes}
int main(void)
{{
    const double q[6] = {{0.1, -0.2, 0.3, 0.4, -0.5, 0.6}};
    double result[36];
{calls}
    return 0;
}}
"""


def models() -> list[symoro.Model]:
    """Of one robot: two links, two frames, two sets of parameters, two forms, a derivative and folded numbers."""
    three = symoro.jacobian("puma560", 3)
    standard = symoro.gravity("puma560")
    return [
        three,
        symoro.jacobian("puma560", 6),
        symoro.jacobian("puma560", 6, frame=6),
        standard,
        symoro.gravity("puma560", params="base"),
        symoro.gravity("puma560", optimize=False),
        symoro.gravity("puma560", method="lagrange"),
        standard.derivative("q"),
        standard.specialize({"M6": 2}),
        standard.specialize({"M6": 3}),
    ]


def names(made: list[symoro.Model], folder: Path, target: str) -> list[Path]:
    """The main source of each model, each in a folder of its own."""
    suffix = {"c": ".c", "python": ".py"}[target]
    return [next(path for path in model.emit(target, folder / model.label) if path.suffix == suffix) for model in made]


def test_labels_differ_and_say_what_differs() -> None:
    labels = [model.label for model in models()]
    assert len(set(labels)) == len(labels)
    assert labels[:5] == [
        "puma560_jacobian_link3",
        "puma560_jacobian_link6",
        "puma560_jacobian_link6_frame6",
        "puma560_gravity",
        "puma560_gravity_params_base",
    ]


@pytest.mark.parametrize(
    "options", [{}, {"params": "standard"}, {"method": "auto"}, {"optimize": True}, {"optimize": "fast"}]
)
def test_defaults_are_not_in_the_label(options: dict[str, object]) -> None:
    assert symoro.inverse_dynamics("planar2r", **options).label == "planar2r_inverse_dynamics"


def test_a_closed_configuration_and_a_named_frame_are_in_the_label() -> None:
    q = symoro.loop_geometry("four-bar").compile()(0.3)
    assert symoro.inverse_dynamics("four-bar", at=tuple(q)).label.startswith("four-bar_inverse_dynamics_at_")
    robot = symoro.Robot.from_dh([(0, 0, 1, 0)], "arm")
    assert symoro.jacobian(robot, "flange").label == "arm_jacobian_link_flange"


@needs_compiler
def test_models_of_one_robot_link_into_one_c_program(tmp_path: Path) -> None:
    made = models()
    sources = names(made, tmp_path, "c")
    assert len({source.name for source in sources}) == len(made)
    calls = [call(source.stem, model) for source, model in zip(sources, made, strict=True)]
    includes = "\n".join(f'#include "{source.with_suffix(".h")}"' for source in sources)
    (tmp_path / "main.c").write_text(PROGRAM.format(includes=includes, calls="\n".join(calls)), encoding="utf-8")
    command = [COMPILER, *FLAGS, "-o", tmp_path / "all", tmp_path / "main.c", *sources, "-lm"]
    subprocess.run(command, check=True)
    lines = subprocess.check_output([tmp_path / "all"], text=True).splitlines()
    q = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6])
    for line, model in zip(lines, made, strict=True):
        wanted = np.ravel(model.compile()(q))
        np.testing.assert_allclose(np.array(line.split(), dtype=float), wanted, rtol=1e-12, atol=1e-12)


def call(name: str, model: symoro.Model) -> str:
    """C code that computes a model and prints its elements."""
    ((_, shape),) = model.outputs.items()
    return f"""    {{
        {name}_setup setup;
        {name}_set_up(&{name}_default_parameters, &setup);
        {name}(&setup, q, result);
        for (int i = 0; i < {int(np.prod(shape))}; i++)
            printf("%.17g ", result[i]);
        printf("\\n");
    }}"""


def test_models_of_one_robot_are_imported_side_by_side(tmp_path: Path) -> None:
    made = models()
    for model in made:
        model.emit("python", tmp_path)  # one folder for all
    modules = [model.label for model in made]
    code = f"import {', '.join(modules)}\nfor m in ({', '.join(modules)},):\n    f = getattr(m, m.__name__)\n"
    code += "    print(*f([0.1, -0.2, 0.3, 0.4, -0.5, 0.6]).ravel())\n"
    lines = subprocess.check_output([sys.executable, "-W", "error", "-c", code], cwd=tmp_path, text=True).splitlines()
    q = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6])
    for line, model in zip(lines, made, strict=True):
        wanted = np.ravel(model.compile()(q))
        np.testing.assert_allclose(np.array(line.split(), dtype=float), wanted, rtol=1e-12, atol=1e-12)


NULL = """
#include <stddef.h>
#include <stdio.h>
#include "{header}"
int main(void)
{{
    const double q[2] = {{0.1, 0.2}}, qd[2] = {{0.3, 0.4}}, qdd[2] = {{0.5, 0.6}};
    double GAM[2];
    {name}_setup setup;
    {name}_set_up(&{name}_default_parameters, &setup);
    {name}(&setup, q, qd, qdd, NULL, GAM);
    printf("%.17g %.17g\\n", GAM[0], GAM[1]);
    return 0;
}}
"""


@needs_compiler
def test_a_wrench_may_be_null(tmp_path: Path) -> None:
    model = symoro.inverse_dynamics("planar2r")
    (source,) = names([model], tmp_path, "c")
    header = source.with_suffix(".h")
    assert "NULL stands for zero" in header.read_text(encoding="utf-8")
    (tmp_path / "main.c").write_text(NULL.format(header=header, name=source.stem), encoding="utf-8")
    subprocess.run([COMPILER, *FLAGS, "-o", tmp_path / "null", tmp_path / "main.c", source, "-lm"], check=True)
    found = subprocess.check_output([tmp_path / "null"], text=True).split()
    wanted = model.compile()([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])
    np.testing.assert_allclose(np.array(found, dtype=float), wanted, rtol=1e-12)


def test_the_header_says_what_it_is_made_of(tmp_path: Path) -> None:
    model = symoro.inverse_dynamics("stanford", params="base").specialize({"M6": 2})
    (source,) = names([model], tmp_path, "c")
    text = source.with_suffix(".h").read_text(encoding="utf-8")
    assert f"Generated by symoro {symoro.__version__}: inverse_dynamics of stanford" in text
    assert "Options: params=base, method=auto, optimize=True" in text
    assert "Numbers in the code: M6=2" in text
    assert "params base, M6 = 2 (" in text
    assert "@param[out] GAM torque of each motor [N·m or N], shape (6,)" in text
    assert "@param q position of each joint [rad or m], shape (6,)" in text
