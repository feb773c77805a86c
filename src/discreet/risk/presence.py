# SPDX-License-Identifier: Apache-2.0
"""Delta-presence: how sure can somebody be that a person of the population is in the table?

M. E. Nergiz, M. Atzori and C. Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007. A
person of the population whose group has F members, f of whom are in the table, is in the table with probability f/F.
The table is (low, high)-present if f/F lies between both for every person of the population.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from discreet.risk.sampled_groups import SampledGroups


@dataclass(frozen=True)
class DeltaPresence:
    """The least and the greatest probability that a person of the population is in the table.

    certain  rows of persons whose presence is certain: all who share their quasi-identifiers are in the table
    """

    low: float
    high: float
    certain: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def delta_presence(groups: SampledGroups) -> DeltaPresence | None:
    """The delta-presence of a table whose population was counted; None if there is no table of the population."""
    if groups.counted is None or groups.population is None:
        return None
    share = groups.sizes / groups.population
    low = 0.0 if groups.counted.absent else float(share.min())
    return DeltaPresence(low, float(share.max()), int(groups.rows[share == 1].sum()))
