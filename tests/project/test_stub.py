"""The stub shows type checkers and editors what Python finds when it runs."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.models.catalogue import entries
from symoro.models.entry import Entry, ModelOption
from symoro.models.help import example

ROOT = Path(__file__).parents[2]
STUB = ROOT / "src" / "symoro" / "__init__.pyi"
BY_NAME = pytest.mark.parametrize("entry", list(entries()), ids=lambda entry: entry.name)


def test_the_stub_is_the_one_of_the_catalogue() -> None:
    run = subprocess.run([sys.executable, str(ROOT / "docs" / "stub.py"), "--check"], check=False)
    assert run.returncode == 0, "the stub has changed: run python docs/stub.py"


def test_every_public_name_is_in_the_stub_and_no_other() -> None:
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assigned = {target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets}  # type: ignore[attr-defined]
    imported = {alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert (defined | assigned | imported) - {None, "__all__", "__version__"} == set(dir(symoro))


@BY_NAME
def test_the_stub_has_the_signature_and_the_help_of_the_function(entry: Entry) -> None:
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    node = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry.name)
    function = getattr(symoro, entry.name)
    parameters = inspect.signature(function).parameters.values()
    assert [argument.arg for argument in node.args.args] == [parameter.name for parameter in parameters]
    defaults = [parameter.default for parameter in parameters if parameter.default is not parameter.empty]
    assert [ast.literal_eval(default) for default in node.args.defaults] == defaults
    assert ast.get_docstring(node) == inspect.getdoc(function)
    assert all(inspect.getdoc(getattr(symoro, alias)) == inspect.getdoc(function) for alias in entry.aliases)


@BY_NAME
def test_the_example_of_the_help_runs_and_gives_the_outputs_it_names(entry: Entry) -> None:
    names: dict[str, object] = {"symoro": symoro}
    exec(example(entry), names)
    model = names["model"]
    assert isinstance(model, symoro.Model)
    told = {quantity.name: quantity.shape for quantity in entry.outputs}
    assert set(model.outputs) <= set(told)
    assert next(iter(told)) in model.outputs
    for name, shape in model.outputs.items():
        found = names[name] if len(told) == 1 else names["result"]
        found = getattr(found, name) if len(model.outputs) > 1 else found
        assert np.shape(found) == shape  # type: ignore[arg-type]
        assert len(shape) in {axes(one) for one in told[name].split(" or ")}


def axes(shape: str) -> int:
    """The number of axes of a shape such as (m, 6)."""
    return len([part for part in shape.strip("()").split(",") if part.strip()])


def script(folder: Path) -> Path:
    """A program of a user that builds every model with each value that its options allow, and uses the results."""
    lines = ["import symoro", "", 'robot = symoro.load("puma560")', "models: list[symoro.Model] = []"]
    for entry in entries():
        for name in (entry.name, *entry.aliases):
            lines.append(f"models.append(symoro.{name}({', '.join(['robot', *map(given, required(entry))])}))")
        for option in entry.all_options:
            for choice in option.choices:
                others = [given(o) for o in required(entry) if o is not option]
                lines.append(f"symoro.{entry.name}({', '.join(['robot', *others, f'{option.name}={choice!r}'])})")
    lines += [
        "for model in models:",
        "    print(model, model.ops.total, model.inputs, model.outputs, model.equations()[0][1].lower())",
        '    print([path.name for path in model.emit("c", "folder")], model.derivative("q").latex())',
        "    function = model.compile()",
        "    result = function([0.0] * 6)",
        "    print(result, function.inputs)",
        'q = symoro.loop_geometry("four-bar").compile()(0.3)',
        'print(q.shape, symoro.base_parameters(robot, friction=True).parameters, symoro.mobility("four-bar").mobility)',
        'print(symoro.check(robot), symoro.singularities(robot), robot.with_values({"M1": 2.0}).joint("elbow").name)',
        'print(symoro.draw(robot, [0.0] * 6, to="robot.svg").get_axes()[0].get_title())',
        'print(symoro.loop_geometry("four-bar").closure.ops, symoro.Inertia.from_com(1.0, [0] * 3, [[0] * 3] * 3).M)',
    ]
    path = folder / "users_script.py"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def required(entry: Entry) -> list[ModelOption]:
    return [option for option in entry.all_options if option.required]


def given(option: ModelOption) -> str:
    return f"{option.name}=6"


@pytest.mark.long
def test_pyright_in_strict_mode_passes_a_script_that_builds_every_model(tmp_path: Path) -> None:
    script(tmp_path)
    config = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT / "src")], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "-p", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    (tmp_path / "users_script.py").write_text('import symoro\nsymoro.idm("rx90", params="bse")\n', encoding="utf-8")
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 1, "a wrong option must be an error"
    assert "bse" in run.stdout


@pytest.mark.long
def test_mypy_in_strict_mode_passes_a_script_that_builds_every_model(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml")]
    run = subprocess.run([*command, str(script(tmp_path))], capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 0, run.stdout + run.stderr
