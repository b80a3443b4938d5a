"""Types, expressions and statements of the small part of C that is translated to other languages.

Arrays have a fixed size, or any (`None`, only as a parameter); structs and arrays are values, and only parameters refer
to those of the caller. Every conversion is written (`Convert`), and a truth value is not a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field

INT, DOUBLE, CHAR, BOOL, VOID = "int", "double", "char", "bool", "void"


@dataclass(frozen=True, slots=True)
class Type:
    """A scalar, a struct (`base` is its name) or an array of them."""

    base: str
    shape: tuple[int | None, ...] = ()

    @property
    def scalar(self) -> bool:
        return not self.shape and self.base in (INT, DOUBLE, CHAR, BOOL)

    @property
    def number(self) -> bool:
        """Whether its elements are numbers: letters and structs are not."""
        return self.base in (INT, DOUBLE)


@dataclass(frozen=True, slots=True)
class CNumber:
    text: str
    type: Type


@dataclass(frozen=True, slots=True)
class Letter:
    """One letter; an empty one is a place without a letter."""

    letter: str
    type: Type = Type(CHAR)


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class At:
    """An element or a row: base[index]."""

    base: Expression
    index: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class CPart:
    """A field of a struct."""

    base: Expression
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class CFlat:
    """The elements of a matrix, row after row, as one array."""

    base: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class CCall:
    """A function of the program, or of the mathematical library."""

    name: str
    arguments: tuple[Expression, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Unary:
    """- or !"""

    op: str
    operand: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class Binary:
    op: str
    left: Expression
    right: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class CChoice:
    condition: Expression
    yes: Expression
    no: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class Convert:
    """A number of another type, a truth value as 0 or 1, or a number that is not 0 as a truth value."""

    operand: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class Listed:
    """The elements of an array or the fields of a struct; without any, all are zero."""

    items: tuple[Expression, ...]
    type: Type


Expression = CNumber | Letter | Name | At | CPart | CFlat | CCall | Unary | Binary | CChoice | Convert | Listed


@dataclass(frozen=True, slots=True)
class Declare:
    """A variable; without a value it is assigned before it is read."""

    name: str
    type: Type
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Assign:
    """target op value, where op is = += -= *= or /=; arrays and structs are copied."""

    target: Expression
    op: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Do:
    """A call for its effects."""

    call: CCall


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    yes: Block
    no: Block = ()


@dataclass(frozen=True, slots=True)
class Count:
    """For a variable from `first` to below `end`, by steps of one; nothing of it changes on the way."""

    name: str
    first: Expression
    end: Expression
    body: Block


@dataclass(frozen=True, slots=True)
class While:
    condition: Expression
    body: Block


@dataclass(frozen=True, slots=True)
class Jump:
    """break or continue"""

    word: str


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    text: str


@dataclass(frozen=True, slots=True)
class CScope:
    """A loop with the variables that only it has."""

    body: Block


Statement = Declare | Assign | Do | If | Count | While | Jump | Return | Remark | CScope
Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter; `written` says that the function changes what the caller has."""

    name: str
    type: Type
    reference: bool = False
    written: bool = False


@dataclass(frozen=True, slots=True)
class CFunction:
    name: str
    type: Type
    parameters: tuple[CParameter, ...]
    body: Block
    remark: str = ""
    public: bool = False

    @property
    def written(self) -> tuple[CParameter, ...]:
        return tuple(p for p in self.parameters if p.written)


@dataclass(frozen=True, slots=True)
class Struct:
    name: str
    fields: tuple[tuple[str, Type, str], ...]  # name, type, remark
    remark: str = ""


@dataclass(frozen=True, slots=True)
class CConstant:
    name: str
    type: Type
    value: Expression
    remark: str = ""
    public: bool = False


@dataclass(frozen=True, slots=True)
class CSource:
    """A whole program: functions come after those that they call."""

    structs: dict[str, Struct] = field(default_factory=dict)
    constants: dict[str, CConstant] = field(default_factory=dict)
    functions: dict[str, CFunction] = field(default_factory=dict)
