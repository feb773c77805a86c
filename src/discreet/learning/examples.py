# SPDX-License-Identifier: Apache-2.0
"""The input of learners: distinct rows with a weight per class, so that work depends on distinct rows only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from discreet.counting.tally import distinct_codes
from discreet.data.column import SUPPRESSED, Column
from discreet.data.table import Table
from discreet.errors import DataError, shown

MISSING = ""  # the text of a missing cell where missing is a value; no cell of a table is empty and not missing


@dataclass(frozen=True, eq=False)
class Feature:
    """One column: `numbers` in increasing order, or the `texts` of categories. The code after the last is unknown."""

    name: str
    numbers: np.ndarray | None = None
    texts: tuple[str, ...] | None = None

    @property
    def is_number(self) -> bool:
        return self.numbers is not None

    @property
    def unknown(self) -> int:
        """The code of a cell that is missing or holds an unseen category."""
        return len(self.numbers) if self.numbers is not None else len(self.texts or ())

    @cached_property
    def _code_of(self) -> dict[str, int]:
        return {text: code for code, text in enumerate(self.texts or ())}

    def codes(self, column: Column) -> np.ndarray:
        """The code of each row of a column of categories, be it of new rows."""
        if self.is_number:
            raise DataError(f"Column {shown(self.name)} holds numbers, which have no codes: compare them instead.")
        unknown = self.unknown
        of_value = [self._code_of.get(text, unknown) for text in column.texts] + [self._code_of.get(MISSING, unknown)]
        return np.array(of_value, dtype=np.int32)[column.codes]

    def places(self, column: Column) -> np.ndarray:
        """The number of each row, NaN where it is missing."""
        return self.numbers_of(column)[column.codes]

    def numbers_of(self, column: Column) -> np.ndarray:
        """The number of each code of a column, be it of new rows; NaN, the last one, stands for missing."""
        if column.kind == "category" and len(column.values):
            raise DataError(f"Column {shown(self.name)} was learnt as numbers, but holds categories here.")
        return np.append(column.numbers if len(column.values) else np.empty(0), np.nan)


@dataclass(frozen=True, eq=False)
class Examples:
    """Labelled rows: `codes[i, f]` is the value of distinct row i in feature f, `counts[i, c]` its rows of class c.

    >>> e = Examples.of(Table.of({"sex": ["f", "m", "f", None], "y": [1, 1, 0, 0]}), ["sex"], "y")
    >>> e.codes.ravel().tolist(), e.counts.tolist(), e.classes
    ([0, 1, 2], [[1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ('0', '1'))
    """

    features: tuple[Feature, ...]
    codes: np.ndarray
    counts: np.ndarray
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(
        cls,
        table: Table,
        features: Sequence[str],
        target: str,
        *,
        missing: Literal["unknown", "value"] = "unknown",
        suppressed: Literal["unknown", "value"] = "value",
        weights: np.ndarray | None = None,
    ) -> Examples:
        """The distinct rows of some columns of a table.

        `missing` and `suppressed` say whether such a cell of a category is one more value, or is not known. A number
        that is missing is always unknown. Rows whose class is missing teach nothing and are left out.
        """
        label = table.column(target)
        labelled = label.codes < len(label.values)
        described = [_feature(table.column(name), missing, suppressed) for name in features]
        codes = [feature.codes(column) if not feature.is_number else column.codes for feature, column in described]
        codes = [c[labelled] for c in codes]
        n, n_classes = int(labelled.sum()), len(label.values)
        rows, groups = distinct_codes(codes, n, [feature.unknown + 1 for feature, _ in described])
        cells = groups * n_classes + label.codes[labelled]
        weights = None if weights is None else np.asarray(weights, dtype=np.float64)[labelled]
        counts = np.bincount(cells, weights, minlength=len(rows) * n_classes).astype(np.float64)
        return cls(
            tuple(feature for feature, _ in described),
            rows,
            counts.reshape(len(rows), n_classes),
            tuple(label.texts),
        )

    def cuts(self, test: np.ndarray, limit: np.ndarray) -> np.ndarray:
        """Of tests (a feature, and the last code below the cut) the middle between the last number below the cut and
        the next one; NaN where no number is tested.
        """
        cuts = np.full(len(test), np.nan)
        for f, feature in enumerate(self.features):
            if feature.numbers is not None:
                at = np.flatnonzero(test == f)
                low, high = feature.numbers[limit[at]], feature.numbers[limit[at] + 1]
                middle = low + (high - low) / 2
                cuts[at] = np.where((low < middle) & (middle <= high), middle, high)
        return cuts


def _feature(column: Column, missing: str, suppressed: str) -> tuple[Feature, Column]:
    if column.kind != "category":
        return Feature(column.name, numbers=column.numbers), column
    texts = [text for text in column.texts if suppressed == "value" or text != SUPPRESSED]
    if missing == "value" and column.has_missing:
        texts.append(MISSING)
    return Feature(column.name, texts=tuple(texts)), column
