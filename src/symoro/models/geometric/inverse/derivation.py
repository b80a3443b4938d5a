"""The steps of a closed form as a person reads them: text, LaTeX and data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract, reachable
from symoro.ir.infix import operand_term, statements, write
from symoro.ir.latex import latex, latex_name
from symoro.ir.linalg import Matrix
from symoro.ir.ops import Op
from symoro.ir.program import Program, Variable
from symoro.models.geometric.inverse.chain import Chain
from symoro.models.geometric.inverse.closed import Closed, make_place, wanted_goal
from symoro.models.geometric.inverse.formulas import FORMULAS, Formula
from symoro.models.geometric.inverse.loop import View
from symoro.models.geometric.inverse.slides import Slides
from symoro.models.geometric.inverse.sources import Component, Elimination, Length, Source
from symoro.models.geometric.inverse.steps import Aimed, Single, Step, Turned, Two

_QUANTITIES = {
    "p": "origin", "a": "z axis", "s": "x axis", "h": "moment of the z axis",
    "pp": "squared distance of the origin", "pa": "projection of the origin on the z axis",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Derived:
    """A step: what it finds, from which equation, with which coefficients, and what happens where they vanish."""

    number: int
    unknowns: tuple[str, ...]
    type: str
    source: str
    equation: str
    solution: str
    degenerate: str
    branches: int
    coefficients: tuple[tuple[str, str], ...]
    program: Program

    def text(self) -> str:
        count = "1 root" if self.branches == 1 else f"{self.branches} roots"
        lines = [f"{self.number}. {', '.join(self.unknowns)}: type {self.type}, {count}", f"   from {self.source}"]
        lines += [f"   {self.equation}"] + [f"     {name} = {right}" for name, right in self.coefficients]
        return "\n".join([*lines, f"   solution: {self.solution}", f"   degenerate: {self.degenerate}"])

    def latex(self) -> str:
        """The equation and its coefficients."""
        head = (
            rf"\paragraph{{{self.number}. {', '.join(f'${latex_name(u)}$' for u in self.unknowns)}, type {self.type}}}"
        )
        return f"{head}\n\\[{_tex(self.equation)}\\]\n{latex(self.program)}\\[{_tex(self.solution)}\\]\n"

    def data(self) -> dict[str, Any]:
        names = ("number", "unknowns", "type", "source", "equation", "solution", "degenerate", "branches")
        return {name: getattr(self, name) for name in names} | {"coefficients": dict(self.coefficients)}


@dataclass(frozen=True, slots=True)
class Derivation(Sequence[Derived]):
    """The steps in order; `goal` says how the wanted pose enters, `triples` which axes separate the problem."""

    steps: tuple[Derived, ...]
    goal: tuple[tuple[str, str], ...]
    triples: tuple[str, ...]

    def __getitem__(self, k: Any) -> Any:
        return self.steps[k]

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """All steps, as text."""
        head = [f"{triple[0].upper()}{triple[1:]}." for triple in self.triples]
        if self.goal:
            head += ["The wanted pose T without base and tool is U:"] + [f"   {n} = {x}" for n, x in self.goal]
        return "\n".join([*head, *(step.text() for step in self.steps)])

    def followed_by(self, others: Sequence[Derivation]) -> Derivation:
        """The steps of this derivation, then those of others, numbered on."""
        steps = [step for part in (self, *others) for step in part.steps]
        numbered = tuple(replace(step, number=n) for n, step in enumerate(steps, 1))
        return replace(self, steps=numbered)

    def latex(self) -> str:
        """All steps, in LaTeX."""
        return "\n".join(step.latex() for step in self.steps)

    def data(self) -> dict[str, Any]:
        """All steps as dictionaries, for a page or a file."""
        return {"separated_by": self.triples, "goal": dict(self.goal), "steps": [step.data() for step in self.steps]}


def derivation(closed: Closed, triples: Sequence[str]) -> Derivation:
    """The steps of a closed form, each written with the joints that were found before it as symbols."""
    s = closed.chain.symbols
    graph = s.graph
    T = Matrix(graph, ([graph.symbol(s._unused(f"T{i}{k}")) for k in range(1, 5)] for i in range(1, 5)))
    A, P = wanted_goal(closed, T)
    elements = {f"U{i}{k}": x for i, row in enumerate(A, 1) for k, x in enumerate((*row, P[i - 1]), 1)}
    plain = all(x.node.op is Op.SYMBOL for x in elements.values())
    goal = () if plain else tuple(_written(graph, elements)[0])
    U = T if plain else Matrix(graph, ([graph.symbol(f"U{i}{k}") for k in range(1, 5)] for i in range(1, 4)))
    pose = (A, P) if plain else (Matrix(graph, (row[:3] for row in U)), U.column(3))
    angle = graph.symbol(closed.arm) if closed.arm else None
    place = make_place(closed, pose, {j: graph.symbol(f"near{j}") for j in closed.order}, angle)
    found = {j: _symbols(closed.chain, j) for j in closed.given}
    made: list[Derived] = []
    for number, step in enumerate(closed.steps, 1):
        lines, program = _written(graph, step.coefficients(place, found))
        equation, solution, degenerate = _filled(FORMULAS[_key(step)], step)
        made.append(
            Derived(
                number=number,
                unknowns=tuple(str(s.robot.joint(j).variable) for j in step.joints),
                type=step.type,
                source=_source(closed.chain, step),
                equation=equation,
                solution=solution,
                degenerate=degenerate,
                branches=step.branches,
                coefficients=tuple(lines),
                program=program,
            )
        )
        found |= {j: _symbols(closed.chain, j) for j in step.joints}
    return Derivation(tuple(made), goal, tuple(triples))


def _symbols(chain: Chain, joint: int) -> tuple[Expr, ...]:
    graph = chain.symbols.graph
    letters = ("r",) if chain.axis(joint).prismatic else ("C", "S")
    return tuple(graph.symbol(f"{letter}{joint}") for letter in letters)


def _written(graph: Any, named: Mapping[str, Expr]) -> tuple[list[tuple[str, str]], Program]:
    """The lines "X = …" of expressions, and their program."""
    names = dict.fromkeys(str(n.value) for n in reachable(named.values()) if n.op is Op.SYMBOL)
    results = [Result(name, (), (x,), (name,)) for name, x in named.items()]
    program = extract(graph, (), map(Variable, names), results)
    lines = [(", ".join(s.names), write(s.right)) for s in statements(program.setup)]
    known = {name for name, _ in lines}
    lines += [(o.name, write(operand_term(o.elements[0]))) for o in program.outputs if o.name not in known]
    return lines, program


def _key(step: Step) -> str:
    if isinstance(step, Single):
        return f"{'r' if step.prismatic else 'theta'}{step.degree}"
    return type(step).__name__


def _filled(formula: Formula, step: Step) -> Iterator[str]:
    """The equation, the solution and the degenerate case with the numbers of the joints."""
    numbers = {"j": step.joints[-1], "i": step.joints[0], "m": step.joints[len(step.joints) // 2]}
    return (part.format(**numbers) for part in (formula.equation, formula.solution, formula.degenerate))


def _source(chain: Chain, step: Step) -> str:
    if isinstance(step, Single):
        return _of_source(chain, step.source)
    if isinstance(step, Two):
        return f"{_of_source(chain, step.first)}; {_of_source(chain, step.second)}"
    if isinstance(step, Slides):
        return f"the origin {_view(chain, step.view)}"
    if isinstance(step, Turned | Aimed):
        return f"the {_QUANTITIES[step.vector]} {_view(chain, step.view)}"
    return "the direction of the upper arm, which the arm angle gives"


def _of_source(chain: Chain, source: Source) -> str:
    if isinstance(source, Component):
        name = source.name
        component = "" if name in _QUANTITIES else f", component {name[1]}"
        return f"the {_QUANTITIES.get(name) or _QUANTITIES[name[0]]} {_view(chain, source.view)}{component}"
    if isinstance(source, Length):
        vector = f"the {_QUANTITIES[source.vector]} {_view(chain, source.view)}"
        return f"{vector}: x² + y², from which q{source.eliminated} falls out"
    assert isinstance(source, Elimination)
    both = f"{_of_source(chain, source.first)}; {_of_source(chain, source.second)}"
    return f"{both}; q{source.eliminated} is eliminated"


def _view(chain: Chain, view: View) -> str:
    at, seen = (view.y, view.x) if view.outward else (view.x, view.y)
    return f"of {_place(chain, at)}, seen from {_place(chain, seen)}"


def _place(chain: Chain, place: int) -> str:
    """Place 2k is frame k + 1 before its joint moves it, place 2k + 1 is that frame."""
    joint = chain.axes[place // 2].joint
    return f"frame {joint}" if place % 2 else f"frame {joint} at q{joint} = 0"


_TEX = {
    "√": r"\sqrt ", "±": r"\pm ", "∓": r"\mp ", "²": "^2", "³": "^3", "⁴": "^4", "θ": r"\theta ", "ρ": r"\rho ",
    "ψ": r"\psi ", "−": "-", "Δ": r"\Delta ",
}  # fmt: skip


def _tex(text: str) -> str:
    """A short formula in LaTeX."""
    for sign, word in _TEX.items():
        text = text.replace(sign, word)
    return text
