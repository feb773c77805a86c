# SPDX-License-Identifier: Apache-2.0
"""The kinds of marks in a published column, and what a label means in words.

What a label means is read off its record, where there is one; else it is read as it looks, as a recipient would.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from discreet.data.column import SUPPRESSED, Kind
from discreet.prepare.intervals import border_text, read_interval
from discreet.recoding.labels import EVERYTHING, MISSING, Meaning
from discreet.recoding.names import is_name

_MOST = 8  # members of a set in words


@dataclass(frozen=True)
class Mark:
    """A kind of mark: its form, and what it means; one without a form is shown as it occurs."""

    form: str
    means: str


MARKS = {
    "value": Mark("a value", "the value itself"),
    "between": Mark("[a, b)", "a value from a on and below b: a belongs to it, b does not"),
    "below": Mark("< b", "a value below b"),
    "from": Mark(">= a", "a value from a on"),
    "period": Mark("2019, 2019-Q1, 2019-03, 2010s", "a day of this year, quarter, month or decade"),
    "set": Mark("{a, b}", "one of these values, and nobody knows which"),
    "all but": Mark("not {a, b}", "any value but these"),
    "prefix": Mark("100**", "a code that begins so"),
    "name": Mark("a, b and 7 more", "one of a set of values that is too long for a label; recoding.json lists it"),
    "other": Mark("", "a value that is too rare to be named"),
    "unlisted": Mark("", "a value that the published list does not name"),
    "not missing": Mark("not missing", "some value: the cell was not empty"),
    "or missing": Mark("... or missing", "what stands before it, or no value at all"),
    "suppressed": Mark(SUPPRESSED, "suppressed: any value, or none; nothing is said"),
    "missing": Mark("an empty cell", "no value: the cell was empty"),
    "item": Mark("1, 0", "1 if the row has it, 0 if it does not"),
}


def mark_of(label: str | None, meaning: Meaning) -> str:
    """The kind of mark of a label whose meaning is known.

    >>> mark_of("[30, 40)", Meaning.between(30, 40)), mark_of("other", Meaning.of([], others=True))
    ('between', 'other')
    """
    if label is None or meaning == MISSING:
        return "missing"
    if meaning == EVERYTHING:
        return "suppressed"
    if meaning.missing and label.endswith(" or missing"):
        return "or missing"
    if meaning.interval is not None:
        return _of_interval(label, meaning.interval)
    if meaning.but:
        return "not missing" if not meaning.texts and not meaning.prefixes else _of_set(label, "all but")
    if meaning.others and not meaning.texts and not meaning.prefixes:
        return "other"
    if meaning.prefixes:
        return "prefix"
    return "value" if meaning.texts == {label} else _of_set(label, "set")


def _of_interval(label: str, interval: tuple[float, float]) -> str:
    if label.startswith("["):
        return "between"
    if label.startswith("<"):
        return "below"
    if label.startswith(">"):
        return "from"
    return "value" if interval[1] - interval[0] == 1 and "-Q" not in label else "period"


def _of_set(label: str, kind: str) -> str:
    return "name" if is_name(label) else "other" if kind == "all but" and not label.startswith("not ") else kind


def mark_by_looks(label: str | None, kind: Kind, *, coarsened: bool) -> str:
    """The kind of mark of a label without a record, by its form; a column that is published as it was has values."""
    if label is None:
        return "missing"
    if not coarsened:
        return "value"
    if label == SUPPRESSED:
        return "suppressed"
    if label == "not missing":
        return label
    if label.endswith(" or missing"):
        return "or missing"
    if label.startswith("not {") and label.endswith("}"):
        return "all but"
    if label.startswith("{") and label.endswith("}"):
        return "set"
    kinds: tuple[Literal["number", "date"], ...] = ("number", "date")
    for each in kinds if kind == "category" else (kind,):  # labels are texts, whatever they stand for
        if (interval := read_interval(label, each)) is not None:
            return _of_interval(label, interval)
    if is_name(label):
        return "name"
    return "prefix" if label.endswith(SUPPRESSED) else "value"


def in_words(meaning: Meaning, kind: Kind, *, least: str) -> str:
    """What a label means; `least` says how rare a value is that is not named, or why it is not.

    >>> in_words(Meaning.between(30, 40), "number", least="")
    '30 or more, below 40'
    >>> in_words(Meaning.of(["clerk"], missing=True), "category", least="")
    "'clerk', or no value"
    """
    if meaning == EVERYTHING:
        return MARKS["suppressed"].means
    if meaning == MISSING:
        return MARKS["missing"].means
    said = _in_interval(meaning.interval, kind) if meaning.interval is not None else _in_set(meaning, least)
    return said + (", or no value" if meaning.missing else "")


def _in_interval(interval: tuple[float, float], kind: Kind) -> str:
    write: Literal["number", "date"] = "date" if kind == "date" else "number"
    low, high = (border_text(end, write) if np.isfinite(end) else None for end in interval)
    if kind == "date":
        parts = ([f"from {low}"] if low else []) + ([f"before {high}"] if high else [])
    else:
        parts = ([f"{low} or more"] if low else []) + ([f"below {high}"] if high else [])
    return ", ".join(parts) or "any value"


def _in_set(meaning: Meaning, least: str) -> str:
    texts = _listed(meaning)
    if meaning.but:
        return f"any value but {texts}" if texts else "any value"
    parts = [texts] if texts else []
    if meaning.others:
        parts.append(f"a value that this column does not name: {least}")
    said = ", or ".join(parts) or "no value that is named"
    return said if meaning.less is None else f"{said}, without {_listed(meaning.less)}"


def _listed(meaning: Meaning) -> str:
    members = [repr(text) for text in sorted(meaning.texts)]
    members += [f"what begins with {prefix!r}" if prefix else "anything" for prefix in sorted(meaning.prefixes)]
    if len(members) > _MOST:
        return f"{', '.join(members[:_MOST])} or {len(members) - _MOST:,} more"
    return members[0] if len(members) == 1 else f"{', '.join(members[:-1])} or {members[-1]}" if members else ""
