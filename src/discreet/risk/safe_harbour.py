# SPDX-License-Identifier: Apache-2.0
"""HIPAA's safe harbour: does a column hold one of the 18 kinds of identifiers that have to go?

45 CFR 164.514(b)(2)(i), A to R. A column is judged by its name and by its content; a finding tells the column, the kind
of identifier, why, and in how many rows, and never quotes a cell. Nobody can find every name in free text, a face in a
file, or what a recipient knows besides: no finding is no certificate, and the rule asks, too, that the owner knows of
no way to identify a person (164.514(b)(2)(ii)).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from discreet.data.column import SUPPRESSED, Column
from discreet.data.identifiers import likely_identifier
from discreet.data.roles import works_like_a_name
from discreet.data.table import Table
from discreet.errors import DataError, quietly
from discreet.risk.safe_harbour_contents import ages_over_89, finer_dates, looks_like, old_birth_years, zip_codes

TITLES = {
    "A": "names",
    "B": "geographic units smaller than a state",
    "C": "dates finer than a year, and ages over 89",
    "D": "telephone numbers",
    "E": "fax numbers",
    "F": "e-mail addresses",
    "G": "social security numbers",
    "H": "medical record numbers",
    "I": "health plan beneficiary numbers",
    "J": "account numbers",
    "K": "certificate and licence numbers",
    "L": "vehicle identifiers and plates",
    "M": "device identifiers and serial numbers",
    "N": "web addresses",
    "O": "IP addresses",
    "P": "biometric identifiers",
    "Q": "full-face photographs",
    "R": "other unique numbers, characteristics or codes",
}
# words of a column's name; two words have to follow each other
_WORDS = {
    "A": "name names firstname lastname surname forename fullname maiden initials employer next+of+kin",
    "B": "address street city town village county parish precinct district municipality borough suburb neighborhood"
    " neighbourhood latitude longitude lat lon gps geocode geoid fips zcta tract census+block block+group",
    "C": "month quarter weekday week day+of+year day+of+week day+of+month birth+day"
    " admission+day discharge+day death+day visit+day service+day",
    "D": "phone telephone tel mobile cellphone",
    "E": "fax telefax",
    "F": "email mail",
    "G": "ssn socialsecurity social+security",
    "H": "mrn medical+record patient+id patientid patient+number patient+no chart+number chart+no record+number",
    "I": "beneficiary policy+number insurance+number insurance+id member+id memberid medicare+id medicaid+id"
    " health+plan",
    "J": "account iban acct card+number",
    "K": "certificate licence license passport npi",
    "L": "vin plate vehicle+id licenseplate",
    "M": "imei udi device+id device+number serial serial+number",
    "N": "url website homepage weblink",
    "O": "ip ipaddress",
    "P": "biometric fingerprint finger+print retina iris+scan voiceprint voice+print",
    "Q": "photo photograph portrait face picture facial selfie headshot",
    "R": "uuid guid identifier",
}
_ZIP = "zip zipcode zip3 zip5 postal postcode postalcode post+code plz"
_AGE = "age ages agegroup agegrp ageband agerange"
_BIRTH = "birth birthyear birthdate birthday yob dob born"
_DATE = "date day dt dob birthdate birthday"
_CONTENT = {  # titles of what nearly all values of a column look like (data/identifiers.py); other numbers are R
    "A": ("names of persons", "given names", "family names"),
    "B": ("postal addresses", "coordinates"),
    "D": ("telephone numbers",),
    "F": ("e-mail addresses",),
    "G": ("US social security numbers",),
    "J": ("bank accounts (IBAN)", "payment cards"),
    "L": ("vehicle identification numbers", "licence plates"),
    "M": ("device numbers (IMEI)", "device addresses (MAC)"),
    "N": ("web addresses",),
    "O": ("IP addresses",),
}
_FREE_TEXT = "free text"


@dataclass(frozen=True)
class SafeHarbourFinding:
    """A column that may hold an identifier: which of the 18, the reason, and in how many of the rows with a value."""

    column: str
    identifier: str
    title: str
    reason: str
    rows: int


@dataclass(frozen=True)
class SafeHarbour:
    """What was found in the columns that were checked; `passes` if nothing was."""

    columns: int
    rows: int
    findings: tuple[SafeHarbourFinding, ...]

    @property
    def passes(self) -> bool:
        return not self.findings

    def to_dict(self) -> dict[str, Any]:
        found = [asdict(finding) for finding in self.findings]
        return {"columns": self.columns, "rows": self.rows, "passes": self.passes, "findings": found}


def check_safe_harbour(
    table: Table, columns: Iterable[str] | None = None, *, small_areas: Iterable[str] | None = None, year: int = 0
) -> SafeHarbour:
    """Check columns of a table, all of them by default.

    `small_areas` are the first three digits of zip codes where at most 20,000 people live, by default the 17 that the
    Department of Health and Human Services lists from the census of 2000; `year` is the present one, by which a year of
    birth tells an age over 89.

    >>> table = Table.of({"zip": ["10027", "03601"], "age": [34, 93], "ill": ["flu", "gout"]})
    >>> [(one.column, one.identifier, one.rows) for one in check_safe_harbour(table).findings]
    [('zip', 'B', 2), ('zip', 'B', 1), ('age', 'C', 1)]
    """
    table = Table.of(table)
    names = tuple(table.names if columns is None else columns)
    areas, year = frozenset(small_areas) if small_areas is not None else None, year or datetime.date.today().year
    findings: list[SafeHarbourFinding] = []
    for name in names:
        column, _ = quietly(table.column, name, errors=(DataError,))
        if column is not None:
            findings += _findings(column, areas, year)
    return SafeHarbour(len(names), len(table), tuple(findings))


def _findings(column: Column, areas: frozenset[str] | None, year: int) -> list[SafeHarbourFinding]:
    rows_of = np.bincount(column.codes, minlength=len(column.values) + 1)[: len(column.values)]
    rows_of[column.suppressed[:-1]] = 0
    words = words_of(column.name)
    found: list[SafeHarbourFinding] = []

    def add(identifier: str, reason: str, matching: np.ndarray | None = None) -> None:
        rows = int(rows_of.sum() if matching is None else rows_of[matching].sum())
        if rows and not (matching is None and any(one.identifier == identifier for one in found)):
            found.append(SafeHarbourFinding(column.name, identifier, TITLES[identifier], reason, rows))

    if not rows_of.any():
        return []
    texts = [text if text != SUPPRESSED else "" for text in column.texts]
    if _named(words, _ZIP):
        finer, small = zip_codes(texts, column.kind, areas)
        add("B", "more than three digits of a zip code", finer)
        add("B", "zip codes of areas where at most 20,000 people live", small)
    if _named(words, _AGE):
        add("C", "ages over 89, which may be published as one group only", ages_over_89(column))
    if _named(words, _BIRTH):
        add("C", "years of birth that tell an age over 89", old_birth_years(column, year))
    add("C", "dates that tell more than the year", finer_dates(column, by_name=_named(words, _DATE)))
    for identifier, matching in looks_like(texts).items():
        add(identifier, f"the content looks like {TITLES[identifier]}", matching)
    for identifier, listed in _WORDS.items():
        if _named(words, listed):
            add(identifier, f"the name of the column suggests {TITLES[identifier]}")
    likely = None if found else likely_identifier(column)
    if likely is not None and not likely.title.startswith(_FREE_TEXT):
        letter = next((letter for letter, titles in _CONTENT.items() if likely.title in titles), "R")
        add(letter, f"the content looks like {likely.title}")
    is_code = column.kind == "category" or str(column.values.type).startswith(("int", "uint"))
    if not found and is_code and works_like_a_name(column):
        add("R", "nearly every row has a value of its own")
    return found


def words_of(name: str) -> list[str]:
    """The words of a column's name.

    >>> words_of("PatientID"), words_of("zip_code-5"), words_of("e-mail")
    (['patient', 'id'], ['zip', 'code', '5'], ['email'])
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower().replace("e-mail", "email")
    return re.findall(r"[a-z]+[0-9]*|[0-9]+", apart)


def _named(words: list[str], listed: str) -> bool:
    """Whether one of the listed words is among the words of a name, or words joined by + follow each other in it."""
    text = f" {' '.join(words)} "
    return any(f" {one.replace('+', ' ')} " in text for one in listed.split())
