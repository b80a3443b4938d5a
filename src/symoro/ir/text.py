"""A program as text that reads back exactly: one line for each variable, operation and output element.

    symoro program 1
    input q [2] text="joint positions"
      q1 label="1" unit="rad"
      q2 label="2" unit="rad"
    parameter M2 default=1.5 unit="kg"
    setup
      K = mul #1/2 M2
    instructions
      S2 = sin q2
      GAM1 = mul -S2 K
    output GAM [1]
      GAM1 = GAM1

A line that is not indented opens a section; `-S2` is the negative of S2, `#1/2` and `#pi/2` are numbers, and
`key=value` gives a part of a meaning. A name with unusual characters is written as a JSON string.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import fields

from symoro.errors import ProgramError
from symoro.findings import Finding
from symoro.ir.expr import ARITY, Constant, Op, parse_constant
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Instruction, Literal, Operand, Output, Program, Ref, Variable
from symoro.ir.spec import validate

HEADER = "symoro program 1"
_PLAIN = re.compile(r"%?\w+(\.\w+)*")
_INSTRUCTIONS = {op.value: op for op in (*ARITY, Op.SOLVE)}


# writing


def dump(program: Program) -> str:
    """The text of a program; parse() is its inverse."""
    return "\n".join((HEADER, *_lines(program), ""))


def _lines(program: Program) -> Iterator[str]:
    for array in program.inputs:
        flags = " optional" if array.optional else ""
        yield f"input {_word(array.name)} {_shape(array.shape)}{flags}{_meaning(array.meaning)}"
        yield from (f"  {_variable(v)}" for v in array.variables)
    yield from (f"parameter {_variable(p)}" for p in program.parameters)
    for section, instructions in (("setup", program.setup), ("instructions", program.instructions)):
        yield section
        yield from (f"  {_instruction(i)}" for i in instructions)
    for output in program.outputs:
        yield f"output {_word(output.name)} {_shape(output.shape)}{' meanings' if output.meanings else ''}"
        for i, (name, element) in enumerate(zip(output.names, output.elements, strict=True)):
            meaning = _meaning(output.meanings[i]) if output.meanings else ""
            yield f"  {_word(name)} = {_operand(element)}{meaning}"


def _word(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else json.dumps(name)


def _shape(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"


def _variable(variable: Variable) -> str:
    label = "" if variable.label is None else f" label={json.dumps(variable.label)}"
    default = "" if variable.default is None else f" default={float(variable.default)!r}"
    return f"{_word(variable.name)}{label}{default}{_meaning(variable.meaning)}"


def _meaning(meaning: Meaning) -> str:
    values = ((f.name, getattr(meaning, f.name), f.default) for f in fields(Meaning))
    return "".join(f" {name}={json.dumps(value)}" for name, value, default in values if value != default)


def _instruction(instruction: Instruction) -> str:
    left = " ".join(map(_word, instruction.results))
    args = " ".join(map(_operand, instruction.args))
    meaning = "" if instruction.meaning is None else _meaning(instruction.meaning) or ' text=""'
    return f"{left} = {instruction.op.value} {args}{meaning}"


def _operand(operand: Operand) -> str:
    if isinstance(operand, Literal):
        return f"#{operand.value}"
    return ("-" if operand.negative else "") + _word(operand.name)


# reading

_STRING = r'"(?:[^"\\]|\\.)*"'
_TOKEN = re.compile(rf'\s*(\w+=(?:{_STRING}|[^\s"]+)|-?{_STRING}|[^\s"]+)')
_NUMBER = re.compile(r"-?\d{1,400}(/\d{1,400})?|-?(\d{1,400}\*)?pi(/\d{1,400})?|-?\d+(\.\d+)?([eE][+-]?\d{1,4})?")
_SECTIONS = "input, parameter, setup, instructions, output"


def parse(text: str) -> Program:
    """The program of a text, valid by `spec`."""
    return validate(_ProgramReader(text).program())


class _ProgramReader:
    """Reads line by line; `section` is the section to which indented lines belong."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.number = 0
        self.section = ""
        self.inputs: list[Input] = []
        self.parameters: list[Variable] = []
        self.code: dict[str, list[Instruction]] = {"setup": [], "instructions": []}
        self.outputs: list[Output] = []

    def program(self) -> Program:
        if not self.lines or self.lines[0].strip() != HEADER:
            self.number = 1
            raise self.error(Finding("programs.header", header=HEADER))
        for number, line in enumerate(self.lines[1:], start=2):
            self.number = number
            words = self.words(line)
            if words and line[0].isspace():
                self.item(words)
            elif words:
                self.open(words)
        setup, instructions = tuple(self.code["setup"]), tuple(self.code["instructions"])
        return Program(tuple(self.inputs), tuple(self.parameters), setup, instructions, tuple(self.outputs))

    def error(self, reason: Finding) -> ProgramError:
        return ProgramError("programs.line", line=self.number, reason=reason)

    def words(self, line: str) -> list[str]:
        words: list[str] = []
        position, line = 0, line.rstrip()
        while position < len(line):
            match = _TOKEN.match(line, position)
            if match is None:
                raise self.error(Finding("programs.quote", text=line[position:].strip()[:40]))
            words.append(match.group(1))
            position = match.end()
        return words

    def open(self, words: list[str]) -> None:
        """A line that is not indented."""
        self.section = words[0]
        match words:
            case ["input", name, shape, *rest]:
                optional = rest[:1] == ["optional"]
                meaning = self.meaning(rest[optional:])
                self.inputs.append(Input(self.name(name), self.shape(shape), (), optional, meaning))
            case ["parameter", name, *rest]:
                self.parameters.append(self.variable([name, *rest]))
            case ["setup" | "instructions"]:
                pass
            case ["output", name, shape, *rest] if rest in ([], ["meanings"]):
                self.outputs.append(Output(self.name(name), self.shape(shape), (), ()))
                self.section = "output meanings" if rest else "output"
            case _:
                raise self.error(Finding("programs.open", text=" ".join(words)[:60], sections=_SECTIONS))

    def item(self, words: list[str]) -> None:
        """An indented line."""
        if self.section == "input":
            last = self.inputs.pop()
            variables = (*last.variables, self.variable(words))
            self.inputs.append(Input(last.name, last.shape, variables, last.optional, last.meaning))
        elif self.section in self.code:
            self.code[self.section].append(self.instruction(words))
        elif self.section.startswith("output"):
            self.element(words)
        else:
            raise self.error(Finding("programs.indented", section=self.section))

    def element(self, words: list[str]) -> None:
        if len(words) < 3 or words[1] != "=":
            raise self.error(Finding("programs.element"))
        last = self.outputs.pop()
        meaning = self.meaning(words[3:])
        meanings = (*last.meanings, meaning) if self.section == "output meanings" else ()
        elements, names = (*last.elements, self.operand(words[2])), (*last.names, self.name(words[0]))
        self.outputs.append(Output(last.name, last.shape, elements, names, meanings))

    def instruction(self, words: list[str]) -> Instruction:
        if "=" not in words or words.index("=") == 0 or words.index("=") + 1 == len(words):
            raise self.error(Finding("programs.instruction"))
        split = words.index("=")
        results = tuple(map(self.name, words[:split]))
        op = _INSTRUCTIONS.get(words[split + 1])
        if op is None:
            raise self.error(Finding("programs.operation", operation=words[split + 1], allowed=_INSTRUCTIONS))
        operands = [w for w in words[split + 2 :] if not _is_pair(w)]
        pairs = words[split + 2 + len(operands) :]
        n = len(results)
        wanted = n * n + n if op is Op.SOLVE else ARITY[op]
        if len(operands) != wanted or (n > 1 and op is not Op.SOLVE):
            raise self.error(
                Finding("programs.operands", operation=op.value, results=n, wanted=wanted, count=len(operands))
            )
        return Instruction(results, op, tuple(map(self.operand, operands)), self.meaning(pairs) if pairs else None)

    def variable(self, words: list[str]) -> Variable:
        pairs = self.pairs(words[1:], (*_MEANING_KEYS, "label", "default"))
        label, default = pairs.pop("label", None), pairs.pop("default", None)
        return Variable(self.name(words[0]), Meaning(**pairs), default, label)  # type: ignore[arg-type]

    def meaning(self, words: list[str]) -> Meaning:
        return Meaning(**self.pairs(words, _MEANING_KEYS))  # type: ignore[arg-type]

    def pairs(self, words: list[str], allowed: tuple[str, ...]) -> dict[str, object]:
        """Words key=value as a dictionary; each key may occur once, and its value must be of the key's kind."""
        pairs: dict[str, object] = {}
        for word in words:
            key, _, value = word.partition("=")
            if not _is_pair(word) or key not in allowed or key in pairs:
                raise self.error(Finding("programs.pair", text=word[:40], allowed="=, ".join(allowed)))
            try:
                pairs[key] = _READ.get(key, _string)(value)
            except ValueError:
                code = {"link": "programs.no_whole", "default": "programs.no_number"}.get(key, "programs.no_text")
                raise self.error(Finding(code, key=key, value=value[:40])) from None
        return pairs

    def name(self, word: str) -> str:
        if word.startswith('"'):
            try:
                return _string(word)
            except ValueError:
                raise self.error(Finding("programs.no_json", text=word[:40])) from None
        if not _PLAIN.fullmatch(word):
            raise self.error(Finding("programs.no_name", text=word[:40]))
        return word

    def operand(self, word: str) -> Operand:
        if word.startswith("#"):
            return Literal(self.constant(word[1:]))
        return Ref(self.name(word.removeprefix("-")), word.startswith("-"))

    def constant(self, word: str) -> Constant:
        try:
            if not _NUMBER.fullmatch(word):
                raise ValueError
            value = parse_constant(word)
            if not math.isfinite(float(value)):
                raise OverflowError
        except (ValueError, ArithmeticError):
            raise self.error(Finding("programs.no_constant", text=word[:40])) from None
        return value

    def shape(self, word: str) -> tuple[int, ...]:
        if not re.fullmatch(r"\[(\d{1,9}(,\d{1,9})*)?\]", word):
            raise self.error(Finding("programs.no_shape", text=word[:40]))
        return tuple(int(n) for n in word[1:-1].split(",") if n)


_MEANING_KEYS = tuple(f.name for f in fields(Meaning))
_READ: dict[str, Callable[[str], object]] = {"link": int, "default": float}


def _string(word: str) -> str:
    if not word.startswith('"'):
        raise ValueError
    return str(json.loads(word))


def _is_pair(word: str) -> bool:
    return re.match(r"\w+=", word) is not None
