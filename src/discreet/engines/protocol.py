# SPDX-License-Identifier: Apache-2.0
"""The interface of engines, which count rows where they are. Kinds, decisions and output stay with discreet, on
distinct rows.

An engine is any class with these methods; it need not inherit from `Engine`. `tests/engines` compares engines with
tables in memory. Two more methods are planned, to apply a plan made on distinct rows to rows that outgrow memory:

histograms(router, columns, by)  rows per open node, column and rank, if even the distinct rows are too many
publish(apply, secret, sink)     the rows through `apply`, a batch at a time, in an order that reveals nothing
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from discreet.counting.tally import Tally
from discreet.data.column import Column


@runtime_checkable
class Engine(Protocol):
    """Rows of named columns that can be counted."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def __len__(self) -> int: ...

    def tally(self, columns: Sequence[str], *, target: str | None = None, person: str | None = None) -> Tally:
        """The distinct rows of `columns` in lexicographic order, with rows by class and persons behind each."""
        ...

    def values(self, name: str) -> Column:
        """The distinct values of a column, missing included, in increasing order, as a column with one row each."""
        ...
