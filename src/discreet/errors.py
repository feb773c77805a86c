# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as a vocabulary. A message says what was asked, what was found and what to do.

Messages speak of names and counts, never of the value of a cell: they end up in tickets and logs.
"""

import difflib
from collections.abc import Iterable


class DiscreetError(Exception):
    """Root of everything discreet raises on purpose."""


class DataError(DiscreetError, ValueError):
    """The data cannot be used as it is: unreadable, ragged, empty, of a kind that is not supported."""


class RolesError(DiscreetError, ValueError):
    """The roles do not fit the data, or contradict each other."""


class CannotRelease(DiscreetError):
    """No release of this kind exists for this data and this promise."""


class PromiseBroken(DiscreetError):
    """What was about to be published, or was found published, does not keep its promise."""


class BudgetExceeded(DiscreetError):
    """The privacy budget of the data set does not allow this release."""


class PrivacyLeakWarning(UserWarning):
    """Something was done that may tell more than the promise covers."""


def listing(names: Iterable[object], most: int = 6) -> str:
    """Names for a message: quoted, at most `most` of them.

    >>> listing(["age", "zip"])
    "'age', 'zip'"
    >>> listing("abcdefgh", most=2)
    "'a', 'b' and 6 more"
    """
    names = [repr(str(name)) for name in names]
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint at the nearest known name, or nothing.

    >>> did_you_mean("zipcode", ["zip_code", "age"])
    " Did you mean 'zip_code'?"
    """
    near = difflib.get_close_matches(str(name), [str(k) for k in known], n=1, cutoff=0.6)
    return f" Did you mean {near[0]!r}?" if near else ""
