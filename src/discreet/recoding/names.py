# SPDX-License-Identifier: Apache-2.0
"""Names for sets of categories that are too long to be read: the commonest members, and how many more there are.

At most eight members are spelt out; the others stand in the published record of the recoding, with the label. A name
holds members that are named anyway, so that it shows nothing that fewer than k persons have.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence

MOST_SPELT = 8  # members of a set in a label
_FIRST = 2  # members in a name, unless another set has the same
_LONGEST = 24  # characters of a member in a name
_NAME = re.compile(r".+, .+ and [1-9]\d* more(?: #\d+)?", re.DOTALL)


def names_of(members: Sequence[str]) -> Iterator[str]:
    """Names for a set whose members are given with the commonest first, until one is free.

    >>> names = names_of(["Sales", "Clerical", "Repair", "Farming"])
    >>> next(names), next(names), next(names)
    ('Sales, Clerical and 2 more', 'Sales, Clerical, Repair and 1 more', 'Sales, Clerical and 2 more #2')
    """
    texts = [text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…" for text in members]
    for shown in range(_FIRST, min(MOST_SPELT, len(texts) - 1) + 1):
        yield f"{', '.join(texts[:shown])} and {len(texts) - shown} more"
    number = 2
    while True:
        yield f"{', '.join(texts[:_FIRST])} and {len(texts) - _FIRST} more #{number}"
        number += 1


class Names:
    """The names that the sets of one column have; each means one set."""

    def __init__(self) -> None:
        self._set_of: dict[str, Hashable] = {}

    def name(self, of: Hashable, members: Sequence[str]) -> str:
        """The name of a set: the one it has, or the first that no other set has."""
        return next(name for name in names_of(members) if self._set_of.setdefault(name, of) == of)


def is_name(label: str) -> bool:
    """Whether the label is such a name, of which not all members are known.

    >>> is_name("Sales, Clerical and 2 more"), is_name("{Clerical, Sales}")
    (True, False)
    """
    return _NAME.fullmatch(label) is not None
