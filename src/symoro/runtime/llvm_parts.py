"""Cuts a long block of LLVM text into parts, where results are stored among the lines that compute them.

LLVM's time grows with the square of the stores of a block: for a matrix of 8,000 elements it is seconds.
"""

from __future__ import annotations

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
