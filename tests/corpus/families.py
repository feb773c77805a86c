# SPDX-License-Identifier: Apache-2.0
"""All files of the corpus. A family is a function that returns its cases; to add one, enter it here."""

from corpus.case import Case
from corpus.dialects import families_of_dialects
from corpus.elsewhere import families_of_elsewhere
from corpus.locales import families_of_locales
from corpus.single_columns import families_of_columns

FAMILIES = (families_of_locales, families_of_columns, families_of_dialects, families_of_elsewhere)


def corpus() -> list[Case]:
    cases = [case for family in FAMILIES for case in family()]
    assert len({case.name for case in cases}) == len(cases)
    return cases
