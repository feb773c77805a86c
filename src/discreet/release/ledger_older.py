# SPDX-License-Identifier: Apache-2.0
"""Convert ledgers of formats 1 and 2, two tables with case-sensitive names, to lines of the current format."""

from __future__ import annotations

import json
import math
import sqlite3
import warnings
from typing import Any

from discreet.errors import DataError, PrivacyLeakWarning, quietly
from discreet.privacy.budget import Budget
from discreet.release.ledger_entries import Limit, end_line, limit_line, merged, normalised, release_line, remark_line


def lines_of_older(file: sqlite3.Connection, format: int) -> list[dict[str, Any]] | None:
    """Lines for the contents of an older ledger, oldest first; drops its tables. None if the file is no such ledger."""
    read, failure = quietly(_read, file, format)
    if read is None:
        if failure == "OperationalError":
            return None
        raise DataError(f"The ledger is of format {format} and cannot be read ({failure}). Restore a copy.")
    limits, releases = read
    by_name: dict[str, list[str]] = {}
    for name in limits:
        by_name.setdefault(normalised(name), []).append(name)
    joined = {key: merged(names, [limits[name] for name in names]) for key, names in by_name.items() if len(names) > 1}
    lines = [remark_line(f"Begun from a ledger of format {format}: its {len(releases)} releases had no hashes.")]
    for key, names in by_name.items():
        lines += [limit_line(name, limits[name], time="") for name in names]
        if key in joined:
            limit, remark = joined[key]
            lines += [limit_line(names[0], limit, why="joined"), remark_line(remark)]
            warnings.warn(remark, PrivacyLeakWarning, stacklevel=6)
    for number, name, cost, what, state, time, promise, columns in releases:
        if normalised(name) in joined and limits[name].neighbours != joined[normalised(name)][0].neighbours:
            cost = _replacing(cost)
        names = json.loads(columns or "[]")
        lines.append(release_line(number, name, cost, what=what, promise=promise, columns=names, time=time))
        if state != "open":
            lines.append(end_line(number, state))
    for table in ("entries", "limits"):
        file.execute(f"DROP TABLE {table}")
    return lines


def _read(file: sqlite3.Connection, format: int) -> tuple[dict[str, Limit], list[Any]]:
    rows = file.execute("SELECT data_set, epsilon, delta, accounting, neighbours FROM limits ORDER BY data_set")
    limits = {name: Limit(Budget(float(e), float(d)), how, which) for name, e, d, how, which in rows}
    more = "promise, columns" if format > 1 else "'', ''"
    rows = file.execute(
        f"SELECT number, data_set, epsilon, delta, rho, what, state, time, {more} FROM entries ORDER BY number"
    )
    releases = []
    for number, name, e, d, rho, *rest in rows:
        cost = None if e is None else Budget(float(e), float(d), None if rho is None else float(rho))
        if name not in limits:
            raise DataError("A release has no data set.")
        releases.append((number, name, cost, *rest))
    return limits, releases


def _replacing(cost: Budget | None) -> Budget | None:
    """Convert a cost for add-remove neighbours to replace-one neighbours: one row is removed, another added.

    >>> _replacing(Budget(0.5))
    Budget(epsilon=1.0, delta=0.0, rho=0.5)
    """
    if cost is None:
        return None
    rho = None if cost.rho is None else 4 * cost.rho
    return Budget(2 * cost.epsilon, min((1 + math.exp(cost.epsilon)) * cost.delta, 0.999), rho)
