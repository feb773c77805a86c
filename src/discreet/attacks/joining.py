# SPDX-License-Identifier: Apache-2.0
"""Common codes for the columns of several tables: equal texts get equal codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.data.column import Column


def joined_codes(columns: Sequence[Column]) -> np.ndarray:
    """Codes of several columns, one after the other: equal for cells that are written alike, or both missing.

    >>> from discreet.data.table import Table
    >>> one, other = Table.of({"x": ["b", "a", None]}), Table.of({"x": ["b", "c", None]})
    >>> joined_codes([one.column("x"), other.column("x")]).tolist()
    [1, 0, 2, 1, 3, 2]
    """
    place: dict[str | None, int] = {}
    codes = []
    for column in columns:
        of_code = [place.setdefault(text, len(place)) for text in [*column.texts, None]]
        codes.append(np.array(of_code)[column.codes])
    return np.concatenate(codes)
