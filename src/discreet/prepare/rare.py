# SPDX-License-Identifier: Apache-2.0
"""Values that fewer persons have than a promise asks for, and whether a label names one of them.

A published label may cover such a value, but must not name it: whoever reads the name knows that somebody has it. A
label names a category where the category stands in it as a whole word, and a number or date where it is that number or
date, lists it in braces, or is an interval that holds no other. The ends of wider ranges (31-40, a-d) are no names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.data.column import SUPPRESSED, Column
from discreet.prepare.intervals import is_whole, read_interval


@dataclass(frozen=True, eq=False)
class Rare:
    """The rare values of a column: `is_rare` says it of each of the column's values, missing aside.

    >>> rows = CodedRows.of({"zip": ["80331", "80333", "80333", "80335"]}, ["zip"])
    >>> rare = Rare.of(rows, "zip", rarest=2)
    >>> [rare.is_named_by(label) for label in ("80331", "80333", "{80333, 80335}", "8033*")]
    [True, False, True, False]
    """

    column: Column
    is_rare: np.ndarray
    persons: np.ndarray | None = None  # with each value, missing last
    rarest: int = 1

    @classmethod
    def of(cls, rows: CodedRows, name: str, *, rarest: int) -> Rare:
        """The values of a column that fewer than `rarest` persons have, or rows where no persons are told apart."""
        persons = rows.persons_of(name)
        return cls(rows.column(name), persons[:-1] < rarest, persons, rarest)

    @cached_property
    def texts(self) -> frozenset[str]:
        return frozenset(text for text, rare in zip(self.column.texts, self.is_rare, strict=True) if rare)

    @cached_property
    def common(self) -> list[str]:
        """All other values, in the column's order."""
        return [text for text, rare in zip(self.column.texts, self.is_rare, strict=True) if not rare]

    @cached_property
    def numbers(self) -> frozenset[float]:
        if self.column.kind == "category" or not len(self.column.values):
            return frozenset()
        common = self.column.numbers[~self.is_rare]  # moments far from today may fall on one number
        return frozenset(self.column.numbers[self.is_rare].tolist()) - frozenset(common.tolist())

    @cached_property
    def _whole(self) -> bool:
        return is_whole(self.column)

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.texts), default=0)

    def is_alone_in(self, low: float, high: float) -> bool:
        """Whether [low, high) holds a single whole number or day, and that one is rare."""
        return self._whole and high - low == 1 and low in self.numbers

    def is_named_by(self, label: str) -> bool:
        if label == SUPPRESSED or not self.texts:
            return False
        if self.column.kind == "category":
            return label in self.texts or self._holds_a_word(label)
        interval = read_interval(label, self.column.kind)
        if interval is not None:
            return self.is_alone_in(*interval)
        code = label.rstrip(SUPPRESSED)  # a shorter code, filled up
        return code in self.texts or _number(code) in self.numbers or ("{" in label and self._holds_a_word(label))

    def _holds_a_word(self, label: str) -> bool:
        """Whether a rare value stands in the label, not as a part of a longer word."""
        ends = [
            place
            for place in range(len(label) + 1)
            if not (0 < place < len(label) and _in_word(label[place - 1]) and _in_word(label[place]))
        ]
        return any(
            label[start:end] in self.texts for start in ends for end in ends if start < end <= start + self._longest
        )


def _in_word(character: str) -> bool:
    return character.isalnum() or character in "_-"  # "a-d" is a range, whose ends are borders


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
