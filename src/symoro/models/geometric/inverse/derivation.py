"""The steps of a closed form as a person reads them: formulas, text, LaTeX and data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby
from typing import Any

from symoro.findings import Sentence
from symoro.findings import sentence as sentence_of
from symoro.ir.expr import Expr, Op
from symoro.ir.extract import Result, extract, reachable
from symoro.ir.infix import operand_term, statements, write
from symoro.ir.linalg import Matrix
from symoro.ir.program import Program, Variable
from symoro.models.geometric.frames import Pose
from symoro.models.geometric.inverse.chain import Axis, ScrewChain
from symoro.models.geometric.inverse.closed import ClosedFormSteps, make_place, wanted_goal
from symoro.models.geometric.inverse.loop import View
from symoro.models.geometric.inverse.probe import Component, EliminationPair, Source, SquaredLength
from symoro.models.geometric.inverse.steps import (
    DirectionStep,
    Elbow,
    OneUnknownStep,
    RotatedUnknown,
    SolutionStep,
    StepContext,
    ThreeSlidesStep,
    TwoAngleStep,
    ValuesByJoint,
)

# Formulas and sentences of a derivation in LaTeX, from the plain text that people read on a screen.
#
# A letter alone or with digits is a name (θ1, b3, Ak1); every longer word is text, and so is the article.


_ATOM = re.compile(r"((?<!\d)[A-Za-zθρψΔ][A-Za-z0-9_'-]*)")
_NAME = re.compile(r"([A-Za-zθρψΔ])(k?\d*|_j)")
_FUNCTIONS = {"atan2": r"\operatorname{atan2}", "cos": r"\cos", "tan": r"\tan", "det": r"\det"}
_GREEK = {"θ": r"\theta", "ρ": r"\rho", "ψ": r"\psi", "Δ": r"\Delta"}
_SIGNS = {
    "±": r"\pm ", "∓": r"\mp ", "²": "^{2}", "³": "^{3}", "⁴": "^{4}", "−": "-", "·": r"\cdot ", "×": r"\times ",
    "…": r"\ldots ",
}  # fmt: skip
_PLAIN = re.compile(r"[\d\s,;:.()e-]*")
Part = tuple[bool, str]


def formula(text: str) -> str:
    """A formula for display, with the words between its parts upright."""
    return "".join(rf"\text{{{part}}}" if words else _math(part) for words, part in _parts(text))


def sentence(text: str) -> str:
    """A sentence with its formulas between dollar signs."""
    return "".join(part if words else f"${_math(part)}$" for words, part in _parts(text))


def _parts(text: str) -> Iterator[Part]:
    """The text as words (True) and formulas (False) in turn; punctuation beside words belongs to them."""
    pieces = _ATOM.split(text)
    atoms, between = pieces[1::2], pieces[::2]
    words = [_is_word(atom, gap, after) for atom, gap, after in zip(atoms, between[1:], [*atoms[1:], ""], strict=True)]
    tagged = _shared(between[0], False, bool(words) and words[0])
    for atom, gap, word, behind in zip(atoms, between[1:], words, [*words[1:], True], strict=True):
        tagged += [(word, atom), *_shared(gap, word, behind)]
    for is_text, group in groupby(filter(lambda part: part[1], tagged), lambda part: part[0]):
        yield is_text, "".join(part for _, part in group)


def _is_word(atom: str, gap: str, after: str) -> bool:
    """Whether an atom is no name and no function; `a` is an article before a word."""
    if atom in ("a", "A"):
        return gap == " " and len(after) > 1 and after.isalpha() and after not in _FUNCTIONS
    return atom not in _FUNCTIONS and not _NAME.fullmatch(atom)


def _shared(gap: str, before: bool, behind: bool) -> list[Part]:
    """What is between two atoms: the punctuation beside a word is text, all else a formula."""
    if before and behind and _PLAIN.fullmatch(gap):
        return [(True, gap)]
    first = re.match(r"[\s,;:.]*", gap) if before else None
    head = first[0] if first else ""
    last = re.search(r"[\s,;:.]*$", gap[len(head) :]) if behind else None
    tail = last[0] if last else ""
    return [(True, head), (False, gap[len(head) : len(gap) - len(tail)]), (True, tail)]


def _math(text: str) -> str:
    """A formula without words."""
    text = _rooted(_ATOM.sub(lambda atom: _name(atom[0]), text))
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    return text


def _name(atom: str) -> str:
    parts = _NAME.fullmatch(atom)
    if parts is None:
        return _FUNCTIONS.get(atom, atom)
    letter, below = parts[1], parts[2].strip("_")
    head = _GREEK.get(letter, letter)
    return f"{head}_{{{below}}}" if below else head if letter.isascii() else f"{head} "


def _rooted(text: str) -> str:
    r"""√(…) and √D as \sqrt{…}."""
    while "√" in text:
        head, _, rest = text.partition("√")
        inner, rest = _in_parentheses(rest) if rest.startswith("(") else (rest[0], rest[1:])
        text = rf"{head}\sqrt{{{inner}}}{rest}"
    return text


def _in_parentheses(text: str) -> tuple[str, str]:
    """What is between the first parenthesis and its partner, and what follows."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return text[1:place], text[place + 1 :]
    return text[1:], ""


# The steps of a closed form as a person reads them: text, LaTeX and data.


_VECTORS = ("p", "a", "s", "h", "pp", "pa")
"""Origin, axes z and x, moment of the axis z, squared distance, projection of the origin: `derivations.vector_p` …"""
_GOAL = "The wanted pose T without base and tool is U:"


@dataclass(frozen=True, slots=True)
class Derived:
    """A step: what it finds, from which equation, with which coefficients, and what happens where they vanish."""

    number: int
    unknowns: tuple[str, ...]
    type: str
    source: Sentence
    equation: Sentence
    solution: Sentence
    degenerate: Sentence
    branches: int
    coefficients: tuple[tuple[str, str], ...]
    program: Program

    @property
    def _count(self) -> str:
        return "1 root" if self.branches == 1 else f"{self.branches} roots"

    def text(self) -> str:
        head = f"{self.number}. {', '.join(self.unknowns)}: type {self.type}, {self._count}"
        lines = [head, f"   from {self.source}"]
        lines += [f"   {self.equation}"] + [f"     {name} = {right}" for name, right in self.coefficients]
        return "\n".join([*lines, f"   solution: {self.solution}", f"   degenerate: {self.degenerate}"])

    def latex(self) -> str:
        """What the text says."""
        from symoro.ir.latex import latex, latex_name

        names = ", ".join(f"${latex_name(unknown)}$" for unknown in self.unknowns)
        return (
            f"\\paragraph{{{self.number}. {names}: type {self.type}, {self._count}}}\n"
            f"From {sentence(self.source)}:\n"
            f"\\[{formula(self.equation)}\\]\n{latex(self.program)}\\[{formula(self.solution)}\\]\n"
            f"Degenerate: {sentence(self.degenerate)}.\n"
        )

    def data(self) -> dict[str, Any]:
        names = ("number", "unknowns", "type", "source", "equation", "solution", "degenerate", "branches")
        return {name: getattr(self, name) for name in names} | {"coefficients": dict(self.coefficients)}


@dataclass(frozen=True, slots=True)
class Derivation(Sequence[Derived]):
    """The steps in order; `goal` says how the wanted pose enters, `triples` which axes separate the problem.

    `pose` is the program of the goal, where there is one.
    """

    steps: tuple[Derived, ...]
    goal: tuple[tuple[str, str], ...]
    triples: tuple[Sentence, ...]
    pose: Program | None = None

    def __getitem__(self, k: Any) -> Any:
        return self.steps[k]

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """All steps, as text."""
        goal = [_GOAL, *(f"   {n} = {x}" for n, x in self.goal)] if self.goal else []
        return "\n".join([*self._separated, *goal, *(step.text() for step in self.steps)])

    @property
    def _separated(self) -> list[str]:
        return [f"{triple[0].upper()}{triple[1:]}." for triple in self.triples]

    def followed_by(self, others: Sequence[Derivation]) -> Derivation:
        """The steps of this derivation, then those of others, numbered on."""
        steps = [step for part in (self, *others) for step in part.steps]
        numbered = tuple(replace(step, number=n) for n, step in enumerate(steps, 1))
        return replace(self, steps=numbered)

    def latex(self) -> str:
        """All steps, in LaTeX."""
        from symoro.ir.latex import latex

        goal = [sentence(_GOAL), latex(self.pose)] if self.pose else []
        return "\n".join([*map(sentence, self._separated), *goal, *(step.latex() for step in self.steps)])

    def data(self) -> dict[str, Any]:
        """All steps as dictionaries, for a page or a file."""
        return {"separated_by": self.triples, "goal": dict(self.goal), "steps": [step.data() for step in self.steps]}


def derivation(closed: ClosedFormSteps, triples: Sequence[Sentence]) -> Derivation:
    """The steps of a closed form, each written with the joints that were found before it as symbols."""
    graph = closed.chain.symbols.graph
    pose, goal, program = _goal(closed)
    angle = graph.symbol(closed.arm) if closed.arm else None
    place = make_place(closed, pose, {j: graph.symbol(f"near{j}") for j in closed.order}, angle)
    known = {j: _symbols(closed.chain, j) for j in closed.known}
    lines: list[Derived] = []
    for number, step in enumerate(closed.steps, 1):
        after = known | {j: _symbols(closed.chain, j) for j in step.joints}
        lines.append(_derived(closed.chain, number, step, _coefficients(place, step, known, after)))
        known = after
    return Derivation(tuple(lines), tuple(goal), tuple(triples), program)


def _goal(closed: ClosedFormSteps) -> tuple[Pose, list[tuple[str, str]], Program | None]:
    """The pose of the chain's end as symbols. Those are elements of T, or of U with its lines and their program."""
    s, graph = closed.chain.symbols, closed.chain.symbols.graph
    T = Matrix(graph, ([graph.symbol(s._unused(f"T{i}{k}")) for k in range(1, 5)] for i in range(1, 5)))
    A, P = wanted_goal(closed, T)
    elements = {f"U{i}{k}": x for i, row in enumerate(A, 1) for k, x in enumerate((*row, P[i - 1]), 1)}
    if all(x.node.op is Op.SYMBOL for x in elements.values()):
        return (A, P), [], None
    lines, program = _written(graph, elements)
    U = Matrix(graph, ([graph.symbol(f"U{i}{k}") for k in range(1, 5)] for i in range(1, 4)))
    return (Matrix(graph, (row[:3] for row in U)), U.column(3)), lines, program


def _derived(chain: ScrewChain, number: int, step: SolutionStep, coefficients: Mapping[str, Expr]) -> Derived:
    lines, program = _written(chain.symbols.graph, coefficients)
    equation, solution, degenerate = (_formula(step, part) for part in ("equation", "solution", "degenerate"))
    moved = [axis for axis in map(chain.axis, step.joints) if not _is_variable(axis)]
    return Derived(
        number=number,
        unknowns=tuple(str(chain.symbols.robot.joint(j).variable) for j in step.joints),
        type=step.type,
        source=_source(chain, step),
        equation=equation,
        solution=reduce(_both, map(_from_unknown, moved), solution),
        degenerate=degenerate,
        branches=step.branches,
        coefficients=tuple(lines),
        program=program,
    )


def _coefficients(
    place: StepContext, step: SolutionStep, known: ValuesByJoint, after: ValuesByJoint
) -> dict[str, Expr]:
    """What the equation of a step is made of; with two angles, also what the second one turns (a) into what (c)."""
    coefficients = step.coefficients(place, known)
    if isinstance(step, DirectionStep | Elbow):
        (a1, a2), (c1, c2) = step.turned(place, {**known, step.tilted: after[step.tilted]})
        ends = {"a1": a1, "a2": a2, "c1": c1, "c2": c2}
        coefficients = {name: coefficients[name] for name in ("X", "Y", "K", "b3")} | ends
    return coefficients


def _symbols(chain: ScrewChain, joint: int) -> tuple[Expr, ...]:
    graph = chain.symbols.graph
    letters = ("r",) if chain.axis(joint).prismatic else ("C", "S")
    return tuple(graph.symbol(f"{letter}{joint}") for letter in letters)


def _written(graph: Any, named: Mapping[str, Expr]) -> tuple[list[tuple[str, str]], Program]:
    """The lines "X = …" of expressions, and their program; names that the program of the model has are not used."""
    nameless = copy(graph)
    nameless.hints = {}
    names = dict.fromkeys(str(n.value) for n in reachable(named.values()) if n.op is Op.SYMBOL)
    results = [Result(name, (), (x,), (name,)) for name, x in named.items()]
    program = extract(nameless, (), map(Variable, names), results)
    lines = [(", ".join(s.names), write(s.right)) for s in statements(program.setup)]
    known = {name for name, _ in lines}
    lines += [(o.name, write(operand_term(o.elements[0]))) for o in program.outputs if o.name not in known]
    return lines, program


#: How the table of sentences calls the kinds of steps.
_KEYS: dict[type, str] = {
    ThreeSlidesStep: "three_slides",
    RotatedUnknown: "rotated",
    TwoAngleStep: "two_equations",
    Elbow: "elbow",
    DirectionStep: "direction",
}


def _key(step: SolutionStep) -> str:
    if isinstance(step, OneUnknownStep):
        return f"{'r' if step.prismatic else 'theta'}{step.degree}"
    return _KEYS[type(step)]


def _formula(step: SolutionStep, part: str) -> Sentence:
    """The equation, the solution or the degenerate case of a step, with the numbers of the joints."""
    i, m, j = step.joints[0], step.joints[len(step.joints) // 2], step.joints[-1]
    return sentence_of(f"derivations.{_key(step)}_{part}", i=i, m=m, j=j)


def _both(first: str, second: str) -> Sentence:
    return sentence_of("derivations.both", first=first, second=second)


def _source(chain: ScrewChain, step: SolutionStep) -> Sentence:
    if isinstance(step, OneUnknownStep):
        return _of_source(chain, step.source)
    if isinstance(step, TwoAngleStep):
        return _both(_of_source(chain, step.first), _of_source(chain, step.second))
    if isinstance(step, ThreeSlidesStep):
        return _vector(chain, "p", step.view)
    if isinstance(step, RotatedUnknown | DirectionStep):
        return _vector(chain, step.vector, step.view)
    return sentence_of("derivations.upper_arm")


def _of_source(chain: ScrewChain, source: Source) -> Sentence:
    if isinstance(source, Component):
        if source.name in _VECTORS:
            return _vector(chain, source.name, source.view)
        vector, axis = source.name[0], source.name[1]
        return sentence_of("derivations.component", what=_vector(chain, vector, source.view), axis=axis)
    if isinstance(source, SquaredLength):
        what = _vector(chain, source.vector, source.view)
        return sentence_of("derivations.length", what=what, j=source.eliminated)
    assert isinstance(source, EliminationPair)
    both = _both(_of_source(chain, source.first), _of_source(chain, source.second))
    return sentence_of("derivations.eliminated", what=both, j=source.eliminated)


def _vector(chain: ScrewChain, vector: str, view: View) -> Sentence:
    at, viewer = (view.y, view.x) if view.outward else (view.x, view.y)
    return sentence_of(f"derivations.vector_{vector}", at=_place(chain, at), viewer=_place(chain, viewer))


def _place(chain: ScrewChain, place: int) -> Sentence:
    """Place 2k is frame k + 1 before its joint moves it, place 2k + 1 is that frame."""
    axis = chain.axes[place // 2]
    if place % 2:
        return sentence_of("derivations.frame", j=axis.joint)
    return sentence_of("derivations.frame_at_zero", j=axis.joint, unknown=_unknown(axis))


def _unknown(axis: Axis) -> str:
    """The name of what a step finds: q where it is the variable of the joint, else θ or r."""
    return f"{'q' if _is_variable(axis) else 'r' if axis.prismatic else 'θ'}{axis.joint}"


def _is_variable(axis: Axis) -> bool:
    return axis.offset.is_zero and axis.slopes == {axis.joint: axis.offset.graph.one}


def _from_unknown(axis: Axis) -> str:
    """q of a joint from θ or r, and from the variables before it: the unknown is Σ slope_k q_k + offset."""
    graph = axis.offset.graph
    rest = graph.symbol(f"{'r' if axis.prismatic else 'theta'}{axis.joint}") - axis.offset
    for k, slope in axis.slopes.items():
        rest = rest if k == axis.joint else rest - slope * graph.symbol(f"q{k}")
    ((name, right),), _ = _written(graph, {f"q{axis.joint}": rest / axis.slopes[axis.joint]})
    return f"{name} = {right.replace('theta', 'θ')}"
