# SPDX-License-Identifier: Apache-2.0
"""Arrow tables as the frames that people work with: pandas, polars, DuckDB."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

FRAMES = ("arrow", "pandas", "polars", "duckdb")


def as_frame(table: pa.Table, frame: str) -> Any:
    """An Arrow table as one of FRAMES.

    >>> import pyarrow as pa
    >>> as_frame(pa.table({"age": [31]}), "pandas").columns.tolist()
    ['age']
    """
    if frame == "arrow":
        return table
    if frame not in FRAMES:
        raise DataError(f"{frame!r} is not a kind of frame; choose {', '.join(FRAMES[:-1])} or {FRAMES[-1]}.")
    try:
        library: Any = importlib.import_module(frame)
    except ImportError:
        raise DataError(f"{frame} is not installed: pip install {frame}. Or take `to_arrow()`.") from None
    return table.to_pandas() if frame == "pandas" else library.from_arrow(table)


class Framed:
    """What is a table: subclasses say how it becomes an Arrow table."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """As an Arrow table."""

    def to_pandas(self) -> Any:
        """As a pandas data frame."""
        return as_frame(self.to_arrow(), "pandas")

    def to_polars(self) -> Any:
        """As a polars data frame."""
        return as_frame(self.to_arrow(), "polars")
