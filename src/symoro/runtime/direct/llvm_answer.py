"""The function that Python calls for one state of a program with branches, as LLVM text: it makes the whole answer.

The outputs of such a program are `OUTPUTS`: the numbers of each branch, which branches exist, which of their numbers
are free, the errors, and a state: are the inputs right, how many branches exist, is a number free, the smallest
error. The answer is an object with the slots `SLOTS`. It is made here for a usual state only: the inputs are exact
arrays that are right, nothing is free, and no branch is lost to rounding. For every other state the function returns
None.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.ir.program import Program
from symoro.runtime.direct.layout import FIELDS
from symoro.runtime.direct.llvm_objects import READABLE, ObjectLines, sizes
from symoro.runtime.job import words
from symoro.runtime.llvm_lanes import literal

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
