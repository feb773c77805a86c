# SPDX-License-Identifier: Apache-2.0
"""`max_suppressed`: a limit on suppression. A release that exceeds it is refused.

Declare the parameter with `"max_suppressed": MAX_SUPPRESSED`; the base class checks it on what would be published. A
method that can release in several ways asks `beyond_limit` beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

from discreet.errors import CannotRelease, Setting
from discreet.foundation.parameters import Interval
from discreet.release.losses import Losses

_SHARE = Interval(Real, 0, 1, closed="both")


class _Shares:
    """A mapping with shares of rows, of cells, or of both."""

    def allows(self, value: Any) -> bool:
        has_valid_keys = isinstance(value, Mapping) and len(value) > 0 and set(value) <= {"rows", "cells"}
        return has_valid_keys and all(_SHARE.allows(share) for share in value.values())

    def __str__(self) -> str:
        return "a dict with such floats for 'rows', 'cells' or both"


MAX_SUPPRESSED = [_SHARE, _Shares(), None]


def check_limit(limit: float | Mapping[str, float] | None, losses: Losses) -> None:
    """Raise CannotRelease if more is suppressed than `limit` allows.

    A number, or "cells", limits the share of quasi-identifier cells, counted like the information loss; "rows" the
    share of rows that are left out or published with every quasi-identifier suppressed.
    """
    if limit is None:
        return
    limits = _limits(limit)
    shares = {"rows": losses.suppressed_rows / max(losses.rows, 1), "cells": losses.information_loss}
    over = [what for what in ("rows", "cells") if what in limits and shares[what] > limits[what]]
    if over:
        named = {"rows": "rows", "cells": "cells of quasi-identifiers"}
        excess = " and ".join(
            f"at most {limits[what]:.4g} of the {named[what]} may be suppressed, but {shares[what]:.4g} would be"
            for what in over
        )
        counts = f"{losses.suppressed_rows} of {losses.rows} rows wholly suppressed or left out"
        raise CannotRelease(
            "By ",
            Setting("max_suppressed"),
            f" {excess} ({counts}). Nothing was released. Lower k, name fewer quasi-identifiers, or allow more.",
        )


def beyond_limit(limit: float | Mapping[str, float] | None, *, rows: float, cells: float) -> float:
    """By how much these shares of suppressed rows and cells exceed the limit; 0 if both keep to it.

    >>> beyond_limit(0.25, rows=0.5, cells=0.75), beyond_limit({"rows": 0.25}, rows=0.25, cells=0.75)
    (0.5, 0.0)
    """
    limits = {} if limit is None else _limits(limit)
    return max(rows - limits.get("rows", 1.0), cells - limits.get("cells", 1.0), 0.0)


def _limits(limit: float | Mapping[str, float]) -> Mapping[str, float]:
    return limit if isinstance(limit, Mapping) else {"cells": limit}
