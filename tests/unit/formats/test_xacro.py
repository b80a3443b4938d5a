"""What xacro files may do: their tags and expressions as in the usual expander, and nothing outside given folders."""

from __future__ import annotations

from pathlib import Path

import pytest
import xacro as usual

import symoro
from support.raised import raised
from support.written_urdf import joint, link
from symoro.errors import FormatError, UnknownRobot
from symoro.formats import xacro
from symoro.formats._report import Report
from symoro.formats._xml import Element, parse
from symoro.formats.macros.expressions import ExpressionError, evaluate
from symoro.formats.macros.roots import Roots


def wrap(inner: str) -> str:
    return f'<?xml version="1.0"?>\n<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">{inner}</robot>'


def shape(element: Element) -> object:
    return element.tag, sorted(element.attributes.items()), [shape(child) for child in element.children]


def expanded(text: str, **arguments: str) -> Element:
    report = Report(None)
    return xacro.expand(parse(text, report), report, arguments, Roots.of(None, {}, ()))


@pytest.mark.parametrize(
    "inner",
    [
        '<xacro:property name="a" value="2"/><link name="l${a * 3}" size="${a/4}" both="${a}-${a+1}"/>',
        '<xacro:property name="a" value="${pi/2}"/><xacro:property name="b" value="${a*2}"/><link name="${b}"/>',
        '<xacro:macro name="m" params="x y:=3 *block"><link name="${x}" y="${y}"><xacro:insert_block name="block"/>'
        '</link></xacro:macro><xacro:m x="one"><origin a="1"/></xacro:m><xacro:m x="two" y="4"><mass/></xacro:m>',
        '<xacro:macro name="m" params="**all"><link><xacro:insert_block name="all"/></link></xacro:macro>'
        "<xacro:m><some><a/><b/></some></xacro:m>",
        '<xacro:property name="k"><a/><b c="1"/></xacro:property><link><xacro:insert_block name="k"/></link>',
        '<xacro:arg name="n" default="7"/><link name="$(arg n)"/><xacro:if value="$(arg n)"><yes/></xacro:if>',
        '<xacro:if value="${1 &lt; 2}"><yes/></xacro:if><xacro:unless value="true"><no/></xacro:unless>',
        '<xacro:macro name="m" params="n"><xacro:if value="${n > 0}"><link name="${n}"/><xacro:m n="${n - 1}"/>'
        '</xacro:if></xacro:macro><xacro:m n="3"/>',
        '<xacro:property name="p" value="v"/><xacro:macro name="m" params="p:=^ q:=^|5"><link p="${p}" q="${q}"/>'
        "</xacro:macro><xacro:m/>",
        '<xacro:property name="d" value="${[1, 2]}"/><link name="${d[1]}" size="${len(d)}"/>',
        '<link name="${radians(90)}" b="${max(1, 2) if True and not False else 0}" c="$${x}"/>',
        '<xacro:element xacro:name="link"><xacro:attribute name="name" value="x${1+1}"/></xacro:element>',
    ],
)
def test_the_tags_are_those_of_the_usual_expander(inner: str) -> None:
    document = usual.parse(wrap(inner))
    usual.process_doc(document)
    assert shape(expanded(wrap(inner))) == shape(parse(document.toxml(), Report(None)))


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "().__class__",
        "[x for x in [1]]",
        "(lambda: 1)()",
        "open('a')",
        "[0] * 10**8",
        "'a' * 10**9",
        "9**9**9",
        "'%s' % 1",
        "load_yaml('../outside.yaml')",
        "load_yaml(3)",
        "{}.get",
        "(" * 500,
        "1" * 5000,
        "unknown",
        "1 / 0",
        "f'{1}'",
    ],
)
def test_what_an_expression_may_not_do(text: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(text, {"a": 1}.__getitem__)


YAML = {
    "bomb.yaml": "a: &a [1, 1]\nb: &b [*a, *a]\nc: [*b, *b]\n",
    "object.yaml": "!!python/object/apply:os.system ['true']\n",
    "deep.yaml": "[" * 5000,
    "unit.yaml": "a: !degrees 2*x\n",
}


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        ('<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>', "more than 100 times deep"),
        ('<xacro:include filename="/etc/passwd"/>', "outside the folders"),
        ('<xacro:include filename="../../../../etc/passwd"/>', "outside the folders"),
        ('<xacro:include filename="$(find nowhere)/a.xacro"/>', "package 'nowhere' is not found"),
        ('<xacro:include filename="self.xacro"/>', "more than 20 files"),
        ('<link name="$(env HOME)"/>', r"\$\(env HOME\) is not allowed"),
        ('<xacro:property name="a" value="${b}"/><link name="${a}"/>', "'b' is not defined"),
        ("<xacro:lost/>", "no macro 'lost'"),
        ('<xacro:macro name="m" params="x"/><xacro:m/>', "needs the parameter 'x'"),
        ('<xacro:if value="maybe"/>', "neither true nor false"),
        ('<link name="${load_yaml(3)}"/>', "the name of a file is needed"),
        ("<link name=\"${load_yaml('/etc/hosts')}\"/>", "outside the folders"),
        ("<link name=\"${xacro.load_yaml('missing.yaml')}\"/>", "no such file"),
        ("<link name=\"${load_yaml('bomb.yaml')}\"/>", "aliases are refused"),
        ("<link name=\"${load_yaml('object.yaml')}\"/>", "could not determine a constructor"),
        ("<link name=\"${load_yaml('deep.yaml')}\"/>", "this is not YAML that is read here"),
        ("<link name=\"${load_yaml('unit.yaml')}\"/>", "'x' is not defined in a YAML file"),
    ],
)
def test_what_is_refused(inner: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "self.xacro").write_text(wrap(inner), encoding="utf-8")
    for name, text in YAML.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        xacro.read_text(wrap(inner), "r", str(tmp_path / "self.xacro"))


def test_data_in_a_yaml_file_are_those_of_the_usual_expander(tmp_path: Path) -> None:
    """By entry and by name, with units; $(find …) inside an expression."""
    data = "arm:\n  length: 0.4\n  turn: !degrees 90 + 45\n  names: [one, two]\n  size: !millimeters 350\n"
    (tmp_path / "arm.yaml").write_text(data, encoding="utf-8")
    uses = "<link name=\"${d['arm']['names'][1]}\" a=\"${d['arm']['length'] * 2}\" b=\"${t}\" c=\"${s}\"/>"
    parts = f"""<xacro:property name="d" value="${{xacro.load_yaml('{tmp_path}/arm.yaml')}}"/>
    <xacro:property name="t" value="${{d['arm']['turn']}}"/><xacro:property name="s" value="${{d.arm.size}}"/>{uses}"""
    document = usual.parse(wrap(parts))
    usual.process_doc(document)
    expected = shape(parse(document.toxml(), Report(None)))
    report = Report(str(tmp_path / "robot.xacro"))
    roots = Roots.of(report.file, {"here": tmp_path}, ())
    for name in (f"{tmp_path}/arm.yaml", "arm.yaml", "package://here/arm.yaml", "$(find here)/arm.yaml"):
        text = wrap(parts.replace(f"{tmp_path}/arm.yaml", name))
        assert shape(xacro.expand(parse(text, report), report, {}, roots)) == expected


def test_macros_that_make_too_much() -> None:
    doubling = "".join(
        f'<xacro:macro name="m{k}" params=""><xacro:m{k - 1}/><xacro:m{k - 1}/></xacro:macro>' for k in range(1, 40)
    )
    with raised("xacro.elements", FormatError, most=200000):
        xacro.read_text(wrap(f'<xacro:macro name="m0" params=""><link/></xacro:macro>{doubling}<xacro:m39/>'), "r")


def test_a_link_to_a_file_outside_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.xacro").write_text(wrap(link("secret")), encoding="utf-8")
    (inside / "way.xacro").symlink_to(tmp_path / "secret.xacro")
    with raised("packages.outside_folders", FormatError):
        xacro.read_text(wrap('<xacro:include filename="way.xacro"/>'), "r", str(inside / "robot.xacro"))


def test_packages_by_option_and_by_the_path_of_ros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xacro").write_text(wrap(link("b") + joint("j", "a", "b")), encoding="utf-8")
    text = wrap(link("a") + '<xacro:include filename="package://parts/arm.xacro"/>')
    here = str(tmp_path / "elsewhere" / "robot.xacro")
    for options in ({"packages": {"parts": tmp_path / "parts"}}, {"folders": [tmp_path]}):
        assert xacro.read_text(text, "r", here, **options).robot.link_count == 1
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    assert xacro.read_text(text, "r", here).robot.link_count == 1


@pytest.mark.parametrize(
    "text",
    [
        "1 + 2 * 3 - 4 / 5 // 1 % 3",
        "-2 ** 2 + 2 ** -1 ** 2",
        "not 1 < 2 < 3 or 2 in [1, 2] and 'a' not in 'bc'",
        "(1, 2, 3)[1] + len([4, [5]]) + {'a': 7}['a']",
        "1e-3 + .5 + 2. + 10",
        "1 if 0 else 2 if 0 else 3",
        "'ab' + str(1.5) + \"c\"",
        "--1 + +2 - -3",
        "1 == 1.0 != 2",
        "max(1, min(5, 3)) + round(2.567, 1) + abs(-4)",
        "0 or 'x' and 5",
        "not not 3",
    ],
)
def test_expressions_mean_what_they_mean_in_python(text: str) -> None:
    found, expected = evaluate(text, {}.__getitem__), eval(text)
    assert (found, type(found)) == (expected, type(expected))


def test_robots_in_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By option and by ROS_PACKAGE_PATH, in all formats; model:// has a usual name of its file."""
    text = wrap(link("a") + link("b") + joint("j", "a", "b"))
    (tmp_path / "arm" / "urdf").mkdir(parents=True)
    for name in ("arm.urdf", "arm.urdf.xacro"):
        (tmp_path / "arm" / "urdf" / name).write_text(text, encoding="utf-8")
    made = symoro.load("package://arm/urdf/arm.urdf", folders=[tmp_path])
    symoro.write(made, tmp_path / "arm" / "model.sdf")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    for name in ("package://arm/urdf/arm.urdf.xacro", "package://arm/urdf/arm.urdf", "model://arm"):
        assert [j.name for j in symoro.load(name).joints] == ["j"]
    assert symoro.load("package://mine/urdf/arm.urdf", packages={"mine": tmp_path / "arm"}).link_count == 1
    (tmp_path / "other.urdf").write_text(text, encoding="utf-8")
    for name in ("package://nowhere/a.urdf", "package://arm/../other.urdf", "package://arm/a.urdf", "package://"):
        with pytest.raises(UnknownRobot, match="package"):
            symoro.load(name)
