# SPDX-License-Identifier: Apache-2.0
"""What releases are compared with and what is never a candidate itself.

original               the table as it came in: it cannot be published
no quasi-identifiers   everything but the quasi-identifiers, which a recipient could always have
guessing               the commonest class, or the shares of the classes: nothing at all
"""

from __future__ import annotations

ORIGINAL = "original"
WITHOUT_QUASI = "no quasi-identifiers"
GUESSING = "guessing"
LINES = (ORIGINAL, WITHOUT_QUASI, GUESSING)
_EARLIER = {"baseline": ORIGINAL}  # names of earlier versions


def line_named(name: str) -> str | None:
    """The line that a name means, or None if it is that of a candidate.

    >>> line_named("baseline"), line_named("guessing"), line_named("mondrian-k5")
    ('original', 'guessing', None)
    """
    return _EARLIER.get(name, name if name in LINES else None)
