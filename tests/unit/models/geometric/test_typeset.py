"""Derivations in LaTeX: every sign and name is one that LaTeX knows, and no formula is outside of mathematics."""

from __future__ import annotations

import re

import pytest

import symoro
from support.arms import ARMS
from symoro.findings import Finding, rows
from symoro.models.geometric.inverse.derivation import formula, sentence


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("X S1 + Y C1 = Z", "X S_{1} + Y C_{1} = Z"),
        ("r2 = (−B ± √(B² − 4 A C)) / (2 A)", r"r_{2} = (-B \pm  \sqrt{B^{2} - 4 A C}) / (2 A)"),
        ("θ3 = atan2(X √D, Y) with D = X²", r"\theta_{3} = \operatorname{atan2}(X \sqrt{D}, Y)\text{ with }D = X^{2}"),
        ("the real roots of the quartic", r"\text{the real roots of the quartic}"),
        ("Ak1 r1 = Bk, for k = 1", r"A_{k1} r_{1} = B_{k}\text{, for }k = 1"),
    ],
)
def test_formulas(text: str, wanted: str) -> None:
    assert formula(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("D < 0: out of reach; θ1 is free", r"$D < 0$: out of reach; $\theta_{1}$ is free"),
        (
            "the x axis of frame 4, seen from frame 1 at q1 = 0",
            "the $x$ axis of frame 4, seen from frame 1 at $q_{1} = 0$",
        ),
        ("A point p·p and a loop Z1 … Z_j:", r"A point $p\cdot p$ and a loop $Z_{1} \ldots  Z_{j}$:"),
    ],
)
def test_sentences(text: str, wanted: str) -> None:
    assert sentence(text) == wanted


def test_every_formula_is_ascii_and_has_no_bare_word() -> None:
    codes = [code for code in rows("derivations") if code.endswith(("_equation", "_solution", "_degenerate"))]
    assert len(codes) > 20
    for part in (str(Finding(f"derivations.{code}", i=1, j=2, m=3)) for code in codes):
        for made in (formula(part), sentence(part)):
            assert made.isascii()
            assert made.count("{") == made.count("}")
        mathematics = re.sub(r"\\text\{[^}]*\}|\\operatorname\{\w+\}|\\[a-zA-Z]+", "", formula(part))
        assert not re.search("[a-z]{2}", mathematics), part


@pytest.mark.parametrize("name", ["gantry-wrist", "general6r"])
def test_a_derivation_says_in_latex_what_its_text_says(name: str) -> None:
    ik = symoro.inverse_geometry(ARMS.get(name, name))
    made = ik.derivation.latex()
    assert made.isascii()
    outside = re.sub(r"\$[^$]*\$|\\\[.*?\\\]|\\begin\{align\}.*?\\end\{align\}", "", made, flags=re.DOTALL)
    assert not re.search(r"[_^$&]", outside)
    if name == "gantry-wrist":
        assert made.count("Degenerate: ") == made.count(r"\paragraph") == len(ik.derivation)
        assert "U_{34} &=" in made
