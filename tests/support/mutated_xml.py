"""Random mutations of URDF, xacro, MJCF and SDF files: what people and attackers do to them."""

from __future__ import annotations

import random
import re
from typing import Any

from support.robot_files import MJCF, URDF
from support.written_urdf import joint, link, robot
from symoro.formats import mjcf, sdf, urdf, xacro

SMALL = robot(
    link("a"), link("b"), link("c"), link("d"),
    joint("one", "a", "b", "0 0 0.3"), joint("two", "b", "c", "0.2 0 0", "1.5708 0 0", mimic='joint="one"'),
    joint("three", "c", "d", "0.2 0 0", type="prismatic"),
)  # fmt: skip
XACRO = (
    '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:arg name="n" default="2"/>'
    '<xacro:property name="l" value="${0.3 * sin(pi/4)}"/>'
    '<xacro:macro name="arm" params="name parent z:=0.5 *block"><link name="${name}"/>'
    '<joint name="j_${name}" type="revolute"><parent link="${parent}"/><child link="${name}"/>'
    '<xacro:insert_block name="block"/><axis xyz="0 ${1 if z > 0 else -1} 0"/></joint></xacro:macro>'
    '<link name="base$(arg n)"/><xacro:arm name="x" parent="base2"><origin xyz="0 0 ${l}"/></xacro:arm>'
    '<xacro:if value="${l &lt; 3}"><xacro:arm name="y" parent="x" z="-1"><origin rpy="${pi/2} 0 0"/></xacro:arm>'
    "</xacro:if></robot>"
)
BOMB = '<!DOCTYPE a [<!ENTITY x "yyyyyyyyyy"><!ENTITY z "&x;&x;&x;&x;&x;&x;">]>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file://{path}">]>'
TEXTS = (
    *("nan", "inf", "-1e400", "1e308", "", "0", "-1", "abc", "0 0", "0 0 0", "1 2 3 4 5 6 7", "${1/0}", "${x}"),
    *("$(find nowhere)", "${[0]*10**9}", "${9**9**9}", "../../../etc/passwd", "\u0000".strip("\u0000"), "é", "true"),
)


def sources() -> list[tuple[Any, str]]:
    """Readers and the texts that they read."""
    names = ("finger_edu_description/robots/finger_edu.urdf", "panda_description/urdf/panda.urdf")
    files = [URDF[name].read_text(encoding="utf-8") for name in names]
    models = [MJCF[f"suite/{name}.xml"].read_text(encoding="utf-8") for name in ("cheetah", "fish", "manipulator")]
    models = [re.sub(r"<include[^>]*>", "", model) for model in models]
    arm = urdf.read_text(SMALL, "small").robot
    made = [*((urdf, text) for text in (SMALL, *files)), *((mjcf, text) for text in (*models, mjcf.write_text(arm)))]
    return [*made, (xacro, XACRO), (sdf, sdf.write_text(arm))]


def mutated(text: str, rng: random.Random, outside: str) -> str:
    """The text with one to four changes."""
    for _ in range(rng.randint(1, 4)):
        text = rng.choice(CHANGES)(text, rng, outside)
    return text


def _cut(text: str, rng: random.Random, outside: str) -> str:
    start = rng.randrange(len(text) + 1)
    return text[:start] + text[start + rng.randrange(1, 80) :]


def _insert(text: str, rng: random.Random, outside: str) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(["<", ">", "&", '"', "&x;", "</link>", "<link/>", "]]>", "<!--"]) + text[place:]


def _attribute(text: str, rng: random.Random, outside: str) -> str:
    found = list(re.finditer(r'"[^"]*"', text))
    if not found:
        return text
    one = rng.choice(found)
    return f'{text[: one.start()]}"{rng.choice(TEXTS)}"{text[one.end() :]}'


def _swap(text: str, rng: random.Random, outside: str) -> str:
    """The text of one attribute in the place of another: unknown links, cycles, joints that follow themselves."""
    found = list(re.finditer(r'"[^"]*"', text))
    if not found:
        return text
    one, other = rng.choice(found), rng.choice(found)
    return text[: one.start()] + other[0] + text[one.end() :]


def _drop(text: str, rng: random.Random, outside: str) -> str:
    """Without one element: no inertial, no parent, no mass."""
    found = list(re.finditer(r"<(\w+)[^<>]*/>|<(\w+)[^<>]*>[^<>]*</\2>", text))
    if not found:
        return text
    one = rng.choice(found)
    return text[: one.start()] + text[one.end() :]


def _double(text: str, rng: random.Random, outside: str) -> str:
    found = list(re.finditer(r"<(\w+)[^<>]*/>", text))
    if not found:
        return text
    one = rng.choice(found)
    return text[: one.end()] + one[0] * rng.randint(1, 3) + text[one.end() :]


def _entities(text: str, rng: random.Random, outside: str) -> str:
    body = re.sub(r"^<\?xml.*?\?>", "", text)
    return rng.choice([BOMB, OUTSIDE.format(path=outside)]) + body.replace(">", ">&x;", 1)


def _deep(text: str, rng: random.Random, outside: str) -> str:
    tag, count = rng.choice(["body", "frame", "link", "default", "xacro:if", "group"]), rng.choice([50, 190, 5000])
    place = text.find(">", rng.randrange(len(text) + 1)) + 1
    return text[:place] + f"<{tag}>" * count + f"</{tag}>" * count + text[place:]


def _recursion(text: str, rng: random.Random, outside: str) -> str:
    again = '<xacro:macro name="again" params=""><xacro:again/><xacro:again/></xacro:macro><xacro:again/>'
    include = f'<xacro:include filename="{outside}"/><include file="{outside}"/>'
    place = text.rfind("</")
    return text[:place] + rng.choice([again, include]) + text[place:]


def _huge(text: str, rng: random.Random, outside: str) -> str:
    if rng.random() < 0.9:
        return text
    return text + "<!--" + "x" * 10_000_000 + "-->"


CHANGES = (_cut, _insert, _attribute, _attribute, _swap, _swap, _drop, _double, _entities, _deep, _recursion, _huge)
