"""The tab key in bash: the script that symoro gives to bash, run by bash itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.tools import needs_bash

INVERSE_MODELS = ["inverse_dynamics", "inverse_dynamics_derivatives", "inverse_geometry"]
#: The words as bash splits them (it ends a word at a sign =), and what it must offer.
CASES = {
    "a command": (["sh"], ["show"]),
    "a robot": (["show", "pum"], ["puma560", "puma560-symmetric"]),
    "a file": (["show", "arm"], ["arm.toml"]),
    "a model": (["show", "puma560", "inv"], INVERSE_MODELS),
    "an alias": (["generate", "puma560", "id"], ["idm"]),
    "a model of loops": (["show", "four-bar", "loop_g"], ["loop_geometry"]),
    "no model of loops": (["show", "puma560", "loop_"], []),
    "an option": (["show", "puma560", "jacobian", "-o", "li"], ["link="]),
    "a joint": (["show", "puma560", "jacobian", "-o", "link", "=", "wr"], ["wrist_roll", "wrist_pitch"]),
    "a second option": (["count", "puma560", "jacobian", "-o", "link", "=", "6", "-o", "by", "=", "j"], ["joints"]),
    "a choice": (["show", "rx90", "idm", "-o", "params", "="], ["standard", "base"]),
    "a language": (["generate", "rx90", "idm", "--target", "p"], ["python"]),
    "a derivative": (["show", "rx90", "idm", "--derivative", "qd"], ["qd", "qdd"]),
    "an unknown robot": (["show", "no-such-robot", "idm", "-o", "para"], ["params="]),
}
SCRIPT = """
source completion.sh
COMP_WORDS=(symoro "$@"); COMP_CWORD=$#
_symoro_completion symoro
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the file of a robot, the program and its completion for bash."""
    made = tmp_path_factory.mktemp("shell")
    (made / "arm.toml").write_text("", encoding="utf-8")
    program = made / "symoro"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symoro "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    wanted = {**os.environ, "_SYMORO_COMPLETE": "source_bash"}  # --show-completion asks which shell it runs in
    script = subprocess.check_output([program], text=True, env=wanted)
    (made / "completion.sh").write_text(script, encoding="utf-8")
    return made


@pytest.mark.long
@needs_bash
@pytest.mark.parametrize("case", CASES)
def test_bash_offers_what_can_follow(case: str, folder: Path) -> None:
    words, expected = CASES[case]
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    command = ["bash", "-c", SCRIPT, "bash", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=environment)
    assert done.stdout.splitlines() == (expected or [""]), done.stderr
