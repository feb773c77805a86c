# SPDX-License-Identifier: Apache-2.0
"""A data set to experiment with: the data, the roles of its columns, and its origin."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.data.baskets import Baskets
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, did_you_mean, listing
from discreet.foundation.displayed import Displayed
from discreet.foundation.lazy_modules import sparse as sp


@dataclass(frozen=True, eq=False)
class Sample(Displayed):
    """A named data set.

    Attributes
    ----------
    name : the name it was loaded by
    data : a Table, or Baskets for sparse 0/1 data
    roles : what each column of a table is for; None for baskets, whose labels travel with them
    counts : how often each item occurs in each row (CSR, shaped as `data`), for text when asked for
    description, source, licence : what it is, whom to cite, what may be done with it
    papers : numbers of the reproduced papers that use it, or that it stands in for
    """

    name: str
    data: Table | Baskets
    roles: Roles | None = None
    counts: sp.csr_array | None = None
    description: str = ""
    source: str = ""
    licence: str = ""
    papers: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; for a table every column counts, the target too."""
        return (len(self.data), len(self.data.names))

    def __repr__(self) -> str:
        return f"Sample({self.name!r}, {self.data!r})"


def check_options(name: str, function: Callable[..., Any], options: Mapping[str, object]) -> None:
    """Raise DataError for an option that the sample does not have."""
    options_of = list(inspect.signature(function).parameters)
    unknown = [option for option in options if option not in options_of]
    if unknown:
        has = f"It has {listing(options_of)}." if options_of else "It has none."
        raise DataError(
            f"The sample {name!r} has no option {listing(unknown)}.{did_you_mean(unknown[0], options_of)} {has}"
        )


def whole(sample: str, option: str, value: object, low: int, high: int | None = None) -> int:
    """The value as an int, or a DataError that says what it must be.

    >>> whole("clinic", "rows", 500, 1)
    500
    """
    fits = isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= low
    if not fits or (high is not None and value > high):  # type: ignore[operator]
        bound = f"of at least {low}" if high is None else f"between {low} and {high}"
        raise DataError(
            f"The {option!r} option of the sample {sample!r} must be a whole number {bound}. Got {value!r}."
        )
    return int(value)  # type: ignore[call-overload]


def real(sample: str, option: str, value: object, low: float, high: float = float("inf")) -> float:
    """The value as a float in [low, high], or a DataError that says what it must be.

    >>> real("quest", "skew", 1, 0)
    1.0
    """
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not is_number or not low <= value <= high or value == float("inf"):  # type: ignore[operator]
        bound = f"of at least {low:g}" if high == float("inf") else f"between {low:g} and {high:g}"
        raise DataError(f"The {option!r} option of the sample {sample!r} must be a number {bound}. Got {value!r}.")
    return float(value)  # type: ignore[arg-type]


def one_of(sample: str, option: str, value: object, choices: tuple[Any, ...]) -> None:
    if value not in choices:
        allowed = " or ".join(map(repr, choices))
        raise DataError(f"The {option!r} option of the sample {sample!r} must be {allowed}. Got {value!r}.")
