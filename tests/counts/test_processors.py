"""What is written is the same on every processor: equations, code, counts, base parameters, mobility, derivations."""

from __future__ import annotations

import json

import pytest

from support.processor import output, played


@pytest.mark.long
def test_texts_are_the_same_on_every_processor() -> None:
    processors = played()
    assert len(processors) > 1, f"this machine cannot play a second processor: {list(processors)}"
    own, *others = [json.loads(output(["-m", "support.texts"], environment)) for environment in processors.values()]
    for name, other in zip(list(processors)[1:], others, strict=True):
        assert not [text for text in own if own[text] != other[text]], name
    assert len(own) > 80
