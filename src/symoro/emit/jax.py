"""JAX: a module of pure functions, to use with jit, vmap and grad, and its self-test."""

from __future__ import annotations

from dataclasses import replace

from symoro.emit.package import Package
from symoro.emit.python import TARGET as PYTHON
from symoro.emit.render import render
from symoro.emit.target import decimal
from symoro.ir.evaluate import NUMPY_NAMES
from symoro.ir.infix import Dialect

#: Lines of a function that a self-test compiles: jax.jit takes minutes for many thousand, and memory grows with them.
_MOST_COMPILED = 2000


def _write(package: Package) -> dict[str, str]:
    files = {
        f"{package.name}.py": "jax/module.py",
        f"{package.name}_selftest.py": "jax/selftest.py",
        "README.md": "jax/README.md",
    }
    return render(package, files, most_compiled=_MOST_COMPILED)


TARGET = replace(
    PYTHON,
    name="jax",
    title="Python with JAX",
    dialect=Dialect(
        functions={op: f"jnp.{name}" for op, name in NUMPY_NAMES.items()},
        select="jnp.where({0}, {1}, {2})",
        square=None,
    ),
    reserved=PYTHON.reserved | {"jnp", "jax"},
    write=_write,
    number=lambda value: decimal(value, "jnp.inf", "jnp.nan"),
    iterates=False,
    modules=("jax",),
)
