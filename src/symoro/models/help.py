"""The help text of a model: inputs and outputs with shapes and units, options, and an example that runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from symoro.bind.vocabulary import MOTION_UNITS
from symoro.models.entry import Entry, ModelOption, Quantity

_WIDTH = 110

#: The inputs of models; `Quantity` explains the letters of the shapes.
INPUTS: dict[str, Quantity] = {
    "quat": Quantity("quat", "with a floating base: its orientation, a unit quaternion x y z w", "1", "(4,)"),
    "q": Quantity("q", "positions of the joints", "position", "(n,)"),
    "qd": Quantity("qd", "velocities", "velocity", "(m,)"),
    "qdd": Quantity("qdd", "accelerations", "acceleration", "(m,)"),
    "tau": Quantity("tau", "torques of the motors", "torque", "(m,)"),
    "q_end": Quantity("q_end", "positions at the end of the motion", "position", "(n,)"),
    "qd_end": Quantity("qd_end", "velocities at the end of the motion", "velocity", "(m,)"),
    "payload": Quantity("payload", "mass, and centre of mass in the link's frame", "kg and m", "(4,)"),
    "wrench": Quantity("wrench", "optional: [f; m] of links on the environment", "N and N·m", "(links, 6)"),
    "V0": Quantity("V0", "with a base that moves: its velocity [v; ω] in frame 0", "m/s and rad/s", "(6,)"),
    "VP0": Quantity("VP0", "with a base that moves: its acceleration [v̇; ω̇] in frame 0", "m/s² and rad/s²", "(6,)"),
}
#: Robots of examples, with numbers for the inputs: a closed configuration of the four-bar linkage.
_ARM = {"q": "[0.1, 0.2]", "qd": "[0.3, 0.4]", "qdd": "[0.5, 0.6]", "tau": "[1.0, 2.0]"}
_EXAMPLES = {
    "planar2r": {**_ARM, "q_end": "[0.2, 0.3]", "qd_end": "[0.4, 0.5]", "payload": "[2.0, 0.1, 0.0, 0.0]"},
    "four-bar": {"q": "[0.3, 0.396878, 1.255014]", "qd": "[0.4]", "qdd": "[0.6]"},
}
_LOOPS_ONLY = {"loop_closure", "loop_step", "loop_kinematics", "cut_wrenches"}


def text(entry: Entry) -> str:
    """The help of a model."""
    parts = [
        _title(entry),
        _listed("Inputs of the compiled function", [INPUTS[name] for name in entry.inputs]),
        _listed("Outputs", entry.outputs),
        "\n".join(_options(entry)),
        f"Example:\n\n{_indented(example(entry))}",
    ]
    return "\n\n".join(part for part in parts if part)


def example(entry: Entry) -> str:
    """Lines of Python that build the model of a small robot and evaluate it."""
    robot = "four-bar" if entry.name in _LOOPS_ONLY else "planar2r"
    needed = [option.name for option in entry.all_options if option.required]
    ends = [f"{name}={0 if name != needed[-1] else 2}" for name in needed]
    inputs = [f"{name}={_EXAMPLES[robot][name]}" for name in entry.inputs if name in _EXAMPLES[robot]]
    result = entry.outputs[0].name if len(entry.outputs) == 1 else "result"
    arguments = ", ".join([f'"{robot}"', *ends])
    return f"model = symoro.{entry.name}({arguments})\n{result} = model.compile()({', '.join(inputs)})"


def _title(entry: Entry) -> str:
    aliases = f" Also called {', '.join(entry.aliases)}." if entry.aliases else ""
    return "\n".join(wrap(f"{entry.title} ({entry.citation}).{aliases}", _WIDTH))


def _listed(title: str, rows: Sequence[Quantity]) -> str:
    lines = [_item(row.name, f"{row.shape} {row.meaning}, in {_unit(row.unit)}") for row in rows]
    return "\n".join([f"{title}:\n", *lines]) if lines else ""


def _unit(name: str) -> str:
    return " or ".join(MOTION_UNITS.get(name, (name,)))


def _options(entry: Entry) -> Iterator[str]:
    yield "Options:\n"
    for option in entry.all_options:
        yield _item(option.name, f"{option.en} ({allowed(option)})")


def allowed(option: ModelOption) -> str:
    """What an option may be, in words."""
    words = ", ".join(str(word) for word in option.kind.allowed() if word != repr(None))
    return words if option.required else f"{words}; default {option.default!r}"


def _item(name: str, words: str) -> str:
    return "\n".join(wrap(f"- {name}: {words}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False))


def _indented(code: str) -> str:
    return "\n".join(f"    {line}" for line in code.splitlines())
