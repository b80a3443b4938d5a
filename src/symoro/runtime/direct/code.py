"""The functions that Python calls, as LLVM text: calls of a program, and whole answers of one with branches."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from symoro.ir.program import Input, Program
from symoro.runtime import recycled
from symoro.runtime.direct.objects import FIELDS, READABLE, WRITEABLE, ObjectLayout, ObjectLines, sizes
from symoro.runtime.llvm_lanes import BITS, literal
from symoro.runtime.llvm_rows import arrays
from symoro.runtime.threads import words

# The function that Python calls, as LLVM text: it reads exact NumPy arrays where they lie and runs the code on them.
#
# It takes the arguments of a vectorcall (PEP 590). Arrays of the exact type, C-contiguous, with one state or with one
# leading axis, go to the code directly; everything else goes to the general function, with the same arguments. Nothing
# of the process is in the text: addresses come from the context, whose words are listed here.


#: The words of the context, before one for each optional input: the address of its default.
CONTEXT = (
    *("array.type", "descriptor", "new.array", "vectorcall", "take", "release", "save.thread", "restore.thread"),
    *("general", "name.out", "result.type", "constants", "rows"),
)
#: Other threads of Python may run during batches of more states than this.
_LONG = 1000


@dataclass(frozen=True, slots=True)
class CallText:
    """Writes `call(self, args, nargsf, kwnames)` for a program."""

    layout: ObjectLayout

    def __call__(self, program: Program, number: str, width: int) -> list[str]:
        return _CallWriter(program, number, width, self.layout).function()


class _CallWriter(ObjectLines):
    def __init__(self, program: Program, number: str, width: int, layout: ObjectLayout) -> None:
        super().__init__()
        self.program = program
        self.number, self.width, self.layout = number, width, layout
        self.required = [(k, i) for k, i in enumerate(program.inputs) if not i.optional]

    def function(self) -> list[str]:
        self._entry()
        self._inputs()
        self._one_state()
        if self.required:
            self._many_states()
        self.put("slow:", "%answer = call ptr %vectorcall(ptr %general, ptr %args, i64 %nargsf, ptr %kwnames)")
        self.put("ret ptr %answer", "none:")
        self.forget(len(self.program.outputs))
        self.put("ret ptr null", "}")
        return [*(sizes(f"shape{k}", o.shape) for k, o in enumerate(self.program.outputs)), *self.lines]

    # the arguments

    def _entry(self) -> None:
        self.put("define ptr @call(ptr %self, ptr %args, i64 %nargsf, ptr %kwnames) nounwind {", "entry:")
        self.put(f"%job = alloca [{len(words(self.program))} x i64]", "%counter = alloca i64")
        self.nothing_made(len(self.program.outputs))
        self.put(f"%sizes = alloca [{max((len(o.shape) for o in self.program.outputs), default=0) + 1} x i64]")
        self.field("context", "%self", self.layout.function + 8, "ptr")
        optional = [f"in{k}" for k, i in enumerate(self.program.inputs) if i.optional]
        self.read_context(*CONTEXT, *optional)
        self.put("%unbound = icmp ne ptr %constants, null")
        self.need("%unbound")
        self.put(f"%count = and i64 %nargsf, {2**63 - 1}")
        self.need(self.equal("enough", "i64", "%count", len(self.required)))
        self.put("%plain = icmp eq ptr %kwnames, null", "br i1 %plain, label %inputs, label %named", "named:")
        self.need(self.equal("one.name", "i64", self.field("names", "%kwnames", 16, "i64"), 1))
        name = self.field("name", "%kwnames", self.layout.tuple, "ptr")
        self.need(self.equal("is.out", "ptr", name, "%name.out"))
        self.need("true" if len(self.program.outputs) == 1 else "false")
        self.put("br label %inputs", "inputs:")

    def _inputs(self) -> None:
        """Check every array; %lead is the number of leading axes of all, and %n the states of those that have one."""
        lead, n = "0", "-1"
        for position, (k, declared) in enumerate(self.required):
            array = self.field(f"array{k}", "%args", 8 * position, "ptr")
            self.exact(array, k, READABLE)
            self.put(f"%lead{k} = sub i32 {self.field(f'nd{k}', array, FIELDS['nd'], 'i32')}, {len(declared.shape)}")
            self.put(f"%few{k} = icmp ult i32 %lead{k}, 2")
            self.need(f"%few{k}")
            self._dimensions(array, k, declared)
            self.put(f"%leads{k} = or i32 {lead}, %lead{k}", f"%has{k} = icmp ne i32 %lead{k}, 0")
            lead = f"%leads{k}"
            n = self._states(k, n)
            self.field(f"in{k}", array, FIELDS["data"], "ptr")
        self.put(f"%one.state = icmp eq i32 {lead}, 0", f"%n = add i64 {n}, 0")
        self.put(f"br i1 %one.state, label %one, label %{'many' if self.required else 'slow'}")

    def _dimensions(self, array: str, k: int, declared: Input) -> None:
        self.field(f"shape{k}", array, FIELDS["shape"], "ptr")
        for axis, size in enumerate(declared.shape):
            self.put(f"%place{k}.{axis} = add i32 %lead{k}, {axis}")
            self.put(f"%size{k}.{axis}.at = getelementptr i64, ptr %shape{k}, i32 %place{k}.{axis}")
            self.put(f"%size{k}.{axis} = load i64, ptr %size{k}.{axis}.at")
            self.need(self.equal(f"fits{k}.{axis}", "i64", f"%size{k}.{axis}", size))

    def _states(self, k: int, n: str) -> str:
        """The states of array k must be those of the arrays before it; without a leading axis it fits to all."""
        self.put(f"br i1 %has{k}, label %counted{k}, label %shared{k}", f"counted{k}:")
        self.put(f"%rows{k} = load i64, ptr %shape{k}", f"%first{k} = icmp eq i64 {n}, -1")
        self.put(f"%same{k} = icmp eq i64 {n}, %rows{k}", f"%agrees{k} = or i1 %first{k}, %same{k}")
        self.put(
            f"br i1 %agrees{k}, label %states{k}, label %slow", f"shared{k}:", f"br label %states{k}", f"states{k}:"
        )
        self.put(f"%n{k} = phi i64 [ %rows{k}, %counted{k} ], [ {n}, %shared{k} ]")
        return f"%n{k}"

    # one state

    def _one_state(self) -> None:
        self.put("one:", "br i1 %plain, label %one.new, label %one.out", "one.new:")
        for k, output in enumerate(self.program.outputs):
            self.new_array(k, len(output.shape), f"@shape{k}", self.number)
        self._run_state("one.failed")
        self._answer()
        self._failed("one.failed")
        if len(self.program.outputs) == 1:
            self._out_array("one.out", ".one", 0)
            self._run_state("slow", "out")
            self.put("call void %take(ptr %out.one)", "ret ptr %out.one")
        else:
            self.put("one.out:", "br label %slow")

    def _run_state(self, otherwise: str, suffix: str = "new") -> None:
        names = arrays(self.program)
        if suffix == "out":
            names[-1] = "data.one"
        pointers = ", ".join(f"ptr %{a}" for a in names)
        self.put(f"%large.{suffix} = call i64 @state({pointers})")
        self.need(self.equal(f"right.{suffix}", "i64", f"%large.{suffix}", 0), otherwise)

    def _answer(self, suffix: str = "") -> None:
        """Return the new array, or the named tuple of several."""
        outputs = range(len(self.program.outputs))
        if len(outputs) == 1:
            self.put(f"ret ptr %new0{suffix}")
            return
        count = len(outputs)
        self.put(f"%tuple{suffix} = call ptr %vectorcall(ptr %result.type, ptr %made, i64 {count}, ptr null)")
        self.put(*(f"call void %release(ptr %new{k}{suffix})" for k in outputs), f"ret ptr %tuple{suffix}")

    def _failed(self, label: str, suffix: str = "") -> None:
        """An angle is too large: forget the new arrays."""
        releases = (f"call void %release(ptr %new{k}{suffix})" for k in range(len(self.program.outputs)))
        self.put(f"{label}:", *releases, "br label %slow")

    def _out_array(self, label: str, suffix: str, lead: int) -> None:
        """The array that `out=` gives, which must have the right shape and be writeable."""
        shape = self.program.outputs[0].shape
        self.put(f"{label}:")
        out = self.field(f"out{suffix}", "%args", 8 * len(self.required), "ptr")
        self.exact(out, suffix, WRITEABLE)
        axes = self.field(f"nd{suffix}", out, FIELDS["nd"], "i32")
        self.need(self.equal(f"axes{suffix}", "i32", axes, len(shape) + lead))
        sizes = self.field(f"shape{suffix}", out, FIELDS["shape"], "ptr")
        for axis, size in enumerate(("%n",) * lead + shape):
            length = self.field(f"size{suffix}.{axis}", sizes, 8 * axis, "i64")
            self.need(self.equal(f"fits{suffix}.{axis}", "i64", length, size))
        self.field(f"data{suffix}", out, FIELDS["data"], "ptr")

    # many states

    def _many_states(self) -> None:
        self.put("many:", f"%wide = icmp sge i64 %n, {self.width}", "%ready = icmp ne ptr %rows, null")
        self.put("%able = and i1 %wide, %ready")
        self.need("%able")
        self.put("br i1 %plain, label %many.new, label %many.out", "many.new:")
        self._small()
        for k, output in enumerate(self.program.outputs):
            for axis, size in enumerate(("%n", *output.shape)):
                self.put(f"%axis{k}.{axis} = getelementptr i64, ptr %sizes, i64 {axis}")
                self.put(f"store i64 {size}, ptr %axis{k}.{axis}")
            self.new_array(k, len(output.shape) + 1, "%sizes", self.number, ".many")
        self._run_rows([f"%out{k}.many" for k in range(len(self.program.outputs))], "new", "many.failed")
        self._answer(".many")
        self._failed("many.failed", ".many")
        if len(self.program.outputs) == 1:
            self._out_array("many.out", ".many", 1)
            self._apart("%data.many", prod(self.program.outputs[0].shape))
            self._run_rows(["%data.many"], "out", "slow")
            self.put("call void %take(ptr %out.many)", "ret ptr %out.many")
        else:
            self.put("many.out:", "br label %slow")

    def _small(self) -> None:
        """Large results are made by Python, in the memory of earlier ones."""
        largest = max((prod(output.shape) for output in self.program.outputs), default=0) * BITS[self.number][0] // 8
        self.put(f"%small = icmp slt i64 %n, {-(-recycled.LEAST // max(largest, 1))}")
        self.need("%small")

    def _apart(self, out: str, elements: int) -> None:
        """The output must not lie on an input: the last states are computed twice."""
        bytes_each = BITS[self.number][0] // 8
        self.put(
            f"%bytes.out = mul i64 %n, {elements * bytes_each}",
            f"%end.out = getelementptr i8, ptr {out}, i64 %bytes.out",
        )
        for k, declared in self.required:
            self.put(f"%bytes{k} = mul i64 %n, {len(declared.variables) * bytes_each}")
            self.put(f"%end{k} = getelementptr i8, ptr %in{k}, i64 %bytes{k}")
            self.put(f"%before{k} = icmp ule ptr %end{k}, {out}", f"%after{k} = icmp ule ptr %end.out, %in{k}")
            self.put(f"%apart{k} = or i1 %before{k}, %after{k}")
            self.need(f"%apart{k}")

    def _run_rows(self, outputs: list[str], suffix: str, otherwise: str) -> None:
        self.put("store i64 0, ptr %counter")
        values = {"n": "i64 %n", "counter": "ptr %counter", "constants": "ptr %constants"}
        for k, declared in enumerate(self.program.inputs):
            step = f"step{k}.{suffix}"
            size = len(declared.variables)
            self.put(f"%{step} = select i1 {'false' if declared.optional else f'%has{k}'}, i64 {size}, i64 0")
            values |= {f"in{k}": f"ptr %in{k}", f"step{k}": f"i64 %{step}"}
        values |= {f"out{k}": f"ptr {data}" for k, data in enumerate(outputs)}
        for place, word in enumerate(words(self.program)):
            self.put(f"%word{place}.{suffix} = getelementptr i64, ptr %job, i64 {place}")
            self.put(f"store {values[word]}, ptr %word{place}.{suffix}")
        self._without_lock(suffix)
        self.need(self.equal(f"right.rows.{suffix}", "i64", f"%large.rows.{suffix}", 0), otherwise)

    def _without_lock(self, suffix: str) -> None:
        """Run the code; a long run lets other threads of Python go on."""
        self.put(
            f"%long.{suffix} = icmp sgt i64 %n, {_LONG}",
            f"br i1 %long.{suffix}, label %free.{suffix}, label %held.{suffix}",
        )
        self.put(
            f"free.{suffix}:", f"%thread.{suffix} = call ptr %save.thread()", f"%a.{suffix} = call i64 %rows(ptr %job)"
        )
        self.put(f"call void %restore.thread(ptr %thread.{suffix})", f"br label %ran.{suffix}", f"held.{suffix}:")
        self.put(f"%b.{suffix} = call i64 %rows(ptr %job)", f"br label %ran.{suffix}", f"ran.{suffix}:")
        self.put(f"%large.rows.{suffix} = phi i64 [ %a.{suffix}, %free.{suffix} ], [ %b.{suffix}, %held.{suffix} ]")


# The function that Python calls for one state of a program with branches, as LLVM text: it makes the whole answer.
#
# The outputs of such a program are `OUTPUTS`: the numbers of each branch, which branches exist, which of their numbers
# are free, the errors, and a state: are the inputs right, how many branches exist, is a number free, the smallest
# error. The answer is an object with the slots `SLOTS`. It is made here for a usual state only: the inputs are exact
# arrays that are right, nothing is free, and no branch is lost to rounding. For every other state the function returns
# None.


OUTPUTS = ("q", "valid", "free", "error", "state")
SLOTS = ("q", "valid", "free", "distance", "status", "poses")
#: The words of the context, before one for each optional input: the address of its default.
BRANCHES_CONTEXT = (
    *("array.type", "descriptor", "new.array", "allocate", "take", "release", "nothing", "answer.type"),
    *("complete", "unreachable", "states", "constants"),
)
_NAN = "double 0x7FF8000000000000"


@dataclass(frozen=True, slots=True)
class AnswerLayout:
    """How answers are made: where the slots lie in bytes, and below which error a branch may be a lost one."""

    slots: tuple[int, ...]
    nearly: float | None


def branches_text(program: Program, answer: AnswerLayout) -> str:
    """`branches(context, args, nargs)`, where the context is a NumPy array."""
    return "\n".join([*_BranchesWriter(program, answer).function(), ""])


class _BranchesWriter(ObjectLines):
    def __init__(self, program: Program, answer: AnswerLayout) -> None:
        super().__init__()
        self.program, self.answer = program, answer
        self.required = [(k, i) for k, i in enumerate(program.inputs) if not i.optional]
        self.branches, self.joints = program.outputs[0].shape

    def function(self) -> list[str]:
        self._entry()
        self._inputs()
        self._run()
        self._usual()
        self._arrays()
        self._object()
        self.put("slow:", "call void %take(ptr %nothing)", "ret ptr %nothing", "none:")
        self.forget(4)
        self.put("ret ptr null", "}")
        shapes = (self.branches, self.joints), (self.branches,), (self.joints,), ()
        return [*(sizes(f"shape{k}", shape) for k, shape in enumerate(shapes)), *self.lines]

    def _entry(self) -> None:
        self.put("define ptr @branches(ptr %self, ptr %args, i64 %nargs) nounwind {", "entry:")
        self.put(f"%job = alloca [{len(words(self.program))} x i64]", "%counter = alloca i64")
        for output in self.program.outputs:
            self.put(f"%{output.name} = alloca [{len(output.elements)} x double]")
        self.nothing_made(4)
        self.field("context", "%self", FIELDS["data"], "ptr")
        self.read_context(*BRANCHES_CONTEXT, *(f"in{k}" for k, i in enumerate(self.program.inputs) if i.optional))
        self.need(self.equal("enough", "i64", "%nargs", len(self.required)))

    def _inputs(self) -> None:
        """Every array must be exact and have the shape of one state."""
        for position, (k, declared) in enumerate(self.required):
            array = self.field(f"array{k}", "%args", 8 * position, "ptr")
            self.exact(array, k, READABLE)
            axes = self.field(f"nd{k}", array, FIELDS["nd"], "i32")
            self.need(self.equal(f"axes{k}", "i32", axes, len(declared.shape)))
            shape = self.field(f"shape{k}", array, FIELDS["shape"], "ptr")
            for axis, size in enumerate(declared.shape):
                length = self.field(f"size{k}.{axis}", shape, 8 * axis, "i64")
                self.need(self.equal(f"fits{k}.{axis}", "i64", length, size))
            self.field(f"in{k}", array, FIELDS["data"], "ptr")

    def _run(self) -> None:
        """Compute the state into memory of this call, so that calls in calls do not meet."""
        self.put("store i64 0, ptr %counter")
        values = {"n": "i64 1", "counter": "ptr %counter", "constants": "ptr %constants"}
        for k in range(len(self.program.inputs)):
            values |= {f"in{k}": f"ptr %in{k}", f"step{k}": "i64 0"}
        values |= {f"out{k}": f"ptr %{output.name}" for k, output in enumerate(self.program.outputs)}
        for place, word in enumerate(words(self.program)):
            self.put(f"%word{place} = getelementptr i64, ptr %job, i64 {place}")
            self.put(f"store {values[word]}, ptr %word{place}")
        self.put("%large = call i64 %states(ptr %job)")
        self.need(self.equal("right", "i64", "%large", 0))

    def _usual(self) -> None:
        """The inputs are right, nothing is free, and no more branches nearly exist than do."""
        for k, name in enumerate(("rigid", "count", "some", "least")):
            self.field(name, "%state", 8 * k, "double")
        self.put("%is.rigid = fcmp une double %rigid, 0.0", "%is.fixed = fcmp oeq double %some, 0.0")
        self.put("%is.usual = and i1 %is.rigid, %is.fixed")
        self.need("%is.usual")
        if self.answer.nearly is not None:
            self._nothing_lost(literal(self.answer.nearly, "double"))

    def _nothing_lost(self, nearly: str) -> None:
        close = "0.0"
        for k in range(self.branches):
            error = self.field(f"error{k}", "%error", 8 * k, "double")
            self.put(f"%is.close{k} = fcmp olt double {error}, {nearly}")
            self.put(f"%one{k} = uitofp i1 %is.close{k} to double", f"%close{k} = fadd double {close}, %one{k}")
            close = f"%close{k}"
        self.put(f"%is.whole = fcmp ole double {close}, %count")
        self.need("%is.whole")

    def _arrays(self) -> None:
        """q with NaN where a branch does not exist, which branches do, which joints are free (none), the distance."""
        for k, (axes, number) in enumerate(((2, "double"), (1, "bool"), (1, "bool"), (0, "double"))):
            self.new_array(k, axes, f"@shape{k}", number)
        row = f"<{self.joints} x double>"
        nothing = f"{row} <{', '.join([_NAN] * self.joints)}>"
        for k in range(self.branches):
            self.put(f"%exists.{k} = fcmp une double {self.field(f'valid{k}', '%valid', 8 * k, 'double')}, 0.0")
            self.put(f"%byte{k} = zext i1 %exists.{k} to i8", f"%to.valid{k} = getelementptr i8, ptr %out1, i64 {k}")
            self.put(f"store i8 %byte{k}, ptr %to.valid{k}")
            at = 8 * self.joints * k
            self.put(f"%from.q{k} = getelementptr i8, ptr %q, i64 {at}")
            self.put(f"%to.q{k} = getelementptr i8, ptr %out0, i64 {at}")
            self.put(f"%q{k} = load {row}, ptr %from.q{k}, align 8")
            self.put(f"%shown{k} = select i1 %exists.{k}, {row} %q{k}, {nothing}")
            self.put(f"store {row} %shown{k}, ptr %to.q{k}, align 8")
        self.put(f"store [{self.joints} x i8] zeroinitializer, ptr %out2", "store double %least, ptr %out3")

    def _object(self) -> None:
        """The answer, whose slots own what they hold."""
        self.put("%answer = call ptr %allocate(ptr %answer.type, i64 0)", "%is.made = icmp ne ptr %answer, null")
        self.need("%is.made", "none")
        self.put("%is.some = fcmp une double %count, 0.0")
        self.put("%status = select i1 %is.some, ptr %complete, ptr %unreachable", "call void %take(ptr %status)")
        self.put("call void %take(ptr %nothing)")  # there are no poses
        held = ("%new0", "%new1", "%new2", "%new3", "%status", "%nothing")
        for name, value, offset in zip(SLOTS, held, self.answer.slots, strict=True):
            self.put(f"%slot.{name} = getelementptr i8, ptr %answer, i64 {offset}")
            self.put(f"store ptr {value}, ptr %slot.{name}")
        self.put("ret ptr %answer")
