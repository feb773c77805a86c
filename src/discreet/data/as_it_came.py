# SPDX-License-Identifier: Apache-2.0
"""What comes in as a pandas frame goes out as a pandas frame, and so for polars, Arrow and DuckDB."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from discreet.data.table import Table


def as_it_came(table: Table, rows: object, *, frame: str | None = None) -> Any:
    """A table that was made of `rows`, row by row, as the kind of frame that these are; a pandas index is kept.

    What was made of tables, files and mappings of columns stays a `Table`, unless `frame` names a kind.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 45]}, index=["a", "b"])
    >>> as_it_came(Table.of(frame), frame).loc["b", "age"]
    np.int64(45)
    """
    if frame is None and isinstance(rows, (Table, str, os.PathLike, Mapping)):
        return table
    made = table.to_frame(frame)
    if (frame or table.frame) == table.frame == "pandas" and hasattr(rows, "index"):
        made.index = rows.index
    return made
