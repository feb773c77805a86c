# SPDX-License-Identifier: Apache-2.0
"""An advice put to the test: the method is run on the data, and what it keeps is counted. Nothing is written.

A method under differential privacy is never tried: each run would cost as much as the release.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from discreet.data.dataset import Dataset
from discreet.errors import DiscreetError
from discreet.methods import METHODS
from discreet.study.advice import TRIED_ROWS, AdvisedMethod


@dataclass(frozen=True)
class Trial:
    """What came of it: the verdict in a sentence with shares that are kept, or why there is no release."""

    method: str
    holds: bool
    sentence: str
    detail: float | None = None
    suppressed: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def trials(candidates: Iterable[AdvisedMethod], dataset: Dataset) -> list[Trial]:
    """Try the candidates one after the other, until one makes a release; none if there are too many rows."""
    found: list[Trial] = []
    if len(dataset) > TRIED_ROWS:
        return found
    for one in candidates:
        if one.is_private or one.first:
            break
        found.append(_trial(one, dataset))
        if found[-1].holds:
            break
    return found


def _trial(one: AdvisedMethod, dataset: Dataset) -> Trial:
    parameters: dict[str, Any] = dict(one.parameters)
    try:
        release = METHODS[one.method](**parameters).release(dataset)
    except DiscreetError as error:
        return Trial(one.method, False, str(error))
    verdict, detail = release.verdict, release.detail
    rows = METHODS[one.method].gives == ""
    suppressed = release.losses.information_loss if rows and dataset.shape == "table" else None
    kept = detail.whole if rows and detail is not None else None
    return Trial(one.method, verdict.holds, verdict.sentence(), kept, suppressed)
