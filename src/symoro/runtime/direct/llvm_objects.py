"""Lines of LLVM text that read and make objects of Python and NumPy, for functions that Python calls."""

from __future__ import annotations

from symoro.runtime.direct.layout import FIELDS

#: NumPy's flags: C-contiguous and aligned, and also writeable.
READABLE, WRITEABLE = 0x101, 0x501
#: NumPy's numbers of the types of elements.
_TYPE_NUMBER = {"double": 12, "float": 11, "bool": 0}


class ObjectLines:
    """The lines of a function. What it cannot take goes to the label `slow`; `none` is where memory is missing."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.labels = 0

    def put(self, *lines: str) -> None:
        self.lines += [line if line.endswith(":") or line in "}" else f"  {line}" for line in lines]

    def field(self, name: str, owner: str, offset: int | str, kind: str) -> str:
        """Read a field of an object into %name."""
        self.put(f"%{name}.at = getelementptr i8, ptr {owner}, i64 {offset}", f"%{name} = load {kind}, ptr %{name}.at")
        return f"%{name}"

    def need(self, condition: str, otherwise: str = "slow") -> None:
        """Go on only if the condition holds."""
        self.labels += 1
        self.put(f"br i1 {condition}, label %go{self.labels}, label %{otherwise}", f"go{self.labels}:")

    def equal(self, name: str, kind: str, a: str, b: str | int) -> str:
        self.put(f"%{name} = icmp eq {kind} {a}, {b}")
        return f"%{name}"

    def read_context(self, *words: str) -> None:
        """Read the words of %context, each into the value of its name."""
        for k, word in enumerate(words):
            self.field(word, "%context", 8 * k, "ptr")

    def exact(self, array: str, k: int | str, flags: int) -> None:
        """The object must be a NumPy array itself, of the function's type, with these flags."""
        kind = self.field(f"type{k}", array, FIELDS["type"], "ptr")
        self.need(self.equal(f"exact{k}", "ptr", kind, "%array.type"))
        descriptor = self.field(f"descriptor{k}", array, FIELDS["descriptor"], "ptr")
        self.need(self.equal(f"number{k}", "ptr", descriptor, "%descriptor"))
        self.put(f"%masked{k} = and i32 {self.field(f'flags{k}', array, FIELDS['flags'], 'i32')}, {flags}")
        self.need(self.equal(f"flagged{k}", "i32", f"%masked{k}", flags))

    def nothing_made(self, count: int) -> None:
        """%made is the list of new arrays."""
        array = f"[{max(count, 1)} x ptr]"
        self.put(f"%made = alloca {array}", f"store {array} zeroinitializer, ptr %made")

    def new_array(self, k: int, axes: int, shape: str, number: str, suffix: str = "") -> None:
        """Make the array %new{k}, the k-th of %made; its elements are at %out{k}."""
        self.put(
            f"%new{k}{suffix} = call ptr %new.array(ptr %array.type, i32 {axes}, ptr {shape}, "
            f"i32 {_TYPE_NUMBER[number]}, ptr null, ptr null, i32 0, i32 0, ptr null)",
            f"%exists{k}{suffix} = icmp ne ptr %new{k}{suffix}, null",
        )
        self.need(f"%exists{k}{suffix}", "none")
        self.put(
            f"%made{k}{suffix} = getelementptr ptr, ptr %made, i64 {k}",
            f"store ptr %new{k}{suffix}, ptr %made{k}{suffix}",
        )
        self.field(f"out{k}{suffix}", f"%new{k}{suffix}", FIELDS["data"], "ptr")

    def forget(self, count: int) -> None:
        """There was no memory for an object: release the arrays that were made before it."""
        for k in range(count):
            self.put(f"%left{k}.at = getelementptr ptr, ptr %made, i64 {k}", f"%left{k} = load ptr, ptr %left{k}.at")
            self.put(f"call void %release(ptr %left{k})")


def sizes(name: str, shape: tuple[int, ...]) -> str:
    """A constant with the sizes of an array."""
    numbers = ", ".join(f"i64 {size}" for size in shape) or "i64 0"
    return f"@{name} = internal constant [{max(len(shape), 1)} x i64] [{numbers}]"
