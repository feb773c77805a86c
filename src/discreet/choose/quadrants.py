# SPDX-License-Identifier: Apache-2.0
"""The four regions of the utility-privacy plane, relative to a baseline.

I    less useful and less private       II   as useful or more, but less private
III  less useful, as private or more    IV   as useful and as private, or more

The paper leaves open which region the borders belong to; here equal to the baseline counts as good.
"""

from __future__ import annotations

from discreet.choose.criteria import Criterion

REGIONS = {
    "I": "less useful, less private",
    "II": "at least as useful, less private",
    "III": "less useful, at least as private",
    "IV": "at least as useful and as private",
}


_NAMES = {(False, False): "I", (True, False): "II", (False, True): "III", (True, True): "IV"}


def region_of(*, useful: bool, private: bool) -> str:
    """The region of a candidate that is at least as useful, and at least as private, as the baseline, or not."""
    return _NAMES[useful, private]


def regions(utility: Criterion, privacy: Criterion, baseline: int) -> tuple[str, ...]:
    """The region of each candidate; `baseline` is the number of the candidate that they are compared with.

    >>> performance = Criterion("performance", [73.7, 74.2, 73.1, 74.0])
    >>> breach = Criterion("pbi", [0, 0.9, -1.0, -0.2], higher_is_better=False)
    >>> regions(performance, breach, 0)
    ('IV', 'II', 'III', 'IV')
    """
    useful = [value >= utility.goodness[baseline] for value in utility.goodness]
    private = [value >= privacy.goodness[baseline] for value in privacy.goodness]
    return tuple(region_of(useful=u, private=p) for u, p in zip(useful, private, strict=True))
