"""The body of a function in a target language: names that it accepts, loads, lines and stores, in pieces."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import count

from symoro.emit.target import Target
from symoro.emit.trace import Marks
from symoro.emit.trace import wrap as wrap_marked
from symoro.ir.expr import COMPARISONS, Op
from symoro.ir.infix import Dialect, OperationTree, Statement, Term, operand_term, statements, write
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Instruction, Operand, Output, Program, Ref, Variable, early_angles

# Names that a language accepts: legal, not reserved and unique.


#: What the templates append to the name of a function or a package; the letters count to the longest name.
_ENDINGS = (
    "",
    "_setup",
    "_set_up",
    "_parameters",
    "_default_parameters",
    "_test",
    "_module",
    "_real",
    "_result",
    "_solve",
    "_kernel",
    "_launch",
)


def identifier(text: str) -> str:
    """A legal identifier close to the text: rx90-k13 becomes rx90_k13."""
    plain = "".join(c if re.match(r"[A-Za-z0-9_]", c) else _spell(c) for c in text)
    return plain if re.match(r"[A-Za-z]", plain) else f"x{plain}"


def _spell(letter: str) -> str:
    """Greek and other letters by their code, anything else as an underscore."""
    return f"u{ord(letter):04X}" if letter.isalnum() else "_"


class CodeNames:
    """The names of a package in a target language: its functions, and the arrays and parameters that these share.

    `public` has the names of the package, the first one, and of its functions by the wished names, `arrays` those of
    input and output arrays, `variables` those of scalars: parameters, and inside a function (`inside`) elements of
    inputs and results. `marks` puts marks around the names of scalars, where the files are traced.
    """

    def __init__(
        self, target: Target, programs: Sequence[Program], public: Iterable[str] = (), marks: Marks | None = None
    ) -> None:
        self._target = target
        self.marks = marks or Marks()
        self._taken = {self._fold(name) for name in target.reserved}
        self.public = {name: self._public(name, not k) for k, name in enumerate(dict.fromkeys(public))}
        arrays = [name for p in programs for name in (*(i.name for i in p.inputs), *(o.name for o in p.outputs))]
        named = identifier if target.arrays_apart else self.fresh
        self.arrays = {name: named(name) for name in dict.fromkeys(arrays)}
        parameters = (variable.name for p in programs for variable in p.parameters)
        self.variables = {name: self._variable(name) for name in dict.fromkeys(parameters)}

    def inside(self, program: Program) -> CodeNames:
        """These names, and those of the scalars of a function."""
        inner = copy(self)
        inner._taken, inner.variables = set(self._taken), dict(self.variables)
        results = (name for i in (*program.setup, *program.instructions) for name in i.results)
        for name in (*(v.name for v in program.input_variables()), *results):
            if not name.startswith("%"):
                inner.variables[name] = inner._variable(name)
        return inner

    def _variable(self, symbol: str) -> str:
        return self.marks.name(symbol, self.fresh(symbol))

    def fresh(self, wanted: str) -> str:
        """The name itself if it is not taken, else the name with underscores at its end."""
        name = next(n for n in self._candidates(wanted, self._target.longest) if self._free(n))
        self._taken.add(self._fold(name))
        return name

    def _public(self, wanted: str, package: bool) -> str:
        """A name that is free with every ending that templates give it; all of these are taken then."""
        can_name = self._target.can_name if package else lambda name: name not in self._target.reserved
        joint, longest_ending = self._target.joint, max(map(len, _ENDINGS))
        endings = [ending.replace("_", joint) for ending in _ENDINGS]
        candidates = (n if can_name(n) else f"{n}{joint}model" for n in self._wishes(wanted, longest_ending))
        name = next(n for n in candidates if all(self._free(n + ending) for ending in endings))
        self._taken |= {self._fold(name + ending) for ending in endings}
        return name

    def _wishes(self, wanted: str, longest_ending: int) -> Iterator[str]:
        return self._candidates(wanted, self._target.longest - longest_ending)

    def _candidates(self, wanted: str, longest: int) -> Iterator[str]:
        """The name in the letters of the language, cut to a length, then with more and more underscores."""
        name, joint = identifier(wanted).replace("_", self._target.joint), self._target.joint
        if self._target.forbidden and re.fullmatch(self._target.forbidden, name):
            name = f"x{name}"
        return (name[: longest - k] + joint * k for k in count())

    def _free(self, name: str) -> bool:
        return self._fold(name) not in self._taken

    def _fold(self, name: str) -> str:
        return name if self._target.case_sensitive else name.casefold()


# Prepares a program for printing: removes unused instructions, and names results that must be variables.


def prepare(program: Program, inline_conditions: bool) -> Program:
    """The same program, in which an instruction of the same section reads each anonymous result, once."""
    program = _live(program)
    names = _needed_names(program, inline_conditions)

    def rename(operand: Operand) -> Operand:
        return replace(operand, name=names.get(operand.name, operand.name)) if isinstance(operand, Ref) else operand

    def instruction(i: Instruction) -> Instruction:
        results = tuple(names.get(r, r) for r in i.results)
        return replace(i, results=results, args=tuple(map(rename, i.args)))

    return replace(
        program,
        setup=tuple(map(instruction, program.setup)),
        instructions=tuple(map(instruction, program.instructions)),
        outputs=tuple(replace(o, elements=tuple(map(rename, o.elements))) for o in program.outputs),
    )


def _live(program: Program) -> Program:
    """The program without the instructions that no output needs."""
    needed = {name for output in program.outputs for name in output.reads}
    kept: list[Instruction] = []
    for instruction in reversed((*program.setup, *program.instructions)):
        if not needed.isdisjoint(instruction.results):
            kept.append(instruction)
            needed.update(instruction.reads)
    alive = {i.results for i in kept}
    return replace(
        program,
        setup=tuple(i for i in program.setup if i.results in alive),
        instructions=tuple(i for i in program.instructions if i.results in alive),
    )


def _needed_names(program: Program, inline_conditions: bool) -> dict[str, str]:
    """New names for anonymous results that must become variables; the element of an output takes the element's name."""
    taken = {v.name for v in (*program.input_variables(), *program.parameters)}
    taken |= {r for i in (*program.setup, *program.instructions) for r in i.results}
    wished = {
        e.name: n for o in program.outputs for e, n in zip(o.elements, o.names, strict=True) if isinstance(e, Ref)
    }
    names: dict[str, str] = {}
    for section in (program.setup, program.instructions):
        uses = Counter(name for i in section for name in i.reads)
        tests = [i.args[0] for i in section if i.op is Op.SELECT]
        conditions = {t.name for t in tests if isinstance(t, Ref) and not t.negative}
        for i in section:
            name = i.results[0]
            in_place = uses[name] == 1 and name not in wished
            if i.op in COMPARISONS and not (inline_conditions and name in conditions):
                in_place = False
            if i.anonymous and not in_place:
                names[name] = _fresh(wished.get(name, "X1"), taken)
    return names


def _fresh(wanted: str, taken: set[str]) -> str:
    name, k = wanted, 1
    while name in taken:
        k += 1
        name = f"X{k}" if wanted == "X1" else f"{wanted}_{k}"
    taken.add(name)
    return name


# The body of a function in a target language: loads, lines and stores, which templates print.


_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Load:
    """variable = array[index]; `indices` counts along each axis. `array` is None for a parameter or a constant."""

    name: str
    symbol: str
    array: str | None
    index: int
    indices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeLine:
    """name = text. A `solve` has `arguments` instead: names = solution (None for a result that is not read)."""

    names: tuple[str | None, ...]
    parts: tuple[str, ...]  # the right side, in pieces of one line each
    arguments: tuple[str, ...] = ()
    work: str = ""  # a name for the workspace of a `solve`
    comment: str = ""
    loads: tuple[Load, ...] = ()  # what this line is the first to read, where the language loads late

    @property
    def text(self) -> str:
        return " ".join(self.parts)


@dataclass(frozen=True, slots=True)
class Store:
    """array[index] = text."""

    array: str
    index: int
    indices: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Routine:
    """The body of one function: loads, lines and stores.

    The sines and cosines of `angles` are computed together behind the first lines, `before_angles` of them: the k-th
    ones are sine[k] and cosine[k], which the lines behind them read.
    """

    loads: tuple[Load, ...]
    lines: tuple[CodeLine, ...]
    stores: tuple[Store, ...]
    unused: tuple[str, ...]  # input arrays that the code does not read
    reads_constants: bool
    angles: tuple[str, ...] = ()
    before_angles: int = 0

    @property
    def scalars(self) -> int:
        """How many numbers the code names."""
        in_lines = sum(len(x.names) + len(x.arguments) + len(x.loads) for x in self.lines)
        return len(self.loads) + in_lines + 3 * len(self.angles)


def routine(program: Program, names: CodeNames, target: Target) -> Routine:
    """A part of a split program (see `ir.program`) as code."""
    number = target.exact or (lambda c: target.number(float(c)))
    dialect = replace(target.dialect, name=names.variables.__getitem__, number=number)
    ordered, read = _needed_statements(program, dialect)
    loads = tuple(_loads(program, names, read))
    code = Routine(
        loads,
        tuple(_line(s, names, target, dialect, read) for s in ordered),
        tuple(_stores(program, names, dialect)),
        tuple(names.arrays[a.name] for a in program.inputs if not any(v.name in read for v in a.variables)),
        any(load.array is None for load in loads),
    )
    return _angles_first(code, program, ordered, names, dialect) if target.angles_first and program.inputs else code


def _angles_first(
    code: Routine, program: Program, ordered: list[Statement], names: CodeNames, dialect: Dialect
) -> Routine:
    """The same code, which computes the sines and cosines of the inputs first, and loads variables at their first use.

    A call of a function, even one that is not taken, makes compilers store all that they hold in registers.
    """
    needed, known = early_angles(program)
    turned = [k for k, s in enumerate(ordered) if s.right.op in _TURNS and s.instruction.reads[0] in known]
    if not turned:
        return code
    angles = {write(ordered[k].right.args[0], dialect): None for k in turned}
    places = {text: place for place, text in enumerate(angles)}
    before = [k for k, s in enumerate(ordered) if needed.intersection(s.names)]
    behind = [k for k in range(len(ordered)) if k not in {*before, *turned}]

    def of_table(k: int) -> CodeLine:
        statement = ordered[k]
        place = places[write(statement.right.args[0], dialect)]
        part = f"{_TURNS[statement.right.op]}[{place}]"
        return replace(code.lines[k], parts=names.marks.right(statement.names[0], (part,)))

    loads = {load.symbol: load for load in code.loads}
    first = {name for k in (*before, *turned) for name in _leaves(ordered[k].right)}
    first |= {name for output in program.outputs for name in output.reads}
    first_loads = tuple(loads.pop(name) for name in list(loads) if name in first)
    lines = [code.lines[k] for k in before] + [of_table(k) for k in turned]
    for k in behind:
        late = tuple(loads.pop(name) for name in dict.fromkeys(_leaves(ordered[k].right)) if name in loads)
        lines.append(replace(code.lines[k], loads=late))
    return replace(code, loads=first_loads, lines=tuple(lines), angles=tuple(angles), before_angles=len(before))


#: The arrays of results of the function that computes sines and cosines.
_TURNS = {Op.SIN: "sine", Op.COS: "cosine"}


def _leaves(right: Term | OperationTree) -> Iterator[str]:
    """The names that a right side reads."""
    value = right.value if isinstance(right, Term) else right
    if isinstance(value, str):
        yield value
    elif isinstance(value, OperationTree):
        for argument in value.args:
            yield from _leaves(argument)


def _needed_statements(program: Program, dialect: Dialect) -> tuple[list[Statement], set[str]]:
    """The statements whose results are written later, and all names that are written.

    A sum can lose terms where anonymous results are written out in it: then no line reads what only they had read.
    """
    written: set[str] = set()

    def name(symbol: str) -> str:
        written.add(symbol)
        return dialect.name(symbol)

    noting = replace(dialect, name=name)
    for element in (element for output in program.outputs for element in output.elements):
        write(operand_term(element), noting)
    needed: list[Statement] = []
    for statement in reversed(list(statements(program.instructions))):
        if not written.isdisjoint(statement.names):
            needed.append(statement)
            right = statement.right
            for part in right.args if right.op is Op.SOLVE else (right,):
                write(part, noting)
    return needed[::-1], written


def _loads(program: Program, names: CodeNames, read: set[str]) -> Iterator[Load]:
    for k, p in enumerate(program.parameters):
        if p.name in read:
            yield Load(names.variables[p.name], p.name, None, k)
    for array in program.inputs:
        for k, v in enumerate(array.variables):
            if v.name in read:
                yield Load(names.variables[v.name], v.name, names.arrays[array.name], k, unravel(k, array.shape))


def _line(statement: Statement, names: CodeNames, target: Target, dialect: Dialect, read: set[str]) -> CodeLine:
    comment = target.comment(remark(statement.instruction.meaning))
    results = tuple(names.variables[n] if n in read else None for n in statement.names)
    if statement.right.op is Op.SOLVE:
        arguments = tuple(write(a, dialect) for a in statement.right.args)
        return CodeLine(results, (), names.marks.right(statement.names[0], arguments), names.fresh("work"), comment)
    text = write(statement.right, dialect)
    if statement.right.op in COMPARISONS:
        text = target.truth.format(text)
    return CodeLine(results, names.marks.right(statement.names[0], tuple(wrap(text))), comment=comment)


def _stores(program: Program, names: CodeNames, dialect: Dialect) -> Iterator[Store]:
    for output in program.outputs:
        array = names.arrays.get(output.name, output.name)
        for k, element in enumerate(output.elements):
            yield Store(array, k, unravel(k, output.shape), write(operand_term(element), dialect))


def unravel(k: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The position along each axis of the k-th element, row by row."""
    indices: list[int] = []
    for size in reversed(shape):
        k, i = divmod(k, size)
        indices.append(i)
    return tuple(reversed(indices))


def wrap(text: str) -> list[str]:
    """A long right side in pieces of one line, broken at spaces, and in calls of calls behind parentheses, too."""
    words = (word.replace("(", "( ") if len(word) > _WIDTH else word for word in text.split(" "))
    return wrap_marked(" ".join(words), _WIDTH)


def remark(meaning: Meaning | None) -> str:
    """Text, unit and equation in one line."""
    if meaning is None:
        return ""
    text = f"{meaning.text} [{meaning.unit}]" if meaning.unit else meaning.text
    return " ".join(part for part in (text, f"({meaning.equation})" if meaning.equation else "") if part)


# Cuts a long function in pieces: compilers need much time, or give up, where a function has many thousand lines.
#
# A piece is a function of its own. Variables that a later piece reads are carried in an array.


_CARRIED = "carried"


@dataclass(frozen=True, slots=True)
class CodePieces:
    """The pieces of a routine in order, and the array that carries `size` variables from one to the next."""

    routines: tuple[Routine, ...] = ()
    carried: str = ""
    size: int = 0

    def __bool__(self) -> bool:
        return bool(self.routines)


def cut(program: Program, names: CodeNames, target: Target) -> CodePieces:
    """The pieces of a program without setup; none where it is short, or where the target is not cut."""
    parts = list(_parts(program.instructions, target.piece)) if target.piece else []
    if len(parts) < 2:
        return CodePieces()
    array = names.fresh(_CARRIED)
    names.arrays[_CARRIED] = array
    carried = _carried(program, parts)
    return CodePieces(tuple(_pieces(program, parts, carried, names, target)), array, len(carried))


def _parts(instructions: tuple[Instruction, ...], length: int) -> Iterator[tuple[Instruction, ...]]:
    """Instructions in parts of about this length."""
    part: list[Instruction] = []
    for group in _groups(instructions):
        part += group
        if len(part) >= length:
            yield tuple(part)
            part = []
    if part:
        yield tuple(part)


def _groups(instructions: tuple[Instruction, ...]) -> Iterator[list[Instruction]]:
    """Each instruction with a name, after the anonymous ones that are written out in it."""
    waiting: dict[str, list[Instruction]] = {}
    for instruction in instructions:
        group = [i for name in instruction.reads for i in waiting.pop(name, ())] + [instruction]
        if instruction.anonymous:
            waiting[instruction.results[0]] = group
        else:
            yield group


def _carried(program: Program, parts: list[tuple[Instruction, ...]]) -> dict[str, int]:
    """The variables that another part than their own reads, or an output, each with its place in the array."""
    part_of = {r: k for k, part in enumerate(parts) for i in part for r in i.results}
    readers = [(name, k) for k, part in enumerate(parts) for i in part for name in i.reads]
    readers += [(name, len(parts)) for output in program.outputs for name in output.reads]
    crossing = dict.fromkeys(name for name, k in readers if part_of.get(name, k) != k)
    return {name: place for place, name in enumerate(crossing)}


def _pieces(
    program: Program, parts: list[tuple[Instruction, ...]], carried: dict[str, int], names: CodeNames, target: Target
) -> Iterator[Routine]:
    """Each part with what it carries on, then the stores of the outputs."""
    known: set[str] = set()
    for part in parts:
        results = tuple(r for i in part for r in i.results if r in carried)
        output = Output(_CARRIED, (len(results),), tuple(map(Ref, results)), results)
        piece = routine(_piece(program, part, (output,), carried, known), names, target)
        places = [carried[name] for name in results]
        yield replace(
            piece, stores=tuple(replace(s, index=k, indices=(k,)) for s, k in zip(piece.stores, places, strict=True))
        )
        known.update(results)
    yield routine(_piece(program, (), program.outputs, carried, known), names, target)


def _piece(
    program: Program,
    part: tuple[Instruction, ...],
    outputs: tuple[Output, ...],
    carried: dict[str, int],
    known: set[str],
) -> Program:
    """A part as a program, whose last input has the carried variables that are known before it."""
    variables = tuple(Variable(name if name in known else f"%later{k}") for name, k in carried.items())
    array = Input(_CARRIED, (len(carried),), variables)
    return replace(program, inputs=(*program.inputs, array), instructions=part, outputs=outputs)
