"""JAX: a module of pure functions, to use with jit, vmap and grad, and its self-test."""

from __future__ import annotations

from dataclasses import replace

from symoro.emit.python import TARGET as PYTHON
from symoro.emit.python import write_module
from symoro.emit.target import decimal
from symoro.ir.evaluate import NUMPY_NAMES
from symoro.ir.infix import Dialect

#: Lines of a function that a self-test compiles: jax.jit takes minutes for many thousand, and memory grows with them.
_MOST_COMPILED = 1000

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
    write=lambda package: write_module(package, "jax", readme=True, most_compiled=_MOST_COMPILED),
    number=lambda value: decimal(value, "jnp.inf", "jnp.nan"),
    iterates=False,
    modules=("jax",),
    taken=PYTHON.taken | {"jaxlib", "ml_dtypes", "opt_einsum", "scipy"},
)
