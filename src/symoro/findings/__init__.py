"""What symoro says, as data: a code with its fields, and tables with the sentence of each code in each language.

Warnings, problems of descriptions and refusals are findings. A program asks a finding for its code and its tags, never
for words. The tables are the files `<area>.toml` of this folder: the code `robot.antecedent` is the row [antecedent] of
`robot.toml`, with `en`, `fr`, and where they are not the usual ones `severity` and `tags`.

A place {name} of a sentence is a field; it may have a conversion and a format, as in `str.format`: {value:.4g},
{name!r}. Items of a list are joined by commas, with {name:lines} each has a line of its own. A finding in a field is
written in the same language, and {count:joint|joints} is a word for one and one for several. {option} may be an
`Argument`, which is written as a flag for the command line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from string import Formatter
from typing import Any, Literal, NamedTuple, Self

Severity = Literal["error", "warning", "note"]
Language = Literal["en", "fr"]
LANGUAGES: tuple[Language, ...] = ("en", "fr")


class Argument(str):
    """The name of an option: of Python, or as a flag of the command line."""

    __slots__ = ()

    @property
    def flag(self) -> str:
        return f"--{self.replace('_', '-')}"


class ModelArgument(Argument):
    """The name of an option of a model, which the command line takes as `-o name=value`."""

    __slots__ = ()

    @property
    def flag(self) -> str:
        return f"-o {self}"


class Setting(Argument):
    """An option with an example of its value, which the command line writes in another way: `typed`."""

    __slots__ = ("typed",)
    typed: str

    def __new__(cls, python: str, typed: str) -> Self:
        setting = super().__new__(cls, python)
        setting.typed = typed
        return setting

    def __reduce__(self) -> tuple[Any, ...]:
        return Setting, (str(self), self.typed)

    @property
    def flag(self) -> str:
        return self.typed


class Place(NamedTuple):
    """Where something is: a line of a file, a leg or the platform, a joint, the field of the description (`cell`)."""

    file: str | None = None
    line: int | None = None
    joint: int | None = None
    leg: int | None = None
    cell: str = ""
    platform: bool = False


NOWHERE = Place()


class Finding:
    """A code with its fields, and the place that it is about. It never changes.

    It is no dataclass: `import symoro` needs this module, and importing `dataclasses` takes half of its time.
    """

    __slots__ = ("code", "fields", "place")
    code: str
    fields: Mapping[str, Any]
    place: Place

    def __init__(self, code: str, /, *, place: Place = NOWHERE, **fields: Any) -> None:
        for name, value in (("code", code), ("fields", fields), ("place", place)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot assign to {name!r} of a finding")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Finding):
            return NotImplemented
        return (self.code, self.fields, self.place) == (other.code, other.fields, other.place)

    def __hash__(self) -> int:
        return hash((self.code, self.place))

    def __repr__(self) -> str:
        return f"Finding(code={self.code!r}, fields={self.fields!r}, place={self.place!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.code, self.fields, self.place)

    def at(self, **place: Any) -> Finding:
        """The same at a place of which more is known."""
        return self.placed(self.place._replace(**place))

    def placed(self, place: Place = NOWHERE) -> Finding:
        """The same at another place, or at none."""
        return _again(self.code, self.fields, place)

    @property
    def severity(self) -> Severity:
        return _row(self.code).severity

    def has(self, tag: str) -> bool:
        """Whether its row has a tag."""
        return tag in _row(self.code).tags

    def sentence(self, language: Language = "en", flags: bool = False, brief: bool = False) -> str:
        """What is said, without the place; `flags`: options are written as on the command line.

        `brief`: without what is allowed.
        """
        row = _row(self.code)
        text = row.parts(language)[0] if brief else row.texts[language]
        return _SentenceWriter(language, flags, brief).vformat(text, (), self.fields)

    def allowed(self, language: Language = "en") -> str:
        """What is allowed, where the sentence says it, or that of a finding in its fields."""
        if text := _row(self.code).parts(language)[1]:
            return _SentenceWriter(language).vformat(text, (), self.fields)
        inside = (x.allowed(language) for x in self.fields.values() if isinstance(x, Finding))
        return next(filter(None, inside), "")

    def text(self, language: Language = "en", flags: bool = False, brief: bool = False) -> str:
        """The place and what is said of it."""
        p, words = self.place, _PLACES[language]
        file = "" if p.file is None else f"{p.file}:" if p.line is None else f"{p.file}:{p.line}:"
        named = (("leg", p.leg), ("platform", p.platform or None), ("joint", p.joint))
        parts = [words[name].format(x) for name, x in named if x is not None]
        return " ".join(part for part in (file, *parts, self.sentence(language, flags, brief)) if part)

    def __str__(self) -> str:
        return self.text()

    # what readers of problems ask

    def beside_place(self) -> Finding:
        """The same to be written beside file, line and joint: only a leg or the platform is said of its place."""
        p = self.place
        return self.placed(Place(leg=p.leg, platform=p.platform, joint=p.joint if p.leg else None))

    @property
    def message(self) -> str:
        """The sentence in English, to be written beside file, line and joint."""
        return str(self.beside_place())

    @property
    def file(self) -> str | None:
        return self.place.file

    @property
    def line(self) -> int | None:
        return self.place.line

    @property
    def joint(self) -> int | None:
        """The joint among those of the robot; that of a leg is in `place`."""
        return None if self.place.leg else self.place.joint


def _again(code: str, fields: Mapping[str, Any], place: Place) -> Finding:
    return Finding(code, place=place, **fields)


_PLACES: dict[Language, dict[str, str]] = {
    "en": {"leg": "leg {}:", "platform": "platform:", "joint": "joint {}:"},
    "fr": {"leg": "jambe {} :", "platform": "plateforme :", "joint": "articulation {} :"},
}


class Sentence(str):
    """The English sentence of a finding, which knows its finding.

    Meanings of symbols are such texts: a program keeps them as texts, and the page writes them in its language.
    """

    __slots__ = ("finding",)
    finding: Finding

    def __new__(cls, finding: Finding) -> Self:
        text = super().__new__(cls, finding.sentence())
        text.finding = finding
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        return Sentence, (self.finding,)


class Part(NamedTuple):
    """One of two parts of a finding: what is wrong, or what is allowed."""

    finding: Finding
    allowed: bool = False

    def text(self, language: Language = "en") -> str:
        return self.finding.allowed(language) if self.allowed else self.finding.text(language, brief=True)


@lru_cache(maxsize=4096)
def sentence(code: str, /, **fields: Any) -> Sentence:
    """The sentence of a code; it is written once for the same fields."""
    return Sentence(Finding(code, **fields))


def text_of(value: object, language: Language = "en", flags: bool = False) -> str:
    """A finding as a sentence of a language; another value as its text."""
    if isinstance(value, Sentence):
        value = value.finding
    if isinstance(value, Part):
        return value.text(language)
    return value.text(language, flags) if isinstance(value, Finding) else str(value)


def any_has(findings: Iterable[Finding], tag: str) -> bool:
    """Whether one of the findings has a tag."""
    return any(finding.has(tag) for finding in findings)


# The tables.


#: What begins the last part of a sentence in a table, that which says what is allowed.
_ALLOWED: dict[Language, str] = {"en": " (allowed: ", "fr": " (permis : "}


class SentenceRow(NamedTuple):
    """What is known of a code."""

    texts: Mapping[Language, str]
    severity: Severity = "error"
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        texts: dict[Language, str] = {language: table[language] for language in LANGUAGES}
        return cls(texts, table.get("severity", "error"), tuple(table.get("tags", ())))

    def parts(self, language: Language) -> tuple[str, str]:
        """The sentence without what is allowed, and what is allowed."""
        wrong, _, allowed = self.texts[language].partition(_ALLOWED[language])
        return wrong, allowed.removesuffix(")")


def areas() -> list[str]:
    """The names of the tables."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.toml"))


@cache
def rows(area: str) -> Mapping[str, SentenceRow]:
    """The rows of a table by the rest of their codes; a table is read when one of its sentences is wanted."""
    import tomllib  # starting does not need it

    path = Path(__file__).parent / f"{area}.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: SentenceRow.of(table) for name, table in tables.items()}


def _row(code: str) -> SentenceRow:
    area, _, name = code.partition(".")
    row = rows(area).get(name) if " " not in code else None
    if row is None:  # a text that has no code yet
        return SentenceRow(dict.fromkeys(LANGUAGES, code.replace("{", "{{").replace("}", "}}")))
    return row


class _SentenceWriter(Formatter):
    """Writes the fields of a sentence in a language."""

    def __init__(self, language: Language, flags: bool = False, brief: bool = False) -> None:
        self._language, self._flags, self._brief = language, flags, brief

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if isinstance(value, Finding):  # it is a part of a sentence, not a text to be quoted
            return value
        if conversion and _is_list(value):
            return [super(_SentenceWriter, self).convert_field(x, conversion) for x in value]
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            one, several = format_spec.split("|")
            return one if (len(value) if _is_list(value) else value) == 1 else several
        if _is_list(value):
            if format_spec == "lines":
                return "\n".join(self.format_field(x, "") for x in value)
            return ", ".join(self.format_field(x, format_spec) for x in value)
        if isinstance(value, Finding):
            return value.text(self._language, self._flags, self._brief)
        if isinstance(value, Sentence):
            return text_of(value, self._language, self._flags)
        if isinstance(value, Argument):
            return value.flag if self._flags else str(value)
        return format(value, format_spec)


def _is_list(value: Any) -> bool:
    return isinstance(value, Collection) and not isinstance(value, str | bytes)
