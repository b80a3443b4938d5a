"""The job: the argument of compiled code, an array of 64-bit words. It is laid out here and nowhere else.

Its words are the number of states, the address of a counter of states that are taken, the address of the constants, for
each input its address and the elements between two states (0 where all states share it), and each output's address.
"""

from __future__ import annotations

from symoro.ir.program import Program


def words(program: Program) -> list[str]:
    """The names of the words, which are their names in the code, too."""
    inputs = [word for k in range(len(program.inputs)) for word in (f"in{k}", f"step{k}")]
    return ["n", "counter", "constants", *inputs, *(f"out{k}" for k in range(len(program.outputs)))]


def read_words(program: Program) -> list[str]:
    """LLVM text that reads every word of %job."""
    lines = []
    for k, word in enumerate(words(program)):
        kind = "i64" if word == "n" or word.startswith("step") else "ptr"
        lines += [f"  %at.{word} = getelementptr i64, ptr %job, i64 {k}", f"  %{word} = load {kind}, ptr %at.{word}"]
    return lines
