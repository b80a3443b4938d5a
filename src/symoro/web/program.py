"""A program as data for the page: symbols with their meaning, instructions that it can run, equations in groups.

The page runs the instructions itself, so that values follow a slider without a request. An equation is LaTeX in which
every symbol carries its number, so that the page can light it; it never searches in texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from symoro.ir.expand import shown_size, written_out
from symoro.ir.expr import Op, OpCount
from symoro.ir.infix import statements, trees, write
from symoro.ir.latex import Mark, latex_name, lines
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Instruction, Literal, Operand, Output, Program, Variable, count


def program_data(program: Program) -> dict[str, Any]:
    """All of a program: see the functions below for its parts."""
    numbers = _numbers(program)
    return {
        "symbols": list(_symbols(program, numbers)),
        "inputs": [_input(array, numbers) for array in program.inputs],
        "parameters": [numbers[p.name] for p in program.parameters],
        "outputs": [_output(output, numbers) for output in program.outputs],
        "setup": len(program.setup),
        "instructions": [
            [i.op.value, [numbers[r] for r in i.results], [_operand(a, numbers) for a in i.args]]
            for i in (*program.setup, *program.instructions)
        ],
        **_equations(program, numbers),
        "ops": ops_data(program.ops),
        "setup_ops": ops_data(program.setup_ops),
        "call": program.call,
    }


def _input(array: Input, numbers: dict[str, int]) -> dict[str, Any]:
    symbols = [numbers[v.name] for v in array.variables]
    return {"name": array.name, "shape": array.shape, "optional": array.optional, "symbols": symbols}


def _output(output: Output, numbers: dict[str, int]) -> dict[str, Any]:
    return {
        "name": output.name,
        "shape": output.shape,
        "names": output.names,
        "elements": [_operand(e, numbers) for e in output.elements],
        "units": [meaning.unit for meaning in output.meanings],
    }


def expanded_data(program: Program) -> dict[str, Any]:
    """The rows and groups of outputs that are written out; the last group has those that are too long, with sizes."""
    numbers, expansion = _numbers(program), written_out(program)
    equations = _equations(expansion.program, numbers)
    rows, groups = [row | {"tex": _breakable(row["tex"])} for row in equations["rows"]], equations["groups"]
    if expansion.too_large:
        groups.append(_group("large", len(rows), len(expansion.too_large)))
        rows += [
            {"defines": [numbers[name]], "tex": _marked(numbers)(name, latex_name(name)), "text": name, "reads": []}
            | {"size": shown_size(size)}
            for name, size in expansion.too_large.items()
        ]
    return {"rows": rows, "groups": groups}


def _breakable(tex: str) -> str:
    """A long formula needs several lines, and none can begin between parentheses that grow with their content."""
    return tex.replace(r"\left(", "(").replace(r"\right)", ")")


def ops_data(ops: OpCount) -> dict[str, int]:
    return {name: getattr(ops, name) for name in ("mul", "add", "div", "sqrt", "trig", "other")}


def _numbers(program: Program) -> dict[str, int]:
    """A number for each name, anonymous results and names of output elements included."""
    names = [v.name for v in (*program.input_variables(), *program.parameters)]
    names += [r for i in (*program.setup, *program.instructions) for r in i.results]
    names += [name for output in program.outputs for name in output.names]
    return {name: k for k, name in enumerate(dict.fromkeys(names))}


def _operand(operand: Operand, numbers: dict[str, int]) -> list[float]:
    """[number of a symbol, sign], or [value] of a constant."""
    if isinstance(operand, Literal):
        return [float(operand.value)]
    return [numbers[operand.name], -1 if operand.negative else 1]


def _symbols(program: Program, numbers: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Name, kind, meaning, unit, link, equation and default of each symbol, in the order of the numbers."""
    symbols: dict[str, dict[str, Any]] = {}
    for variable in program.input_variables():
        symbols[variable.name] = _variable(variable, "input")
    for parameter in program.parameters:
        symbols[parameter.name] = _variable(parameter, "parameter")
    for kind, section in (("constant", program.setup), ("variable", program.instructions)):
        for instruction in section:
            for name in instruction.results:
                symbols[name] = {"name": name, "kind": kind, **_meaning(instruction.meaning)}
    for output in program.outputs:
        meanings = output.meanings or (None,) * len(output.names)
        for name, meaning in zip(output.names, meanings, strict=True):
            known = symbols.setdefault(name, {"name": name, "kind": "output"})
            known.update({key: value for key, value in _meaning(meaning).items() if not known.get(key)})
    return (symbols[name] for name in numbers)


def _variable(variable: Variable, kind: str) -> dict[str, Any]:
    return {"name": variable.name, "kind": kind, "default": variable.default, **_meaning(variable.meaning)}


def _meaning(meaning: Meaning | None) -> dict[str, Any]:
    if meaning is None:
        return {}
    entries = {"text": meaning.text, "unit": meaning.unit, "link": meaning.link, "equation": meaning.equation}
    return {key: value for key, value in entries.items() if value not in ("", None)}


# equations


def _equations(program: Program, numbers: dict[str, int]) -> dict[str, Any]:
    """Rows, and the groups in which they are shown."""
    texts = dict(_texts(program))
    reads = dict(_reads(program))
    by_result = {r: i for i in (*program.setup, *program.instructions) for r in i.results}
    constants = {r for i in program.setup for r in i.results}
    results = {name for output in program.outputs for name in output.names}
    rows: list[dict[str, Any]] = []
    keys: list[tuple[str, int | None]] = []
    for names, line in lines(program, _marked(numbers)):
        instruction = by_result.get(names[0])
        read = reads.get(names[0], [])
        rows.append(
            {
                "defines": [numbers[name] for name in names],
                "tex": line.replace("&=", "=", 1),
                "text": texts.get(names[0], ""),
                "reads": sorted({numbers[name] for name in read}),
            }
        )
        keys.append(("results", None) if names[0] in results else _key(instruction, constants))
    return {"rows": rows, "groups": list(_groups(_filled(keys), rows, program, by_result, list(numbers)))}


def _marked(numbers: dict[str, int]) -> Mark:
    """Writes a symbol with its number; what is written out has none."""
    return lambda name, form: rf"\htmlData{{s={numbers.get(name, -1)}}}{{{form}}}"


def _texts(program: Program) -> Iterator[tuple[str, str]]:
    every = (*program.setup, *program.instructions)
    for statement in statements(every):
        yield statement.names[0], f"{', '.join(statement.names)} = {write(statement.right)}"
    defined = {r for i in every for r in i.results}
    for output in program.outputs:
        right = trees(every, output.elements)
        yield from ((n, f"{n} = {write(r)}") for n, r in zip(output.names, right, strict=True) if n not in defined)


def _reads(program: Program) -> Iterator[tuple[str, list[str]]]:
    """The named symbols that the equation of each name reads; those of anonymous results are its own."""
    pending: dict[str, list[str]] = {}
    for instruction in (*program.setup, *program.instructions):
        read = [name for arg in instruction.reads for name in pending.get(arg, [arg])]
        if instruction.anonymous:
            pending[instruction.results[0]] = read
        else:
            yield instruction.results[0], read
    defined = {r for i in (*program.setup, *program.instructions) for r in i.results}
    for output in program.outputs:
        for name, element in zip(output.names, output.elements, strict=True):
            if name not in defined and not isinstance(element, Literal):
                yield name, pending.get(element.name, [element.name])


Key = tuple[str, int | None]
"""The kind of a group and its link."""


def _key(instruction: Instruction | None, constants: set[str]) -> Key:
    if instruction is None:
        return "", None
    if instruction.results[0] in constants:
        return "setup", None
    if instruction.op in (Op.SIN, Op.COS):
        return "angles", None
    meaning = instruction.meaning
    return ("link", meaning.link) if meaning is not None and meaning.link is not None else ("", None)


def _filled(keys: list[Key]) -> list[Key]:
    """Rows without a link belong to the next row that has one: they are what it needs.

    Those that follow the sines and cosines prepare all links, and the last ones belong to the row before them.
    """
    keys, first_link = list(keys), next((k for k, key in enumerate(keys) if key[0] == "link"), len(keys))
    angles = max((k for k in range(first_link) if keys[k][0] == "angles"), default=-1)
    for k in range(first_link):
        if not keys[k][0]:
            keys[k] = ("angles" if k < angles else "prepare", None)
    filled: list[Key] = []
    after: Key = ("", None)
    for key in reversed(keys):
        after = key if key[0] else after
        filled.append(after if not key[0] else key)
    filled.reverse()
    before: Key = ("other", None)
    for k, key in enumerate(filled):
        filled[k] = before = key if key[0] else before
    return filled


def _groups(
    keys: list[Key],
    rows: list[dict[str, Any]],
    program: Program,
    by_result: dict[str, Instruction],
    names: list[str],
) -> Iterator[dict[str, Any]]:
    """Neighbouring rows of one kind and link; outward while the links' numbers grow, inward after that."""
    first, way, last = 0, "outward", 0
    for (kind, link), members in groupby(keys):
        size = len(list(members))
        if link is not None:
            way, last = "inward" if link < last else "outward" if link > last else way, link
        defined = (names[s] for row in rows[first : first + size] for s in row["defines"])
        instructions = [by_result[name] for name in defined if name in by_result]
        yield _group(kind, first, size) | {
            "link": link,
            "way": way if kind == "link" else "",
            "equations": _cited(instructions),
            "ops": ops_data(count(program.setup)) if kind == "setup" else None,
        }
        first += size


def _group(kind: str, first: int, size: int) -> dict[str, Any]:
    return {"kind": kind, "link": None, "way": "", "first": first, "count": size, "equations": "", "ops": None}


def _cited(instructions: list[Instruction]) -> str:
    """The equations from which the instructions come: K97:6-10."""
    citations = dict.fromkeys(i.meaning.equation for i in instructions if i.meaning and i.meaning.equation)
    papers: dict[str, list[str]] = {}
    for cited in citations:
        paper, _, number = cited.partition(":")
        papers.setdefault(paper, []).append(number)
    return ", ".join(f"{paper}:{_range(numbers)}" for paper, numbers in papers.items())


def _range(numbers: list[str]) -> str:
    plain = sorted({number.rstrip("abcdef") for number in numbers}, key=lambda n: (len(n), n))
    return plain[0] if len(plain) == 1 else f"{plain[0]}–{plain[-1]}"
