"""Generated packages test themselves, and the demonstration runs from start to end."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.arms import ARMS
from support.tools import COMPILER, CPLUSPLUS, needs_cmake, needs_compiler, needs_fortran
from symoro import gravity, inverse_dynamics, inverse_geometry, load

ROOT = Path(__file__).parents[2]


@needs_compiler
@pytest.mark.parametrize(
    "words",
    [
        ("stanford", "idm"),
        ("stanford", "forward_geometry", "-o", "link=6"),
        ("stanford", "trm", "-o", "i=2", "-o", "j=5"),
        ("five-bar", "ddm"),
        ("flexible-arm", "ddm"),
        ("flexible-joints", "idm", "-o", "params=base"),
        ("satellite", "idm"),
        ("diff-drive-2r", "ddm"),
    ],
    ids=" ".join,
)
def test_generated_c_passes_its_self_test(symoro, tmp_path, words):
    done = symoro("generate", *words[:2], "--target", "c", "--out", tmp_path, *words[2:])
    paths = [Path(line) for line in done.out.splitlines()]
    assert done.status == 0
    assert all(path.exists() for path in paths)
    sources = [path for path in paths if path.suffix == ".c" and path.name != "main.c"]
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run([COMPILER, *flags, "-o", tmp_path / "selftest", *sources, "-lm"], check=True)
    subprocess.run([tmp_path / "selftest"], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.long
@needs_compiler
@pytest.mark.parametrize(
    "name", ["puma560", "rx90", "stanford", "scara", "ur5", "kr6-like", "youbot-like", "generic-shoulder"]
)
def test_inverse_geometry_in_c_passes_its_self_test(tmp_path, name):
    ik = inverse_geometry(ARMS[name] if name in ARMS else load(name))
    sources = [path for path in ik.emit("c", tmp_path) if path.suffix == ".c" and path.name != "main.c"]
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run([COMPILER, *flags, "-o", tmp_path / "selftest", *sources, "-lm"], check=True)
    subprocess.run([tmp_path / "selftest"], check=True, stdout=subprocess.DEVNULL)


CONSUMER = """
cmake_minimum_required(VERSION 3.14)
project(consumer C CXX)
set(CMAKE_CXX_STANDARD 14)
find_package({name} REQUIRED)
add_executable(consumer {source})
target_link_libraries(consumer {name}::{name})
"""


@needs_compiler
@needs_cmake
@pytest.mark.parametrize(("target", "ending"), [("c", "c"), ("cpp", "cpp")])
def test_generated_code_builds_with_cmake_and_is_found_where_it_is_installed(symoro, tmp_path, target, ending):
    symoro("generate", "planar2r", "idm", "--target", target, "--out", tmp_path / "idm")
    build, there, other = tmp_path / "build", tmp_path / "there", tmp_path / "other"
    other.mkdir()
    shutil.copy(tmp_path / "idm" / f"main.{ending}", other)
    text = CONSUMER.format(name="planar2r_inverse_dynamics", source=f"main.{ending}")
    (other / "CMakeLists.txt").write_text(text)
    for command in (
        ["cmake", "-S", tmp_path / "idm", "-B", build],
        ["cmake", "--build", build],
        ["ctest", "--test-dir", build],
        ["cmake", "--install", build, "--prefix", there],
        ["cmake", "-S", other, "-B", other / "build", f"-DCMAKE_PREFIX_PATH={there}"],
        ["cmake", "--build", other / "build"],
    ):
        subprocess.run(command, check=True, capture_output=True)
    assert "GAM" in subprocess.check_output([other / "build" / "consumer"], text=True)


@needs_compiler
@pytest.mark.parametrize("name", ["puma560", "satellite"])
def test_the_readme_bounds_the_stack_of_generated_c(tmp_path, name):
    inverse_dynamics(name).emit("c", tmp_path)
    (said,) = re.findall(r"at most (\d+) bytes of stack", (tmp_path / "README.md").read_text())
    code = f"{name}_inverse_dynamics.c"
    subprocess.run(["gcc", "-O0", "-std=c99", "-fstack-usage", "-c", code], cwd=tmp_path, check=True)
    used = [int(line.split("\t")[1]) for path in tmp_path.glob("*.su") for line in path.read_text().splitlines()]
    assert max(used) <= int(said) < 4 * max(used)


@needs_fortran
@pytest.mark.parametrize("name", ["puma560", "five-bar"])
def test_generated_fortran_has_no_warnings(tmp_path, name):
    inverse_dynamics(name).emit("fortran", tmp_path)
    flags = ["-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wcompare-reals", "-Werror"]
    for program in ("selftest", "main"):
        command = [
            "gfortran",
            *flags,
            f"{name.replace('-', '_')}_inverse_dynamics.f90",
            f"{program}.f90",
            "-o",
            program,
        ]
        subprocess.run(command, cwd=tmp_path, check=True)


def test_generated_python_passes_its_self_test(symoro, tmp_path):
    done = symoro("generate", "scara", "idm", "--target", "python", "--out", tmp_path)
    (selftest,) = [path for path in done.out.splitlines() if path.endswith("selftest.py")]
    subprocess.run([sys.executable, "-W", "error", selftest], check=True, capture_output=True, cwd=tmp_path)


def demo(folder: Path, path: str, *robot: str) -> str:
    command = [sys.executable, "-W", "error", ROOT / "examples" / "demo.py", folder, *robot]
    return subprocess.check_output(command, text=True, env={**os.environ, "PATH": path})


@pytest.mark.long
@needs_compiler
def test_the_demonstration(tmp_path):
    out = demo(tmp_path / "demo", os.environ["PATH"])
    assert "Unimation PUMA 560" in out
    assert "inverse_dynamics" in out
    equations = [line[2:].split(" = ") for line in out.splitlines() if re.match(r"[* ] \w+ = [^=]*$", line)]
    assert len(equations) == 30
    known = {f"{letter}{n}" for letter in ("q", "QP", "QDP", "XX", "YY", "ZZ") for n in range(1, 7)} | {"sin", "cos"}
    for left, right in equations:
        assert set(re.findall(r"[A-Za-z]\w*", right)) <= known, "a variable is used before it is defined"
        known.add(left)
    assert "Self-test passed.\n" in out
    assert (tmp_path / "demo" / "CMakeLists.txt").exists()
    for name in ("robot.svg", "torques.svg"):
        assert ElementTree.parse(tmp_path / "demo" / name).getroot().tag.endswith("svg")


def test_the_demonstration_without_a_compiler(tmp_path):
    out = demo(tmp_path / "demo", "", "planar2r")
    assert "Self-test skipped: there is no C compiler here" in out


def test_the_demonstration_without_matplotlib(tmp_path):
    code = "import runpy, sys; sys.modules['matplotlib.figure'] = None; sys.argv = sys.argv[1:]; "
    code += "runpy.run_path(sys.argv[0], run_name='__main__')"
    command = [sys.executable, "-c", code, str(ROOT / "examples" / "demo.py"), str(tmp_path / "demo"), "planar2r"]
    out = subprocess.check_output(command, text=True)
    assert "No pictures: pictures need matplotlib, which is not installed: pip install 'symoro[plot]'" in out


@pytest.mark.long
def test_the_documentation_is_built_without_a_warning(tmp_path):
    command = [sys.executable, ROOT / "docs" / "build.py", tmp_path / "site"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    written = {path.stem for path in (ROOT / "docs").glob("**/*.md")}
    built = {path.stem for path in (tmp_path / "site").glob("**/*.html")}
    assert built >= written | {"models", "api", "notation", "cli-reference"}
    assert "inverse_dynamics" in (tmp_path / "site" / "models.html").read_text(encoding="utf-8")
    assert (tmp_path / "site" / "_images" / "arm.svg").exists()


def scaling(*sizes: int) -> str:
    command = [sys.executable, ROOT / "benchmarks" / "scaling.py", *map(str, sizes)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout


def test_the_benchmark_of_building_runs():
    assert "time grows as n^" in scaling(5, 10)


@pytest.mark.long
def test_building_is_near_linear_and_small():
    out = scaling(20, 50, 100, 200)
    rows = [line.split() for line in out.splitlines() if line.split()[0].isdigit() and len(line.split()) == 7]
    assert float(out.partition("n^")[2].split()[0]) < 1.5
    assert max(float(megabytes) for _, _, _, megabytes, *_ in rows) < 1000


def test_several_models_become_one_package(symoro, tmp_path):
    words = ("planar2r", "idm", "ddm", "jacobian", "-o", "link=1")
    done = symoro("generate", *words, "--target", "javascript", "--out", tmp_path, "--json")
    assert [row["model"] for row in json.loads(done.out)["models"]] == [
        "inverse_dynamics",
        "direct_dynamics",
        "jacobian",
    ]
    ran = subprocess.run(["node", "selftest.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.count("passed") == 3
    assert "planar2r_jacobian_link1" in ran.stdout


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("idm", "gravity", "-o", "link=1"), "none of the models has it"),
        (("idm", "gravity", "--derivative", "q"), "give one name"),
        (("idm", "--precision", "half"), "allowed: double, float"),
        (("idm", "--target", "matlab", "--precision", "float"), "float is for: c, fortran, rust"),
    ],
)
def test_bad_requests_write_nothing(symoro, tmp_path, words, hint):
    done = symoro("generate", "planar2r", *words, "--out", tmp_path / "new")
    assert done.status != 0
    assert hint in done.err
    assert not (tmp_path / "new").exists()


@needs_compiler
@pytest.mark.parametrize("target", ["c", "cpp"])
def test_the_example_of_inverse_geometry_prints_the_branches_that_exist(tmp_path: Path, target: str) -> None:
    files = inverse_geometry("ur5").emit(target, tmp_path)
    sources = [path for path in files if path.suffix in (".c", ".cpp") and "selftest" not in path.name]
    compiler = COMPILER if target == "c" else CPLUSPLUS
    subprocess.run([compiler, "-O0", "-o", tmp_path / "example", *sources, "-lm"], check=True)
    printed = subprocess.run([tmp_path / "example"], check=True, capture_output=True, text=True).stdout
    numbers = {(name, int(i)): float(x) for name, i, x in re.findall(r"(\w+)\[(\d+)\] = (\S+)", printed)}
    valid = {i for (name, i), x in numbers.items() if name == "valid" and x}
    errors = {i: x for (name, i), x in numbers.items() if name.startswith("error")}
    assert 0 < len(valid) < 8
    assert errors.keys() == valid == {i // 6 for name, i in numbers if name == "q"}
    assert max(errors.values()) < 1e-9


@needs_compiler
def test_no_parameters_stand_for_the_numbers_of_the_robot(tmp_path: Path) -> None:
    files = gravity("planar2r").emit("c", tmp_path)
    (header,) = (path for path in files if path.suffix == ".h")
    use = """#include "NAME.h"
    #include <string.h>
    int main(void)
    {
        NAME_setup a, b;
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        NAME_set_up(0, &a);
        NAME_set_up(&NAME_default_parameters, &b);
        return memcmp(&a, &b, sizeof a);
    }"""
    (tmp_path / "use.c").write_text(use.replace("NAME", header.stem), encoding="utf-8")
    sources = [tmp_path / "use.c", header.with_suffix(".c")]
    subprocess.run([COMPILER, "-o", tmp_path / "use", *sources, "-lm"], check=True)
    subprocess.run([tmp_path / "use"], check=True)


@needs_fortran
def test_the_example_of_inverse_geometry_in_fortran_prints_the_branches_that_exist(tmp_path: Path) -> None:
    files = inverse_geometry("ur5").emit("fortran", tmp_path)
    sources = [path for path in files if path.suffix == ".f90" and "selftest" not in path.name]
    ordered = sorted(sources, key=lambda path: path.name == "main.f90")  # the module first
    subprocess.run(["gfortran", "-O0", "-o", tmp_path / "example", *ordered], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "example"], check=True, capture_output=True, text=True).stdout
    errors = [float(x) for x in re.findall(r"error_ of branch\s+\d+\s+=\s+(\S+)", printed)]
    assert 0 < len(errors) < 8
    assert max(errors) < 1e-9
