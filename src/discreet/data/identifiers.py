# SPDX-License-Identifier: Apache-2.0
"""Identifiers by their content: what the values of a column look like, whatever the column is called.

Names, e-mail and postal addresses, telephone and national numbers, accounts, cards, devices, web addresses,
coordinates, plates, free text. Check digits are checked where there are any (identifiers_numbers.py). A column is one
of these if nearly all of its values are; a few values are a coincidence. Nothing here quotes a value. These are plain
rules: a column that no rule recognises may identify people all the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from discreet.data.cell_kinds import text_of
from discreet.data.column import SUPPRESSED, Column
from discreet.data.identifiers_names import FAMILY_NAMES, GIVEN_NAMES
from discreet.data.identifiers_numbers import NUMBERS

# What a text may contain, in any cell; HIPAA's safe harbour asks for these, too (risk/safe_harbour_contents.py).
CONTAINED = {
    "phone": r"(?<![\d.-])(\+\d{1,3}[ .-]?)?(\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\d-])"
    r"|(?<![\w.])\+\d{1,3}[ -]?\d[\d -]{6,}\d",
    "email": r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+",
    "ssn": r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])",
    "account": r"\b[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?\b",
    "vehicle": r"\b(?=[A-Z]*\d)(?=\d*[A-Z])[A-HJ-NPR-Z0-9]{17}\b",
    "web": r"\b(https?://|ftp://|www\.)\S+",
    "ip": r"(?<![\d.])((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])"
    r"|(?<![\w:])([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?![\w:])",
}
_LONGEST = 5000  # characters of a cell that are searched
_LOOKED_AT = 2000  # values of a column, evenly spread over all of them
_NOTES, _NOTE = 400, 1000  # free texts, and characters of each, that are searched for addresses and numbers
_FIRST = 40  # values that rule most forms out
_FEWEST = 6  # values below which a form may be a coincidence
_NEARLY_ALL = 0.9
_STREET = (
    r"(stra(ss|ß)e|str\.|gasse|platz|allee|weg\b|\bstreet|\bst\.?$|\broad|\brd\b|\bavenue|\bave\b|\blane|\bdrive"
    r"|\brue\b|\bboulevard|\bcalle|\bavenida|\bvia\b|\bpiazza|\brua\b|straat|laan\b|gatan|vej\b|\bulica|\bul\.)"
)
_WHOLE: dict[str, str] = {  # forms that a whole cell has
    "e-mail addresses": r"[\w.+'-]{1,64}@[\w-]+(\.[\w-]+)+",
    "web addresses": r"(https?://|ftp://|www\.)\S+",
    "IP addresses": rf"{CONTAINED['ip']}|(?=.*::)(?=.*[0-9A-Fa-f])[0-9A-Fa-f:]{{3,39}}",  # 12:30:00 is a time
    "device addresses (MAC)": r"([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}",
    "universal identifiers (UUID)": r"\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?",
    "coordinates": r"\(?[+-]?\d{1,2}\.\d{2,}°?\s*[,; ]\s*[+-]?\d{1,3}\.\d{2,}°?\)?",
    "telephone numbers": r"\+\d{1,3}[ ./-]?(\(0\))?[\d ()./-]{5,18}\d"
    r"|(\+?1[ .-])?(\(\d{3}\) ?|\d{3}[.-])\d{3}[ .-]\d{4}"
    r"|\(?0\d{1,5}\)?[ /-]{1,3}\d[\d /-]{3,11}\d|0\d([ .-]\d\d){4}",
    "vehicle identification numbers": r"(?=[A-Z\d]*\d{4}$)(?=\d*[A-Z])[A-HJ-NPR-Z\d]{17}",
    "postal addresses": rf"(?=.*\d)(?=.*{_STREET}).{{6,200}}",
}
# licence plates are told by their form only where (nearly) every row has one of its own
_PLATES = (
    r"[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2} ?\d{1,4}[EH]?",
    r"[A-Z]{2}-\d{3}-[A-Z]{2}",
    r"[A-Z]{2}\d{2} ?[A-Z]{3}",
    r"\d{4} ?[BCDFGHJKLMNPRSTVWXYZ]{3}",
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?")
_TITLES = frozenset({"dr", "prof", "mr", "mrs", "ms", "miss", "herr", "frau", "m", "mme", "sr", "sra", "sig", "dott"})


@dataclass(frozen=True)
class LikelyIdentifier:
    """What the values of a column are.

    title    in plain words: "e-mail addresses"
    fitting  values that are, of `looked_at` values, which are all if there are at most 2,000
    checked  whether check digits were checked
    one_person  whether a value stands for one person or household, as a number or an address does, and a name does not
    """

    title: str
    fitting: int
    looked_at: int
    checked: bool = False
    one_person: bool = False

    @property
    def reason(self) -> str:
        """In plain words, without a value."""
        share = "" if self.fitting == self.looked_at else f" in {self.fitting:,} of {self.looked_at:,} values"
        return f"the content looks like {self.title}{share}{', check digits right' if self.checked else ''}"


def likely_identifier(column: Column) -> LikelyIdentifier | None:
    """What the values of a column look like, if they look like identifiers.

    >>> from discreet.data.table import Table
    >>> cells = [f"someone{i}@example.org" for i in range(9)]
    >>> likely_identifier(Table.of({"x": cells}).column("x")).reason
    'the content looks like e-mail addresses'
    """
    if column.kind == "date" or len(column.values) < _FEWEST:
        return None
    if column.kind == "number":
        return _number(column)
    texts = _spread(column)
    if not texts or max(map(len, texts)) < 2:
        return None
    return _form(texts) or _names(texts) or _plates(texts, column) or _free_text(texts, column)


def contains(texts: Sequence[str]) -> dict[str, np.ndarray]:
    """For each kind of identifier in CONTAINED which of the texts contain one, unless none does."""
    found = {}
    for kind, pattern in CONTAINED.items():
        search = re.compile(pattern).search
        matching = np.array([search(text[:_LONGEST]) is not None for text in texts], dtype=bool)
        if matching.any():
            found[kind] = matching
    return found


def _spread(column: Column) -> list[str]:
    """At most so many values, evenly spread over all of them, as texts."""
    n = len(column.values)
    values = column.values
    if n > _LOOKED_AT:
        values = values.take(pa.array(np.linspace(0, n - 1, _LOOKED_AT).astype(np.int64)))
    texts = (text_of(value).strip()[:_LONGEST] for value in values.to_pylist())
    return [text for text in texts if text and text != SUPPRESSED]


def _fitting(texts: Sequence[str], fits: Callable[[str], object]) -> int:
    """How many texts fit; 0 if the first that are looked at rule it out."""
    step = max(1, len(texts) // _FIRST)
    first = texts[::step]
    if sum(1 for text in first if fits(text)) < 0.7 * len(first):
        return 0
    return sum(1 for text in texts if fits(text))


def _number(column: Column) -> LikelyIdentifier | None:
    """National numbers and the like that were read as whole numbers, and so may have lost their leading zeros."""
    if not pa.types.is_integer(column.values.type) or column.numbers[-1] < 10**7 or column.numbers[0] < 0:
        return None
    return _form(_spread(column), padded=True)


def _form(texts: Sequence[str], *, padded: bool = False) -> LikelyIdentifier | None:
    enough = max(_FEWEST, _NEARLY_ALL * len(texts))
    for form in NUMBERS:
        written = [text.zfill(form.length) for text in texts] if padded else texts
        if (fitting := _fitting(written, form.fits)) >= enough:
            return LikelyIdentifier(form.title, fitting, len(texts), form.check is not None, one_person=True)
    for title, pattern in _WHOLE.items():
        whole = re.compile(pattern, re.IGNORECASE if title == "postal addresses" else 0).fullmatch
        if (fitting := _fitting(texts, whole)) >= enough and not padded:
            return LikelyIdentifier(title, fitting, len(texts), one_person=title in _OF_ONE_PERSON)
    return None


_OF_ONE_PERSON = ("e-mail addresses", "telephone numbers")


def words_of_names(text: str) -> list[str] | None:
    """The words of what may be a person's name, small and without accents; None if it is something else.

    >>> words_of_names("Müller, Dr. Anna-Maria"), words_of_names("12 Main Street"), words_of_names("never married")
    (['muller', 'anna', 'maria'], None, None)
    """
    if len(text) > 60 or not text[:1].isupper() or re.search(r"[\d_/:;()<>=+*&%$#@\[\]]", text):
        return None
    words = _WORD.findall(text)
    if not 1 <= len(words) <= 5:
        return None
    plain = unicodedata.normalize("NFKD", " ".join(words).replace("ß", "ss").replace("ø", "o").replace("ł", "l"))
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign)).lower()
    return [word for word in re.split(r"[^a-z]+", letters) if word and word not in _TITLES]


def _names(texts: Sequence[str]) -> LikelyIdentifier | None:
    if len(texts) < 8:
        return None
    step = max(1, len(texts) // 200)
    some = texts[::step]
    cells = [words for words in map(words_of_names, some) if words]
    if len(cells) < _NEARLY_ALL * len(some):
        return None
    given = sum(any(word in GIVEN_NAMES for word in words) for words in cells) / len(cells)
    family = sum(any(word in FAMILY_NAMES for word in words) for words in cells) / len(cells)
    several = sum(len(words) > 1 for words in cells) / len(cells)
    n = len(texts)
    if several > 0.6 and given >= 0.3 and given + family >= 0.4:
        return LikelyIdentifier("names of persons", n, n)
    if given >= 0.5:
        return LikelyIdentifier("given names", n, n)
    if family >= 0.3 and len(cells) >= 12:
        return LikelyIdentifier("family names", n, n)
    return None


def _plates(texts: Sequence[str], column: Column) -> LikelyIdentifier | None:
    if len(column.values) < 20 or len(column.values) < 0.5 * len(column):
        return None
    for pattern in _PLATES:
        whole = re.compile(pattern).fullmatch
        if (fitting := _fitting(texts, whole)) >= 0.98 * len(texts):
            return LikelyIdentifier("licence plates", fitting, len(texts), one_person=True)
    return None


def _free_text(texts: Sequence[str], column: Column) -> LikelyIdentifier | None:
    """Long texts of many words that are not chosen from a list."""
    if len(column.values) <= max(30, len(column) / 20):
        return None
    words = [text.count(" ") + 1 for text in texts]
    if np.mean(words) < 5 or np.mean([len(text) for text in texts]) < 30:
        return None
    inside = contains([text[:_NOTE] for text in texts[:: max(1, len(texts) // _NOTES)]])
    told = ", ".join(_CONTAINED_TITLES[kind] for kind in inside)
    title = f"free text, which may name people{f'; it contains {told}' if told else ''}"
    return LikelyIdentifier(title, len(texts), len(texts))


_CONTAINED_TITLES = {
    "phone": "telephone numbers",
    "email": "e-mail addresses",
    "ssn": "social security numbers",
    "account": "bank accounts",
    "vehicle": "vehicle numbers",
    "web": "web addresses",
    "ip": "IP addresses",
}
