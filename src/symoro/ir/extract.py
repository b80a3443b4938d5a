"""Programs of graphs and back: extracted, counted before they are written (drafts), and built again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, update_wrapper, wraps
from operator import attrgetter
from typing import Any, TypeVar

from symoro.ir.expr import COUNTED_AS, LEAVES, Expr, Node, Op, solve_count
from symoro.ir.graph import Graph
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Instruction, Literal, Operand, Output, Program, Ref, Variable

# Makes a program from a graph: only what the outputs need, in order, each variable with a unique name.


@dataclass(frozen=True, slots=True)
class Result:
    """An output array before extraction: its elements are expressions."""

    name: str
    shape: tuple[int, ...]
    elements: tuple[Expr, ...]
    names: tuple[str, ...]
    meanings: tuple[Meaning, ...] = ()


def extract(
    graph: Graph, inputs: Iterable[Input], parameters: Iterable[Variable], results: Sequence[Result]
) -> Program:
    """The program that computes the results. Parameters without effect are left out; all inputs are kept."""
    inputs, parameters = tuple(inputs), tuple(parameters)
    nodes = reachable([e for r in results for e in r.elements])
    used = {n.value for n in nodes if n.op is Op.SYMBOL}
    kept = tuple(p for p in parameters if p.name in used)
    constant = _parameter_only(nodes, {p.name for p in parameters})
    _name_outputs(graph, results)
    taken = {v.name for array in inputs for v in array.variables} | {p.name for p in parameters}
    naming = _Naming(graph, taken)
    naming.assign(nodes, results, constant)
    instructions = [(n, naming.instruction(n)) for n in nodes if n.op not in LEAVES and n.op is not Op.ITEM]
    return Program(
        inputs,
        kept,
        tuple(i for n, i in instructions if n in constant),
        tuple(i for n, i in instructions if n not in constant),
        tuple(Output(r.name, r.shape, tuple(map(naming.operand, r.elements)), r.names, r.meanings) for r in results),
    )


def _name_outputs(graph: Graph, results: Sequence[Result]) -> None:
    """Suggest the names of the outputs for their elements, so that each element becomes a named variable."""
    for result in results:
        for expr, name in zip(result.elements, result.names, strict=False):
            if angle_name(graph, expr.node) is None:
                graph.name(expr, name)


def reachable(roots: Iterable[Expr]) -> list[Node]:
    """The nodes that the roots need, arguments first (serials grow from arguments to users)."""
    return sorted(needed(roots), key=by_serial)


by_serial = attrgetter("serial")


def needed(roots: Iterable[Expr]) -> set[Node]:
    """The nodes that the roots need."""
    seen: set[Node] = set()
    pending = [r.node for r in roots]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            for a in node.args:
                if a.node not in seen:
                    pending.append(a.node)
    return seen


def _parameter_only(nodes: list[Node], parameters: set[str]) -> set[Node]:
    """The nodes whose value depends on parameters and constants only."""
    constant: set[Node] = set()
    for node in nodes:
        if node.args:
            for a in node.args:
                if a.node not in constant:
                    break
            else:
                constant.add(node)
        elif node.op is Op.CONST or node.value in parameters:
            constant.add(node)
    return constant


#: Operations whose result can carry a minus sign by changing the signs of their arguments.
_ODD = (Op.ADD, Op.MUL, Op.DIV, Op.SIN, Op.TAN, Op.ASIN, Op.SIGN)
_TURNS = (Op.SIN, Op.COS)
_NO_HINT = (None, False, None)


@dataclass(slots=True)
class _Naming:
    """Gives every node a unique name, and writes operands with these names."""

    graph: Graph
    taken: set[str]
    names: dict[Node, str] = field(default_factory=dict)
    flipped: set[Node] = field(default_factory=set)  # the variable holds the node's negative
    meanings: dict[Node, Meaning | None] = field(default_factory=dict)
    items: dict[Node, list[str]] = field(default_factory=dict)
    operands: dict[Expr, Operand] = field(default_factory=dict)

    def assign(self, nodes: list[Node], results: Sequence[Result], constant: set[Node]) -> None:
        uses = _count_uses(nodes, results, constant)
        reserved = {self.graph.hints[n][0] for n in nodes if n in self.graph.hints}
        auto = 0
        anonymous = 0
        depth: dict[Node, int] = {}  # of anonymous results
        for node in nodes:
            if node.op in LEAVES:
                continue
            name, negative, meaning = self._suggestion(node)
            deep = 0
            for a in node.args:
                if a.node in depth:
                    deep = max(deep, depth[a.node] + _nests(a.node, node))
            if name is None and uses[node] < 2 and node.op not in (Op.ITEM, Op.SOLVE) and deep < _DEEPEST:
                anonymous += 1
                depth[node] = deep
                self.names[node] = f"%{anonymous}"
                continue
            if name is None:
                auto += 1
                while f"X{auto}" in self.taken or f"X{auto}" in reserved:
                    auto += 1
                name = f"X{auto}"
            self.names[node] = self._unique(name, reserved)
            self.meanings[node] = meaning
            if negative and node.op in _ODD:
                self.flipped.add(node)
        for node in nodes:
            if node.op is Op.ITEM:
                self._place_item(node)

    def _suggestion(self, node: Node) -> tuple[str | None, bool, Meaning | None]:
        """S23 for the sine of a sum of joint angles, even if another name was suggested; else the suggested name."""
        hint = self.graph.hints.get(node, _NO_HINT)
        if node.op not in _TURNS:
            return hint
        angle = angle_name(self.graph, node)
        return hint if angle is None else (angle, False, hint[2])

    def _unique(self, name: str, reserved: set[str]) -> str:
        """The name itself, or the name with the first suffix that makes it unique."""
        candidate, k = name, 1
        while candidate in self.taken or (k > 1 and candidate in reserved):
            k += 1
            candidate = f"{name}_{k}"
        self.taken.add(candidate)
        return candidate

    def _place_item(self, node: Node) -> None:
        block = node.args[0].node
        n = solve_size(block)
        if block not in self.items:
            self.items[block] = [self._unique(f"{self.names[block]}_unused{i}", set()) for i in range(n)]
        assert isinstance(node.value, int)
        self.items[block][node.value] = self.names[node]

    def operand(self, expr: Expr) -> Operand:
        """What reads an expression; each is made once."""
        operand = self.operands.get(expr)
        if operand is None:
            operand = self.operands[expr] = self._operand(expr)
        return operand

    def _operand(self, expr: Expr) -> Operand:
        node = expr.node
        if expr.constant is not None:
            return Literal(expr.constant)
        if node.op is Op.SYMBOL:
            return Ref(str(node.value), expr.negative)
        return Ref(self.names[node], expr.negative != (node in self.flipped))

    def instruction(self, node: Node) -> Instruction:
        args = [self.operand(a) for a in node.args]
        if node.op is Op.SOLVE:
            return Instruction(tuple(self.items[node]), node.op, tuple(args))
        if node in self.flipped:
            args = [-a for a in args] if node.op is Op.ADD else [-args[0], *args[1:]]
        return Instruction((self.names[node],), node.op, tuple(args), self.meanings.get(node))


#: An expression that would be nested deeper than this gets a name, so that texts stay readable and recursions short.
_DEEPEST = 40


def _nests(inner: Node, outer: Node) -> bool:
    """Whether the inner node adds a level of parentheses; a sum in a sum and a product in a product do not."""
    return inner.op is not outer.op or outer.op not in (Op.ADD, Op.MUL)


def solve_size(block: Node) -> int:
    """How many unknowns a solve block has."""
    n = 1
    while n * n + n < len(block.args):
        n += 1
    return n


def _count_uses(nodes: list[Node], results: Sequence[Result], constant: set[Node]) -> dict[Node, int]:
    """How often each node is read; a node of the setup that instructions read counts twice, so that it gets a name."""
    uses = dict.fromkeys(nodes, 0)
    for n in nodes:
        once = n in constant
        for a in n.args:
            uses[a.node] += 1 if once or a.node not in constant else 2
    for r in results:
        for e in r.elements:
            uses[e.node] += 2 if e.node in constant else 1
    return uses


#: A sum of more angles than this gets no such name, because the name would be too long.
_MOST_LABELS = 32


def angle_name(graph: Graph, node: Node) -> str | None:
    """S23 for sin(q2 + q3): the labels of the angles, with separators if a label is longer than one character."""
    if node.op not in _TURNS:
        return None
    angles: list[Expr] = []
    pending = [node.args[0]]
    while pending:
        x = pending.pop()
        if len(angles) + len(pending) > _MOST_LABELS:
            return None
        if x.node.op is Op.ADD:
            pending += [-y if x.negative else y for y in x.node.args]
        elif x.node in graph.labels:
            angles.append(x)
        else:
            return None
    terms = [(graph.labels[x.node], x.negative) for x in sorted(angles, key=lambda x: x.node.serial)]
    letter = "S" if node.op is Op.SIN else "C"
    if len(terms) == 1 and not terms[0][1]:
        return letter + terms[0][0]
    plain = all(len(label) == 1 and not negative for label, negative in terms) and len(graph.labels) < 10
    if plain:
        return letter + "".join(label for label, _ in terms)
    head, *rest = (("m" if negative else "p") + label for label, negative in terms)
    return letter + head.removeprefix("p") + "".join("_" + part if part[0] == "m" else "_" + part[1:] for part in rest)


# Builds the expressions of a program in a graph again; every pass begins with it.


class Replay:
    """A program's values as expressions of a graph. `expressions` replace inputs and parameters."""

    def __init__(self, program: Program, graph: Graph, expressions: Mapping[str, Expr] | None = None) -> None:
        self.program = program
        self.graph = graph
        self.values: dict[str, Expr] = {}
        for variable in (*program.input_variables(), *program.parameters):
            symbol = graph.symbol(variable.name, variable.label)
            self.values[variable.name] = (expressions or {}).get(variable.name, symbol)
        run = self.run
        for instruction in (*program.setup, *program.instructions):
            run(instruction)

    def run(self, instruction: Instruction) -> None:
        """Build the values of one instruction; those of its arguments exist already."""
        values = self.values
        args = [
            (values[a.name].opposite if a.negative else values[a.name]) if isinstance(a, Ref) else self.expr(a)
            for a in instruction.args
        ]  # not by `expr` alone, which takes longer than what is done here
        if instruction.op is Op.SOLVE:
            n = len(instruction.results)
            rows = [args[n * i : n * i + n] for i in range(n)]
            self.values.update(zip(instruction.results, self.graph.solve(rows, args[n * n :]), strict=True))
        else:
            self.values[instruction.results[0]] = self.graph.apply(instruction.op, *args)
        if not instruction.anonymous:
            for name in instruction.results:
                self.graph.name(self.values[name], name, instruction.meaning)

    def expr(self, operand: Operand) -> Expr:
        if isinstance(operand, Literal):
            return self.graph.constant(operand.value)
        value = self.values[operand.name]
        return value.opposite if operand.negative else value

    def results(self) -> list[Result]:
        """The outputs as expressions."""
        return [
            Result(o.name, o.shape, tuple(map(self.expr, o.elements)), o.names, o.meanings)
            for o in self.program.outputs
        ]


def rebuilt(program: Program, graph: Graph | None = None, expressions: Mapping[str, Expr] | None = None) -> Draft:
    """The same program, built again in a graph: simplified, shared and without unused instructions."""
    graph = graph or Graph()
    replay = Replay(program, graph, expressions)
    return draft(graph, program.inputs, program.parameters, replay.results())


# Programs that are not written yet: their operations are counted in the graph, in less time than writing takes.
#
# A search makes many programs and keeps few of them; only those are written.


Cost = tuple[int, int, int]
"""Arithmetic, then calls of functions, then the arithmetic of the setup."""

#: The counts of a node are the digits of one number, so that counting is one sum; no digit reaches this base.
_BASE = 2**40
#: Inputs are given, and the items of a solution come with it: they are no instructions.
_NO_INSTRUCTION = (Op.CONST, Op.SYMBOL, Op.ITEM)


class Tally:
    """Counts results of one graph. Nodes never change, so that each is classified once for all counts."""

    def __init__(self, parameters: Iterable[str]) -> None:
        self._parameters = frozenset(parameters)
        self._constant: dict[Node, bool] = {}
        self._work: dict[Node, int] = {}

    def __call__(self, results: Sequence[Result]) -> Cost:
        return self.counted(results)[0]

    def counted(self, results: Sequence[Result]) -> tuple[Cost, int]:
        """The cost, and the number of instructions without the setup."""
        nodes = needed(e for r in results for e in r.elements)
        self._classify([node for node in nodes if node not in self._work])
        rest, once = divmod(sum(map(self._work.__getitem__, nodes)), _BASE)
        rest, calls = divmod(rest, _BASE)
        instructions, arithmetic = divmod(rest, _BASE)
        return (arithmetic, calls, once), instructions

    def _classify(self, nodes: list[Node]) -> None:
        """The work of nodes that are new, arguments first."""
        constant, work = self._constant, self._work
        for node in sorted(nodes, key=by_serial):
            op = node.op
            depends = op is Op.SYMBOL and node.value not in self._parameters
            for a in node.args:
                if not constant[a.node]:
                    depends = True
                    break
            constant[node] = not depends
            if op is Op.SOLVE:
                work[node] = _digits(op, solve_count(solve_size(node)).total)[depends]
            else:
                work[node] = _DIGITS[op][depends]


def _digits(op: Op, arithmetic: int) -> tuple[int, int]:
    """What a node adds to the counts: in the setup, and in each evaluation."""
    instructions = int(op not in _NO_INSTRUCTION)
    calls = int(op in COUNTED_AS and not arithmetic)
    return arithmetic, ((instructions * _BASE + arithmetic) * _BASE + calls) * _BASE


_DIGITS = {op: _digits(op, int(COUNTED_AS.get(op) in ("add", "mul", "div"))) for op in Op}


def cost(program: Program) -> Cost:
    """What a search minimises: arithmetic first, then calls of functions, then the arithmetic of the setup."""
    ops = program.ops
    return ops.total, ops.trig + ops.sqrt + ops.other, program.setup_ops.total


@dataclass(frozen=True, slots=True)
class Draft:
    """The cost of a program, the number of its instructions, and the function that writes it."""

    cost: Cost
    size: int
    write: Callable[[], Program]
    graph: Graph | None = None
    """Where it is built, if it is not written yet."""

    @staticmethod
    def of(program: Program) -> Draft:
        """A program that is written already."""
        return Draft(cost(program), len(program.instructions), lambda: program)

    def discard(self) -> None:
        """Free the graph. The draft cannot be written any more."""
        if self.graph is not None:
            self.graph.dissolve()


def draft(graph: Graph, inputs: Iterable[Input], parameters: Iterable[Variable], results: Sequence[Result]) -> Draft:
    """What `extract` takes, counted."""
    inputs, parameters = tuple(inputs), tuple(parameters)
    counted, size = Tally(p.name for p in parameters).counted(results)
    return Draft(counted, size, partial(extract, graph, inputs, parameters, results), graph)


# What a pass is: a function from programs to drafts.


class Pass:
    """A function from a program to a program with the same meaning.

    `draft` gives the new program before it is written. It is in a graph of its own, which nothing else uses.
    """

    def __init__(self, draft: Callable[..., Draft]) -> None:
        self.draft = draft
        update_wrapper(self, draft)

    def __call__(self, program: Program, *choices: Any) -> Program:
        draft = self.draft(program, *choices)
        written = draft.write()
        draft.discard()
        return written


# A function of programs that keeps its last result, because passes one after the other look at the same program.


Returned = TypeVar("Returned")


def of_the_last(work: Callable[[Program], Returned]) -> Callable[[Program], Returned]:
    """The same function with its last result kept. A caller may not change a result: others get it, too."""
    known: tuple[Program, Returned] | None = None

    @wraps(work)
    def once(program: Program) -> Returned:
        nonlocal known
        last = known  # another thread may replace it
        if last is None or last[0] is not program:
            last = known = program, work(program)
        return last[1]

    return once
