"""The page: a local server for the browser. `symoro gui` starts it; it needs the extra `gui`.

A request is validated (`requests`), becomes a task (`tasks`) and runs in a process of its own with limits (`jobs`,
`limits`). The answers are data: robots (`document`), programs (`program`), files of code with the instruction of each
line. The page itself, in `frontend/`, is built into the folder `static`.
"""
