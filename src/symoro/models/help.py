"""The help text of a model: inputs and outputs with shapes and units, options, and an example that runs."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from symoro.models.entry import Entry, Option
from symoro.models.outputs import OUTPUTS, Described
from symoro.vocabulary import MOTION_UNITS

_WIDTH = 110
_UNITS = {what: " or ".join(units) for what, units in MOTION_UNITS.items()}

#: The inputs of models in shapes of letters; `models/outputs.py` explains n and m.
INPUTS: dict[str, Described] = {
    "quat": Described("(4,)", "with a floating base: its orientation, a unit quaternion x y z w", "1"),
    "q": Described("(n,)", "positions of the joints", _UNITS["position"]),
    "qd": Described("(m,)", "velocities", _UNITS["velocity"]),
    "qdd": Described("(m,)", "accelerations", _UNITS["acceleration"]),
    "tau": Described("(m,)", "torques of the motors", _UNITS["torque"]),
    "q_end": Described("(n,)", "positions at the end of the motion", _UNITS["position"]),
    "qd_end": Described("(m,)", "velocities at the end of the motion", _UNITS["velocity"]),
    "payload": Described("(4,)", "mass, and centre of mass in the link's frame", "kg and m"),
    "wrench": Described("(links, 6)", "optional: [f; m] of links on the environment", "N and N·m"),
    "V0": Described("(6,)", "with a base that moves: its velocity [v; ω] in frame 0", "m/s and rad/s"),
    "VP0": Described("(6,)", "with a base that moves: its acceleration [v̇; ω̇] in frame 0", "m/s² and rad/s²"),
}
#: Robots of examples, with numbers for the inputs: a closed configuration of the four-bar linkage.
_ARM = {"q": "[0.1, 0.2]", "qd": "[0.3, 0.4]", "qdd": "[0.5, 0.6]", "tau": "[1.0, 2.0]"}
_EXAMPLES = {
    "planar2r": {**_ARM, "q_end": "[0.2, 0.3]", "qd_end": "[0.4, 0.5]", "payload": "[2.0, 0.1, 0.0, 0.0]"},
    "four-bar": {"q": "[0.3, 0.396878, 1.255014]", "qd": "[0.4]", "qdd": "[0.6]"},
}
_LOOPS_ONLY = {"loop_closure", "loop_step", "loop_kinematics", "cut_wrenches"}


def text(entry: Entry) -> str:
    """The help of a model; a model without a row of outputs, such as one of a plug-in, has no list of them."""
    outputs = OUTPUTS.get(entry.name, {})
    parts = [
        _title(entry),
        _listed("Inputs of the compiled function", {name: INPUTS[name] for name in entry.inputs}),
        _listed("Outputs", outputs),
        "\n".join(_options(entry)),
        f"Example:\n\n{_indented(example(entry))}",
    ]
    return "\n\n".join(part for part in parts if part)


def example(entry: Entry) -> str:
    """Lines of Python that build the model of a small robot and evaluate it."""
    robot = "four-bar" if entry.name in _LOOPS_ONLY else "planar2r"
    needed = [option.name for option in entry.all_options if option.required]
    ends = [f"{name}={0 if name != needed[-1] else 2}" for name in needed]
    given = [f"{name}={_EXAMPLES[robot][name]}" for name in entry.inputs if name in _EXAMPLES[robot]]
    result = ", ".join(OUTPUTS[entry.name]) if len(OUTPUTS.get(entry.name, {})) == 1 else "result"
    made = ", ".join([f'"{robot}"', *ends])
    return f"model = symoro.{entry.name}({made})\n{result} = model.compile()({', '.join(given)})"


def _title(entry: Entry) -> str:
    aliases = f" Also called {', '.join(entry.aliases)}." if entry.aliases else ""
    return "\n".join(wrap(f"{entry.title} ({entry.citation}).{aliases}", _WIDTH))


def _listed(title: str, rows: dict[str, Described]) -> str:
    lines = [_item(name, f"{row.shape} {row.meaning}, in {row.unit}") for name, row in rows.items()]
    return "\n".join([f"{title}:\n", *lines]) if lines else ""


def _options(entry: Entry) -> Iterator[str]:
    yield "Options:\n"
    for option in entry.all_options:
        yield _item(option.name, f"{option.help} ({allowed(option)})")


def allowed(option: Option) -> str:
    """What an option may be, in words."""
    match option.kind:
        case "choice":
            words = ", ".join(map(repr, option.choices))
        case "effort":
            words = ", ".join(("True", "False", *map(repr, option.choices)))
        case "flag":
            words = "True, False"
        case "frame" | "link":
            words = "a number, or the name of a joint or frame"
        case "configuration":
            words = "a position for each joint"
    return words if option.required else f"{words}; default {option.default!r}"


def _item(name: str, words: str) -> str:
    return "\n".join(wrap(f"- {name}: {words}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False))


def _indented(code: str) -> str:
    return "\n".join(f"    {line}" for line in code.splitlines())
