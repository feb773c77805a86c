# SPDX-License-Identifier: Apache-2.0
"""The published recoding record: the labels of a release, their meanings, and its patterns.

`recoding.json` is published with the data of methods that recode rows. With it, recipients recode new rows, such as
test records, to the form of the release. It is made from the published rows and the meanings of their labels alone, not
from the random order of rows, the private table or the owner's exact plan.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, ValidationError

from discreet.data.column import SUPPRESSED, Kind
from discreet.data.notation import notation_named
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.foundation.bounded_json import read_json
from discreet.foundation.plain_files import MOST_STATED
from discreet.recoding.labels import Labelling, Meaning
from discreet.recoding.patterns import MOST_PATTERNS, Boxes, EachColumn

RECORD = "recoding.json"
_MOST_LABELS, _MOST_COLUMNS = 100_000, 20_000  # a release with more has no record
_MOST_KEYS = 10  # of an object in a record


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def _texts(value: Any) -> Any:
    if not (value is None or (isinstance(value, list) and all(isinstance(text, str) for text in value))):
        raise ValueError
    return value


def _patterns(value: Any) -> Any:
    if value is None:
        return value
    if not isinstance(value, list) or not all(
        isinstance(pattern, list) and all(type(code) is int for code in pattern) for pattern in value
    ):
        raise ValueError
    return value


# Validated as a whole: listing the errors of a million entries would take more room than the record.
_Texts = Annotated[Any, BeforeValidator(_texts)]
_Patterns = Annotated[Any, BeforeValidator(_patterns)]


class _Label(_Record):
    """A label and its values: numbers or days `from` one `below` another, texts `in` a list or that begin with one of
    `starts`, without those of `less_in` and `less_starts`, or all except those that are `not_in` a list.
    """

    label: str | None
    low: float | None = Field(None, alias="from")
    high: float | None = Field(None, alias="below")
    inside: _Texts = Field(None, alias="in")
    outside: _Texts = Field(None, alias="not_in")
    starts: _Texts = None
    less_in: _Texts = None
    less_starts: _Texts = None
    others: bool = False
    missing: bool = False

    def meaning(self) -> Meaning:
        if {"low", "high"} & self.model_fields_set:
            return Meaning.between(self.low, self.high, missing=self.missing)
        prefixes = frozenset(self.starts or ())
        if self.outside is not None:
            return Meaning(texts=frozenset(self.outside), but=True, missing=self.missing, prefixes=prefixes)
        less = None
        if self.less_in is not None or self.less_starts is not None:
            less = Meaning.of(self.less_in or (), prefixes=self.less_starts or ())
        return Meaning(None, frozenset(self.inside or ()), False, self.others, self.missing, prefixes, less)


class _Column(_Record):
    name: str
    source: str | None = None
    kind: Kind
    fallback: Literal["*", "0"] = "*"
    written: str = ""
    labels: Annotated[list[_Label], FailFast()]

    def labelling(self) -> Labelling:
        labels, meanings = tuple(one.label for one in self.labels), tuple(one.meaning() for one in self.labels)
        if self.written and notation_named(self.written) is None:
            raise ValueError
        return Labelling(self.name, self.kind, labels, meanings, self.fallback, self.source, written=self.written)


class _Recoding(_Record):
    format: Literal[1]
    columns: Annotated[list[_Column], FailFast()]
    patterns: _Patterns = None


# -- writing -------------------------------------------------------------------------------------------------------


def to_plain(plan: EachColumn | Boxes) -> dict[str, Any]:
    """The plan as strings and numbers.

    >>> plan = EachColumn((Labelling("age", "number", ("< 40",), (Meaning.between(None, 40),)),))
    >>> to_plain(plan)["columns"][0]["labels"]
    [{'label': '< 40', 'from': None, 'below': 40.0}]
    """
    columns = [_plain_column(labelling) for labelling in plan.columns]
    patterns = {"patterns": plan.codes.tolist()} if isinstance(plan, Boxes) else {}
    return {"format": 1, "columns": columns, **patterns}


def _plain_column(labelling: Labelling) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": labelling.name, "kind": labelling.kind}
    if labelling.made_from is not None:
        plain["source"] = labelling.made_from
    if labelling.fallback != SUPPRESSED:
        plain["fallback"] = labelling.fallback
    if labelling.written:
        plain["written"] = labelling.written
    pairs = zip(labelling.labels, labelling.meanings, strict=True)
    return plain | {"labels": [{"label": label, **_plain_meaning(meaning)} for label, meaning in pairs]}


def _plain_meaning(meaning: Meaning) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    if meaning.interval is not None:
        low, high = meaning.interval
        plain |= {"from": low if np.isfinite(low) else None, "below": high if np.isfinite(high) else None}
    elif meaning.but or meaning.texts:
        plain["not_in" if meaning.but else "in"] = sorted(meaning.texts)
    if meaning.prefixes:
        plain["starts"] = sorted(meaning.prefixes)
    if meaning.less is not None:
        plain |= {f"less_{word}": texts for word, texts in _plain_meaning(meaning.less).items()}
    return plain | {word: True for word in ("others", "missing") if getattr(meaning, word)}


def to_bytes(plan: EachColumn | Boxes) -> bytes:
    """The bytes of the record, with a line for each label and each pattern."""
    plain = to_plain(plan)
    columns = []
    for column in plain["columns"]:
        head = {name: value for name, value in column.items() if name != "labels"}
        labels = ",\n   ".join(map(_json, column["labels"]))
        columns.append(f'{_json(head)[:-1]}, "labels": [\n   {labels}]}}')
    text = '{"format": 1, "columns": [\n ' + ",\n ".join(columns) + "]"
    if "patterns" in plain:
        text += ', "patterns": [\n ' + ",\n ".join(map(str, plain["patterns"])) + "]"  # numbers, as JSON writes them
    return (text + "}\n").encode()


def published(plan: EachColumn | Boxes) -> bytes | None:
    """The bytes of the record, or None if it is larger than readers accept."""
    if sum(len(labelling.labels) for labelling in plan.columns) > _MOST_LABELS or len(plan.columns) > _MOST_COLUMNS:
        return None
    content = to_bytes(plan)
    return content if len(content) <= MOST_STATED else None


_json = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps would make an encoder for each line


# -- reading -------------------------------------------------------------------------------------------------------


def from_bytes(content: bytes, *, most_labels: int = _MOST_LABELS) -> EachColumn | Boxes:
    """Parse a record; DataError unless the bytes are exactly what discreet writes.

    `most_labels` bounds the number of labels, if that of the data is known.
    """
    try:
        raw = read_json(content, most_keys=_MOST_KEYS)
        if not isinstance(raw, dict) or len(raw.get("patterns") or ()) > MOST_PATTERNS:
            raise ValueError
        if sum(len(column["labels"]) for column in raw["columns"]) > most_labels or len(raw["columns"]) > _MOST_COLUMNS:
            raise ValueError
        record = _Recoding.model_validate(raw)
        columns = tuple(column.labelling() for column in record.columns)
        if any(len(set(labelling.labels)) < len(labelling.labels) for labelling in columns):
            raise ValueError  # a label has one meaning
        plan: EachColumn | Boxes = EachColumn(columns)
        if record.patterns is not None:
            codes = np.array(record.patterns, dtype=np.int64).reshape(len(record.patterns), len(columns))
            if not len(codes) or (codes < 0).any() or (codes >= [len(labelling.labels) for labelling in columns]).any():
                raise ValueError
            plan = Boxes.of(columns, codes)
    except (ValidationError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise DataError(f"{RECORD} is not a recoding record ({type(error).__name__}).") from None
    if to_bytes(plan) != content:
        raise DataError(f"{RECORD} is not written as discreet writes it: it was edited.")
    return plan


def record_problems(plan: EachColumn | Boxes, table: Table, quasi: tuple[str, ...]) -> list[str]:
    """Contradictions between the record and the published rows."""
    if sorted(labelling.name for labelling in plan.columns) != sorted(quasi):
        return [f"{RECORD} does not have the quasi-identifiers of the release as its columns."]
    for labelling in plan.columns:
        if labelling.name != labelling.source and not labelling.name.startswith(f"{labelling.source}="):
            return [f"{RECORD} has an item that is not named after its source column."]
    occurring = plan.within(table)
    strange = sum(len(labelling.labels) for labelling in plan.columns)
    strange -= sum(len(labelling.labels) for labelling in occurring.columns)
    problems = [f"{RECORD} has {strange} labels that do not occur in the data."] if strange else []
    if isinstance(plan, Boxes) and isinstance(occurring, Boxes) and len(occurring) < len(plan):
        problems.append(f"{RECORD} has {len(plan) - len(occurring)} patterns that do not occur in the data.")
    return problems


def unseen_values(plan: EachColumn | Boxes) -> int:
    """Number of values that the record names but no label shows, such as the values below a hierarchy's label."""
    unseen = 0
    for labelling in plan.columns:
        texts = {text for meaning in labelling.meanings for one in meaning.parts for text in one.texts}
        labels = [*filter(None, labelling.labels), labelling.name.partition("=")[2]]  # an item is named after its value
        unseen += len(texts - {word for label in labels for word in _words(label)})
    return unseen


def _words(label: str) -> list[str]:
    """The label itself, and the values of a set such as '{East, North}', or in its name."""
    listed = re.sub(r" and \d+ more(?: #\d+)?$", "", label.removesuffix(" or missing"))
    return [label, *re.split(r", | or ", re.sub(r"^not (?={)", "", listed).strip("{}"))]
