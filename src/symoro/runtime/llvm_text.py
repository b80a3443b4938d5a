"""The straight-line code of a main program in LLVM text, for one state or for W states at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from symoro.ir.expr import Op
from symoro.ir.program import Instruction, Literal, Operand, Output, Program, Ref, early_angles
from symoro.kernels.polynomials import LARGEST_ANGLE
from symoro.runtime import llvm_lanes
from symoro.runtime.llvm_lanes import BITS, Lanes, literal
from symoro.runtime.llvm_solve import solve

# Elements of large outputs that are numbers, mostly zeros: they lie in a table, instead of one line of code each.


_LARGE, _HUGE = 64, 300


def is_large(output: Output) -> bool:
    """Does the code for many states write the output from memory, by a loop?"""
    return len(output.elements) > _LARGE


def is_huge(output: Output) -> bool:
    """Does the code for one state, too, copy the numbers from the table? For fewer elements that takes longer.

    LLVM needs twice the time to compile hundreds of stores of numbers.
    """
    return len(output.elements) > _HUGE


def tables(program: Program, number: str) -> list[str]:
    """The tables @fixed of the large outputs, with zeros for elements that are computed."""
    lines = []
    for i, output in enumerate(program.outputs):
        if is_large(output):
            numbers = _numbers(output)
            texts = ", ".join(f"{number} {literal(x, number)}" for x in numbers)
            lines.append(f"@fixed{i} = internal constant [{len(numbers)} x {number}] [{texts}]")
    return lines


def _numbers(output: Output) -> list[float]:
    return [float(e.value) if isinstance(e, Literal) else 0.0 for e in output.elements]


def copy_table(w: Lanes, i: int, output: Output) -> None:
    """Copy a table into the row of output i; a table of zeros need not be read."""
    size = len(output.elements) * BITS[w.number][0] // 8
    if any(_numbers(output)):
        w.declared["llvm.memcpy.p0.p0.i64"] = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
        w.lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %out{i}, ptr @fixed{i}, i64 {size}, i1 false)")
    else:
        w.declared["llvm.memset.p0.i64"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
        w.lines.append(f"  call void @llvm.memset.p0.i64(ptr %out{i}, i8 0, i64 {size}, i1 false)")


def spread_table(w: Lanes, i: int, elements: int, before: str) -> list[str]:
    """Lines that fill the vectors of %wide with a table; `before` is the label of the part that comes first."""
    mask = f"{w.vector('i32')} zeroinitializer"
    return [
        f"  br label %fixed{i}",
        f"fixed{i}:",
        f"  %f{i} = phi i64 [ 0, %{before} ], [ %f{i}.next, %fixed{i} ]",
        f"  %f{i}.from = getelementptr {w.number}, ptr @fixed{i}, i64 %f{i}",
        f"  %f{i}.one = load {w.number}, ptr %f{i}.from",
        f"  %f{i}.first = insertelement {w.type} poison, {w.number} %f{i}.one, i64 0",
        f"  %f{i}.all = shufflevector {w.type} %f{i}.first, {w.type} poison, {mask}",
        f"  %f{i}.to = getelementptr {w.type}, ptr %wide{i}, i64 %f{i}",
        f"  store {w.type} %f{i}.all, ptr %f{i}.to",
        f"  %f{i}.next = add i64 %f{i}, 1",
        f"  %f{i}.more = icmp slt i64 %f{i}.next, {elements}",
        f"  br i1 %f{i}.more, label %fixed{i}, label %fixed{i}.end",
        f"fixed{i}.end:",
    ]


# Cuts a long block of LLVM text into parts, where results are stored among the lines that compute them.
#
# LLVM's time grows with the square of the stores of a block: for a matrix of 8,000 elements it is seconds.


#: Lines of a part, in the code for one state and for many; measured.
OF_ONE, OF_MANY = 500, 1000


def cut(lines: list[str], first: int, size: int, address: str, never: str) -> str | None:
    """Cut the lines from `first` on, which have no labels; the label of the last part, None if there is only one.

    A part goes on to the next one if the address is not null, else to the label `never`. That does not happen, but LLVM
    does not know it and leaves the parts as they are.
    """
    parts = [lines[k : k + size] for k in range(first, len(lines), size)]
    lines[first:] = parts[0] if parts else []
    label = None
    for k, part in enumerate(parts[1:]):
        label = f"part{k}"
        lines += [
            f"  %is.{label} = icmp ne ptr {address}, null",
            f"  br i1 %is.{label}, label %{label}, label %{never}",
        ]
        lines += [f"{label}:", *part]
    return label


# The straight-line code of a main program in LLVM text, for one state or for W states at once.


#: Comparisons are false when an operand is not a number.
_COMPARISONS = {Op.LESS: "olt", Op.LESS_EQUAL: "ole", Op.EQUAL: "oeq"}
_ANGLES = frozenset({Op.SIN, Op.COS, Op.TAN})

#: The functions of the C library that the code may call, on a machine that does not multiply and add at once.
LIBM = ("sin", "cos", "tan", "asin", "acos", "atan2", "exp", "sincos")


class StorePlace(NamedTuple):
    """An element of an array in memory that takes a result, or its negative."""

    array: str
    element: int
    negative: bool


def places(program: Program, wanted: Callable[[Output], bool], array: str) -> dict[str, list[StorePlace]]:
    """Where the results go that are elements of the wanted outputs; output i lies in the array of this name and i."""
    by_name: dict[str, list[StorePlace]] = {}
    computed = {name for instruction in program.instructions for name in instruction.results}
    for i, output in enumerate(program.outputs):
        for k, element in enumerate(output.elements if wanted(output) else ()):
            if isinstance(element, Ref) and element.name in computed:
                by_name.setdefault(element.name, []).append(StorePlace(f"{array}{i}", k, element.negative))
    return by_name


class BodyText:
    """Writes the instructions of a program. `values` has the text of each variable that is known. A result that has
    places in memory is stored there at once, so that it need not be kept until the end.

    A product that only one addition reads is rounded with it, once, if the machine can. Which ones is decided here and
    not by LLVM, so that a state has the same result in every batch, bit by bit.
    """

    def __init__(
        self,
        program: Program,
        lanes: Lanes,
        values: dict[str, str],
        places: Mapping[str, Sequence[StorePlace]] | None = None,
    ) -> None:
        self.program = program
        self.lanes = lanes
        self.values = values
        self.negated: dict[str, str] = {}
        self.pairs: dict[str, tuple[str, str]] = {}  # sine and cosine of a variable
        self.products: dict[str, tuple[str, str]] = {}  # factors of products that an addition will read
        self.largest: str | None = None  # the largest angle of the block
        self.places = places or {}
        self.fused = fused_products(program) if lanes.fma else frozenset()

    def write(self) -> None:
        """All instructions."""
        self.write_after(frozenset())

    def write_angles(self, gather: int) -> frozenset[str]:
        """The sines of the angles that are known before any sine is, `gather` of them at once; what was written."""
        early, angles = early_angles(self.program) if gather > 1 and self.lanes.fma else (frozenset(), [])
        for instruction in self.program.instructions:
            if instruction.results[0] in early:
                self._instruction(instruction)
        for start in range(0, len(angles), gather):
            self._gathered(angles[start : start + gather])
        return early

    def write_after(self, early: frozenset[str]) -> None:
        """All instructions except these, which are written already."""
        for instruction in self.program.instructions:
            if instruction.results[0] not in early:
                self._instruction(instruction)

    def knows_angles(self) -> bool:
        """Are the sines of all angles written?"""
        return all(a in self.pairs for i in self.program.instructions if i.op in _ANGLES for a in i.reads)

    def too_large(self) -> str | None:
        """Is an angle of the block too large for our own sine? None if there are no angles."""
        if self.largest is None:
            return None
        return self.lanes.any(self.lanes.compare("ogt", self.largest, self.lanes.constant(LARGEST_ANGLE)))

    def operand(self, operand: Operand) -> str:
        if isinstance(operand, Literal):
            return self.lanes.constant(float(operand.value))
        value = self.values[operand.name]
        if not operand.negative:
            return value
        if operand.name not in self.negated:
            self.negated[operand.name] = self.lanes.neg(value)
        return self.negated[operand.name]

    # instructions

    def _instruction(self, instruction: Instruction) -> None:
        op, args, name = instruction.op, instruction.args, instruction.results[0]
        if op is Op.SOLVE:
            solution = solve(self.lanes, [self.operand(a) for a in args], len(instruction.results))
            self.values.update(zip(instruction.results, solution, strict=True))
        elif name in self.fused:
            self.products[name] = self.operand(args[0]), self.operand(args[1])
        elif op is Op.ADD:
            self.values[name] = self._add(*args)
        elif op in _ANGLES:
            self.values[name] = self._trigonometric(op, args[0])
        else:
            self.values[name] = self._function(op, [self.operand(a) for a in args])
        for result in instruction.results:
            for place in self.places.get(result, ()):
                self.store(Ref(result, place.negative), place)

    def store(self, value: Operand, place: StorePlace) -> None:
        w = self.lanes
        text = self.operand(value)
        address = w.emit(f"getelementptr {w.type}, ptr {place.array}, i64 {place.element}")
        w.lines.append(f"  store {w.type} {text}, ptr {address}")

    def _add(self, a: Operand, b: Operand) -> str:
        """An addition; with a product it is one instruction, and a negative operand is subtracted."""
        if isinstance(b, Ref) and b.name in self.products:
            a, b = b, a
        if isinstance(a, Ref) and a.name in self.products:
            x, y = self.products[a.name]
            return self.lanes.multiply_add(self.lanes.neg(x) if a.negative else x, y, self._term(b))
        if isinstance(b, Ref) and b.negative:
            return self.lanes.sub(self.operand(a), self.operand(-b))
        if isinstance(a, Ref) and a.negative:
            return self.lanes.sub(self.operand(b), self.operand(-a))
        return self.lanes.add(self.operand(a), self.operand(b))

    def _term(self, operand: Operand) -> str:
        """An operand of an addition, which may be a second product."""
        if isinstance(operand, Ref) and operand.name in self.products:
            product = self.lanes.mul(*self.products[operand.name])
            return self.lanes.neg(product) if operand.negative else product
        return self.operand(operand)

    def _trigonometric(self, op: Op, angle: Operand) -> str:
        negative = isinstance(angle, Ref) and angle.negative
        s, c = self._pair(angle)
        if op is Op.COS:
            return c
        value = s if op is Op.SIN else self.lanes.div(s, c)
        return self.lanes.neg(value) if negative else value

    def _pair(self, angle: Operand) -> tuple[str, str]:
        """Sine and cosine of the variable, whatever its sign."""
        name = angle.name if isinstance(angle, Ref) else repr(angle)
        if name not in self.pairs:
            x = self.operand(Ref(name) if isinstance(angle, Ref) else angle)
            self._look_at(x)
            self.pairs[name] = llvm_lanes.sine_and_cosine(self.lanes, x)
        return self.pairs[name]

    def _gathered(self, names: list[str]) -> None:
        """The sines and cosines of these variables of one state, in the lanes of vectors."""
        width = 1 << (len(names) - 1).bit_length()
        wide, one = self.lanes.other(width), self.lanes
        if width == 1:
            self._pair(Ref(names[0]))
            return
        angles = "zeroinitializer"
        for lane, name in enumerate(names):
            self._look_at(self.values[name])
            angles = one.emit(f"insertelement {wide.type} {angles}, {one.type} {self.values[name]}, i64 {lane}")
        both = llvm_lanes.sine_and_cosine(wide, angles)
        for lane, name in enumerate(names):
            s, c = (one.emit(f"extractelement {wide.type} {v}, i64 {lane}") for v in both)
            self.pairs[name] = s, c

    def _look_at(self, angle: str) -> None:
        if self.lanes.fma:
            size = self.lanes.intrinsic("fabs", angle)
            larger = self.largest and self.lanes.compare("ogt", size, self.largest)
            self.largest = self.lanes.choose(larger, size, self.largest) if larger and self.largest else size

    def _function(self, op: Op, args: list[str]) -> str:
        w = self.lanes
        if op in _COMPARISONS:
            return w.emit(f"uitofp {w.truth} {w.compare(_COMPARISONS[op], *args)} to {w.type}")
        return _FUNCTIONS[op](w, *args)


def fused_products(program: Program) -> frozenset[str]:
    """The products that are read once, by an addition."""
    parts: tuple[Instruction | Output, ...] = (*program.instructions, *program.outputs)
    uses = Counter(name for part in parts for name in part.reads)
    added = _reads(i for i in program.instructions if i.op is Op.ADD)
    products = (i.results[0] for i in program.instructions if i.op is Op.MUL)
    return frozenset(name for name in products if uses[name] == 1 and name in added)


def _reads(instructions: Iterable[Instruction]) -> set[str]:
    return {name for instruction in instructions for name in instruction.reads}


def _select(w: Lanes, condition: str, a: str, b: str) -> str:
    return w.choose(w.compare("une", condition, w.constant(0.0)), a, b)


def _sign(w: Lanes, x: str) -> str:
    """1, -1, 0, and x itself when it is not a number."""
    zero = w.constant(0.0)
    rest = w.choose(w.compare("uno", x, x), x, zero)
    minus = w.choose(w.compare("olt", x, zero), w.constant(-1.0), rest)
    return w.choose(w.compare("ogt", x, zero), w.constant(1.0), minus)


def _extreme(predicate: str) -> Callable[..., str]:
    """The smaller or the larger; not a number when one of them is not."""

    def write(w: Lanes, a: str, b: str) -> str:
        return w.choose(w.compare("uno", a, a), a, w.choose(w.compare(predicate, a, b), a, b))

    return write


_FUNCTIONS: dict[Op, Callable[..., str]] = {
    Op.MUL: Lanes.mul,
    Op.DIV: Lanes.div,
    Op.SQRT: lambda w, x: w.intrinsic("sqrt", x),
    Op.ABS: lambda w, x: w.intrinsic("fabs", x),
    Op.ASIN: llvm_lanes.arc_sine,
    Op.ACOS: llvm_lanes.arc_cosine,
    Op.ATAN2: llvm_lanes.arc_tangent,
    Op.EXP: llvm_lanes.exponential,
    Op.SELECT: _select,
    Op.SIGN: _sign,
    Op.MIN: _extreme("ole"),
    Op.MAX: _extreme("oge"),
}
