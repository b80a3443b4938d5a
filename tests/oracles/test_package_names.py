"""Names: packages of several models in one program do not clash, and no name is one that a language reserves."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import symoro
from support.packages import missing_tools
from support.raised import raised
from support.small_programs import reserved_words
from symoro.emit import Source, emit_all, target, targets
from symoro.emit.package import Package, package
from symoro.solve.given import model

MODELS = ("inverse_dynamics", "gravity")
#: A program that calls two packages; it prints what both give for the arm that lies along x, at rest.
USERS = {
    "c": """
#include "planar2r_inverse_dynamics.h"
#include "planar2r_gravity.h"
#include <stdio.h>
int main(void)
{
    const double zero[2] = { 0.0, 0.0 };
    double one[2], two[2];
    planar2r_inverse_dynamics_parameters first = planar2r_inverse_dynamics_default_parameters;
    planar2r_gravity_parameters second = planar2r_gravity_default_parameters;
    planar2r_inverse_dynamics_setup a;
    planar2r_gravity_setup b;
    planar2r_inverse_dynamics_set_up(&first, &a);
    planar2r_gravity_set_up(&second, &b);
    planar2r_inverse_dynamics(&a, zero, zero, zero, NULL, one);
    planar2r_gravity(&b, zero, two);
    printf("%.15g %.15g %.15g %.15g\\n", one[0], one[1], two[0], two[1]);
    return 0;
}
""",
    "cpp": """
#include "planar2r_inverse_dynamics.hpp"
#include "planar2r_gravity.hpp"
#include <cstdio>
int main()
{
    const double zero[2] = { 0.0, 0.0 };
    const planar2r_inverse_dynamics::planar2r_inverse_dynamics_default_wrench<double> none;
    double one[2], two[2];
    const auto a = planar2r_inverse_dynamics::planar2r_inverse_dynamics_set_up<double>();
    const auto b = planar2r_gravity::planar2r_gravity_set_up<double>();
    planar2r_inverse_dynamics::planar2r_inverse_dynamics(a, zero, zero, zero, none, one);
    planar2r_gravity::planar2r_gravity(b, zero, two);
    std::printf("%.15g %.15g %.15g %.15g\\n", one[0], one[1], two[0], two[1]);
}
""",
    "fortran": """
program both
    use planar2r_inverse_dynamics_module
    use planar2r_gravity_module
    implicit none
    integer, parameter :: wp = planar2r_gravity_real
    type(planar2r_inverse_dynamics_parameters) :: first
    type(planar2r_gravity_parameters) :: second
    type(planar2r_inverse_dynamics_setup) :: a
    type(planar2r_gravity_setup) :: b
    real(wp) :: zero(2), one(2), two(2)
    zero = 0
    call planar2r_inverse_dynamics_set_up(first, a)
    call planar2r_gravity_set_up(second, b)
    call planar2r_inverse_dynamics(a, zero, zero, zero, one)
    call planar2r_gravity(b, zero, two)
    print '(4(es24.16))', one, two
end program
""",
}
COMMANDS = {
    "c": "cc -Wall -Werror -I. *gravity.c *dynamics.c user.c -lm -o user",
    "cpp": "c++ -std=c++14 -Wall -Werror -I. user.cpp -o user",
    "fortran": "gfortran -Wall -Werror *gravity.f90 *dynamics.f90 user.f90 -o user",
}


@pytest.mark.parametrize("language", USERS)
def test_two_packages_in_one_program(language: str, tmp_path: Path) -> None:
    if missing := missing_tools(target(language)):
        pytest.skip(f"there is no {', '.join(missing)}")
    for name in MODELS:
        files = model(name, "planar2r").emit(language, tmp_path / name)
        code = next(f for f in files if f.suffix == target(language).suffix)
        for file in (code, code.with_suffix(".h")):
            if file.exists():
                (tmp_path / file.name).write_bytes(file.read_bytes())
    suffix = {"c": ".c", "cpp": ".cpp", "fortran": ".f90"}[language]
    (tmp_path / f"user{suffix}").write_text(USERS[language])
    subprocess.run(COMMANDS[language], shell=True, cwd=tmp_path, check=True)
    said = subprocess.run(tmp_path / "user", capture_output=True, text=True, check=True).stdout
    first, second, third, fourth = map(float, said.split())
    assert first == pytest.approx(third, rel=1e-14)
    assert second == pytest.approx(fourth, rel=1e-14)
    assert first > second > 0


def names_of(made: Package) -> list[str]:
    """Every name that the code of one function has, in one namespace."""
    (function,) = made.functions
    names = [a.name for a in (*function.inputs, *function.outputs)]
    names += [f.name for f in function.parameters]
    for routine in (function.setup, function.main):
        names += [load.name for load in routine.loads if load.array]
        names += [name for line in routine.lines for name in line.names if name]
    return names


@pytest.mark.parametrize("language", [name for name in targets() if target(name).check])
@pytest.mark.parametrize("function", ["end", "I", "lambda", "module", "GAM", "x" * 80])
def test_names_are_legal_and_differ(language: str, function: str) -> None:
    spelling = target(language)
    made = package([Source(reserved_words(), function)], spelling)
    fold = str if spelling.case_sensitive else str.casefold
    names = [fold(name) for name in (*names_of(made), made.name)]
    assert len(set(names)) == len(names)
    assert not {name for name in names if name in {fold(word) for word in spelling.reserved}}
    assert max(map(len, names)) <= spelling.longest
    assert all(name.replace("_", "").replace(spelling.joint, "").isalnum() for name in names)


#: Names of robots that are modules of Python, headers of C, or files of every package.
HIDING = {
    "python": ("platform", "math", "json", "test", "numpy", "selftest", "class"),
    "jax": ("jax", "scipy"),
    "c": ("math", "stdio", "string", "main", "selftest", "nul", "Aux"),
    "cpp": ("std", "remove", "namespace"),
    "rust": ("test", "core", "fn"),
}


@pytest.mark.parametrize(("language", "name"), [(language, name) for language in HIDING for name in HIDING[language]])
def test_a_package_hides_nothing_that_its_language_needs(language: str, name: str) -> None:
    made = package([Source(reserved_words(), "a"), Source(reserved_words(), "b")], target(language), name)
    assert made.name == f"{name}_model"
    alone = package([Source(reserved_words(), name)], target(language))
    assert alone.name == alone.functions[0].name == f"{name}_model"


@pytest.mark.parametrize(("language", "name"), [("python", "platform"), ("c", "math"), ("cpp", "remove")])
def test_a_package_of_a_hiding_name_passes_its_self_test(language: str, name: str, tmp_path: Path) -> None:
    robot = replace(symoro.load("planar2r"), name=name)
    symoro.generate([symoro.gravity(robot), symoro.jacobian(robot, 2)], language, tmp_path)
    command = target(language).check.format(name=f"{name}_model").replace("python", sys.executable)
    done = subprocess.run(command.replace("cc ", "cc -I. "), shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "passed" in done.stdout


def test_two_functions_of_one_name_are_refused(tmp_path: Path) -> None:
    twice = [Source(reserved_words(), "same"), Source(reserved_words(), "same")]
    with raised("targets.same_name", symoro.errors.TargetError):
        emit_all(twice, "c", tmp_path)
    assert not list(tmp_path.iterdir())


def test_precisions_that_a_language_has_not_are_refused(tmp_path: Path) -> None:
    source = [Source(reserved_words(), "words")]
    with raised("targets.precision", symoro.errors.TargetError):
        emit_all(source, "c", tmp_path, precision="half")
    with raised("targets.double_only", symoro.errors.TargetError):
        emit_all(source, "matlab", tmp_path, precision="float")
    assert not list(tmp_path.iterdir())
