"""Options of models as they are typed."""

from __future__ import annotations

import pytest

from support.raised import raised
from symoro.cli.flags import value_of
from symoro.cli.options import applicable, pairs, read
from symoro.errors import OptionError
from symoro.formats import load
from symoro.identification.excitation.excite import EXCITE
from symoro.models.catalogue import find


def test_values_are_read_by_their_kind() -> None:
    given = pairs(["i=0", "j=6", "optimize=off"])
    assert read(find("transform"), given) == {"i": 0, "j": 6, "optimize": False}
    assert read(find("forward_geometry"), {"link": "none"}) == {"link": None}
    assert read(find("inverse_dynamics"), {"params": "standard"}) == {"params": "standard"}


def test_a_frame_may_have_a_name() -> None:
    assert read(find("forward_geometry"), {"link": "tool"}) == {"link": "tool"}


@pytest.mark.parametrize("word", ["i", "=3", "i=", ""])
def test_what_is_not_name_and_value_is_refused(word: str) -> None:
    with raised("commands.name_value", OptionError):
        pairs([word])


def test_frames_that_must_be_said_are_the_ends_of_the_robot() -> None:
    robot = load("puma560")
    assert applicable(find("transform"), robot, {}) == {"i": 0, "j": 6}
    assert applicable(find("transform"), robot, {"j": "2", "params": "base"}) == {"i": 0, "j": 2}
    assert applicable(find("inverse_dynamics"), robot, {}) == {}


def test_errors_write_options_of_models_as_they_are_typed() -> None:
    with pytest.raises(OptionError) as refused:
        find("inverse_dynamics").checked(load("puma560"), {"paras": "base"})
    assert refused.value.finding.text(flags=True).startswith(
        "inverse_dynamics has no option -o paras (allowed: -o params"
    )
    assert "no option paras (allowed: params" in str(refused.value)


def test_a_number_outside_of_its_range_is_answered_with_the_range() -> None:
    option = next(option for option in EXCITE if option.name == "duration")
    with raised("options.number_more_than", OptionError, least=0):
        value_of(option, "-1")
    with pytest.raises(OptionError, match="SECONDS"):
        value_of(option, "x")
