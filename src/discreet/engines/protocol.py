# SPDX-License-Identifier: Apache-2.0
"""What an engine does: it counts rows where they are. What values mean, what is decided and what is written is not its
business: that stays with discreet, on distinct rows.

An engine is any class with these verbs; it need not inherit from `Engine`. `tests/engines` holds an engine against the
table in memory. Two more verbs are to come, with which a method decided on distinct rows can also be applied to rows
that outgrow memory:

histograms(router, columns, by)  rows per open node, column and rank, where even the distinct rows are too many
publish(apply, secret, sink)     the rows through `apply`, a batch at a time, in an order that tells nothing
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
        """The different values of a column, missing included, in increasing order: a column with one row for each."""
        ...
