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
_EARLIER = "baseline"  # what the original was called in studies of earlier versions


def line_named(name: str, *, made: bool, others_made: bool) -> str | None:
    """The line that a name means, or None if it is that of a candidate.

    A study calls its releases by the methods that made them, so a "baseline" that no method made, among candidates that
    methods made, is the original table. Among subsets of attributes it is a subset like the others.

    >>> line_named("guessing", made=False, others_made=True), line_named("baseline", made=False, others_made=True)
    ('guessing', 'original')
    """
    if name == _EARLIER and others_made and not made:
        return ORIGINAL
    return name if name in LINES else None
