"""Problems of descriptions are found with file and line, in both formats."""

from __future__ import annotations

from pathlib import Path

import pytest
import sympy

import symoro
from support.raised import raised
from symoro.bind.binding import bind
from symoro.errors import FormatError, RobotError, SymoroError
from symoro.findings import Finding
from symoro.formats import read, write
from symoro.ir.graph import Graph
from symoro.robot.check import check
from symoro.robot.values import as_value, evaluate, parse, symbols, to_text

TOML = """format = 1
name = "arm"
coupling = [[1, 0], [0, 1]]
[[joints]]
inertia = "symbolic"
[[joints]]
d = "L"
inertia = {ZZ = "ZZ2", M = 1}
[values]
L = 0.5
"""


def problems(path: Path) -> list[Finding]:
    """All problems of a file, whether it can be read or not."""
    try:
        return list(read(path).problems)
    except FormatError as error:
        return list(error.problems)


@pytest.mark.parametrize(
    ("before", "after", "line", "message"),
    [
        ('d = "L"', 'd = "L/(b - b)"', 7, "joint 2: d = L/(b - b): division by zero in L/(b - b)"),
        ('d = "L"', 'd = "L + 1/cos(pi/2)"', 7, "joint 2: d = L + 1/cos(pi/2): division by zero in 1/cos(pi/2)"),
        ('d = "L"', 'd = "L*sqrt(-1)"', 7, "joint 2: d = L*sqrt(-1): sqrt(-1) cannot be evaluated"),
        ('d = "L"', 'd = "9**9**9"', 7, "joint 2: d = 9^9^9: the exponent 9^9 is not allowed (allowed: whole and half"),
        ('d = "L"', 'd = "2^L"', 7, "joint 2: d = 2^L: the exponent L is not a number"),
        ('d = "L"', 'd = "sqrt(L - 1)"', 7, "joint 2: d = sqrt(L - 1): sqrt(L - 1) cannot be evaluated"),
        ('ZZ = "ZZ2"', 'ZZ = "acos(2)"', 8, "joint 2: ZZ = acos(2): acos(2) cannot be evaluated"),
        ('ZZ = "ZZ2"', 'XX = "XX2", ZZ = -1', 8, "joint 2: ZZ of its link is negative: -1"),
        ("L = 0.5", 'L = "sqrt(-1)"', 10, "L = sqrt(-1) cannot be evaluated"),
        ("[[1, 0], [0, 1]]", "[[1, 2], [2, 4]]", 3, "the coupling of motors and joints is singular"),
        ("[[1, 0], [0, 1]]", '[["N", "N"], ["N", "N"]]', 3, "the coupling of motors and joints is singular"),
        ('name = "arm"', 'name = "a\\u0000b"', 2, "the name 'a\\x00b' has a control character"),
        ('d = "L"', 'd = "L"\nname = "a\\u000Ab"', 8, "joint 2: its name 'a\\nb' has a control character"),
        (
            'd = "L"',
            'd = "L"\ntheta = "2*q1"\nactuated = true',
            9,
            "joint 2: it follows other joints",
        ),
    ],
)
def test_toml(tmp_path: Path, before: str, after: str, line: int, message: str) -> None:
    assert TOML.count(before) == 1
    path = tmp_path / "arm.toml"
    path.write_text(TOML.replace(before, after), encoding="utf-8")
    found = [str(problem) for problem in problems(path)]
    assert [text for text in found if text.startswith(f"{path}:{line}: {message}")], found


def test_the_text_itself_has_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(TOML, encoding="utf-8")
    assert problems(path) == []


@pytest.mark.parametrize(
    ("before", "after", "key", "message"),
    [
        ("d = {0,D2", "d = {0,D2/(b - b)", "d", "joint 2: d = D2/(b - b): division by zero"),
        ("ZZ = {ZZ1", "ZZ = {-1", "ZZ", "joint 1: ZZ of its link is negative: -1"),
        ("XX = {XX1", "XX = {sqrt(-1)", "XX", "joint 1: XX = sqrt(-1): sqrt(-1) cannot be evaluated"),
    ],
)
def test_par(tmp_path: Path, before: str, after: str, key: str, message: str) -> None:
    path = tmp_path / "arm.par"
    write(symoro.Robot.from_mdh([{"inertia": "symbolic"}, {"d": "D2", "inertia": "symbolic"}], "arm"), path)
    text = path.read_text(encoding="utf-8").replace(" = {0, D2", " = {0,D2")
    assert text.count(before) == 1, text
    path.write_text(text.replace(before, after), encoding="utf-8")
    lines = text.splitlines()
    line = next(n for n, one in enumerate(lines, 1) if one.startswith(f"{key} "))
    found = [str(problem) for problem in problems(path)]
    assert [one for one in found if one.startswith(f"{path}:{line}: {message}")], found


@pytest.mark.parametrize(
    "text",
    [
        "1/(a - b)", "1/(1e-30 + a)", "1/exp(-200)", "1/(a*1e-100)", "sqrt(a - 2)", "a^64", "a^(-3/2)", "2^(3/2)",
        "1/(a^2 + 2*a*b + b^2)", "1/sin(1e-12)", "((((a^2)^3)^4)^5)/3", "acos(a/(a + 1))",
    ],
)  # fmt: skip
def test_values_that_have_a_number_are_no_problem(text: str) -> None:
    robot = symoro.Robot.from_mdh([{}, {"d": text, "inertia": "symbolic"}])
    assert [problem for problem in check(robot) if problem.severity == "error"] == []
    bind(Graph(), as_value(text))


@pytest.mark.parametrize("text", ["a/(b - b)", "1/(a + b - a - b)", "sqrt(-a + a - 1)", "0^-1", "1/tan(pi)", "a^100"])
def test_what_no_model_can_use_is_a_problem(text: str) -> None:
    with pytest.raises(SymoroError):
        bind(Graph(cancel=True), as_value(text))
    robot = symoro.Robot.from_mdh([{}, {"d": text, "inertia": "symbolic"}])
    assert [problem for problem in check(robot) if problem.severity == "error"]


def test_a_long_sum_is_read() -> None:
    text = "".join(f"{'-+'[k % 3 == 0]}{k}*a{k % 7}" for k in range(1, 801))
    value = parse(text)
    assert parse(to_text(value)) == value
    numbers = {name: 0.1 + 0.2 * k for k, name in enumerate(sorted(symbols(value)))}
    wanted = sympy.sympify(text).subs(numbers)
    assert evaluate(value, numbers) == pytest.approx(float(wanted), rel=1e-12)
    robot = symoro.Robot.from_mdh([{}, {"d": text, "inertia": "symbolic"}])
    assert symoro.inverse_dynamics(robot, optimize=False).parameters.keys() >= set(numbers)


def test_rows_that_are_no_rows() -> None:
    for rows in ([3], [None], ["abcd"], 3, None, "abcd", {"a": 1}, [{1, 2, 3, 4}]):
        for build in (symoro.Robot.from_mdh, symoro.Robot.from_dh):
            with pytest.raises(RobotError, match=r"is not a (row|table)"):
                build(rows)
    with raised("rows.row", RobotError, number=2, name="joint2"):
        symoro.Robot.from_mdh([{}, {"theta": "2*q1", "actuated": True}])


@pytest.mark.parametrize("name", ["direct_dynamics", "direct_reactions"])
def test_a_robot_without_inertia_says_so(name: str) -> None:
    with pytest.raises(symoro.errors.NotApplicable, match=f"{name} of robot: no link has an inertia"):
        getattr(symoro, name)(symoro.Robot.from_mdh([{}, {"d": 1}]))
    tip = symoro.Robot.from_mdh([{"inertia": "symbolic"}, {"d": 1}])
    with pytest.raises(symoro.errors.NotApplicable, match=f"{name} of robot: joint 2 moves no inertia"):
        getattr(symoro, name)(tip)


ARM = '<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<mujoco>\n<worldbody>\n<body><joint axis="0 0 x"/><geom size="1"/></body></worldbody></mujoco>', "arm.xml:3"),
        ("<mujoco>\n<worldbody>\n</mujoco>", "arm.xml:3: this is not XML"),
    ],
)
def test_a_problem_of_an_included_file_names_it(text: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(text, encoding="utf-8")
    main = tmp_path / "main.xml"
    main.write_text('<mujoco>\n\n\n\n\n<include file="parts/arm.xml"/></mujoco>', encoding="utf-8")
    with pytest.raises(FormatError) as refused:
        symoro.load(main)
    assert expected in str(refused.value)
    assert "main.xml" not in str(refused.value)


def test_an_included_file_includes_from_its_own_folder(tmp_path: Path) -> None:
    """MuJoCo looks in the folder of the model; files that other tools wrote mean that of the including file."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(ARM, encoding="utf-8")
    (tmp_path / "parts" / "all.xml").write_text('<mujoco><include file="arm.xml"/></mujoco>', encoding="utf-8")
    main = tmp_path / "main.xml"
    main.write_text('<mujoco><include file="parts/all.xml"/></mujoco>', encoding="utf-8")
    assert len(symoro.load(main).joints) == 1
    (tmp_path / "arm.xml").write_text(ARM.replace("<joint/>", "<joint/><joint axis='1 0 0'/>"), encoding="utf-8")
    assert len(symoro.load(main).joints) == 2
