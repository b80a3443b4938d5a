"""The columns of friction by their names: their letters, which of them jump, which laws contain a constant torque."""

from __future__ import annotations

import numpy as np
import pytest

from symoro.identification.arrays import letters_of, number_of
from symoro.identification.regress.terms import JUMPING, LAWS, MEANING, TERMS, law

SLOW = np.array([1e-9])


@pytest.mark.parametrize(
    ("name", "letters", "number"), [("FS3", "FS", 3), ("FST3@0.1", "FST", 3), ("FS3_2", "FS", 3), ("MRP", "MRP", 0)]
)
def test_a_name_has_letters_and_a_number(name: str, letters: str, number: int) -> None:
    assert (letters_of(name), number_of(name)) == (letters, number)


@pytest.mark.parametrize("term", TERMS)
def test_terms_that_jump_where_the_speed_changes_its_sign_are_listed(term: str) -> None:
    forward, backward = (TERMS[term](v, np.ones(1)) for v in (SLOW, -SLOW))
    assert (abs(forward - backward) > 1e-6) == (term in JUMPING)


@pytest.mark.parametrize("name", LAWS)
def test_a_law_with_an_offset_has_independent_columns_with_a_meaning(name: str) -> None:
    terms = law(name, offset=True).terms
    assert set(terms) <= MEANING.keys()
    v = np.linspace(-1.0, 1.0, 20)  # none at rest
    columns = [TERMS[term](v, v**2 + 1) for term in terms if term in TERMS]
    assert np.linalg.matrix_rank(np.column_stack([*columns, np.ones_like(v)])) == len(columns)
