# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as a vocabulary. A message says what was asked, what was found and what to do.

Messages speak of names and counts, never of the value of a cell: they end up in tickets and logs.

A parameter has one name in Python and another on the command line. A message holds it as a `Setting` among its texts,
and whoever shows the message spells it: `str(error)` as in Python, `error.told(spelling)` in other words.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, Protocol

_LONGEST = 60  # characters of a name that a message shows


class Spelling(Protocol):
    """How a message names parameters."""

    def setting(self, setting: Setting, /) -> str: ...

    def outside(self, found: Outside, /) -> str: ...


class Ranges(Protocol):
    """What a parameter may be, in the words of Python and in plain ones."""

    @property
    def in_python(self) -> str: ...

    @property
    def in_words(self) -> str: ...


@dataclass(frozen=True)
class Setting:
    """A parameter in a message, alone or with the value that is advised; dots stand for what only the user knows.

    >>> print(DataError("Leave out ", Setting("k"), ", or say ", Setting("cuts", {"age": [...]}), "."))
    Leave out 'k', or say cuts={'age': [...]}.
    """

    name: str
    value: Any = ...

    def spelt(self, spelling: Spelling) -> str:
        return spelling.setting(self)


@dataclass(frozen=True)
class Outside:
    """A parameter whose value is outside its range, as the whole sentence of a message."""

    name: str
    owner: str  # the class that has the parameter
    allowed: Ranges
    value: Any

    def spelt(self, spelling: Spelling) -> str:
        return spelling.outside(self)


class _Python:
    """The spelling of Python, in the form that scikit-learn has given it."""

    def setting(self, setting: Setting) -> str:
        return repr(setting.name) if setting.value is ... else f"{setting.name}={written(setting.value)}"

    def outside(self, found: Outside) -> str:
        allowed = found.allowed.in_python
        return f"The {found.name!r} parameter of {found.owner} must be {allowed}. Got {found.value!r} instead."


class PlainWords:
    """The spelling of a file of settings: names as they stand there, ranges in words."""

    def setting(self, setting: Setting) -> str:
        return repr(setting.name) if setting.value is ... else f"{setting.name} = {written(setting.value, _quoted)}"

    def outside(self, found: Outside) -> str:
        return f"{found.name!r} must be {found.allowed.in_words}. Got {written(found.value, _quoted)}."


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else repr(value)


def written(value: Any, text: Callable[[Any], str] = repr) -> str:
    """A value as it is written in code, with dots for what is left open.

    >>> print(written({"age": [20, ...]}))
    {'age': [20, ...]}
    """
    if isinstance(value, EllipsisType):
        return "..."
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(key)}: {written(one, text)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(written(one, text) for one in value) + "]"
    return text(value)


class DiscreetError(Exception):
    """Root of everything discreet raises on purpose."""

    def __str__(self) -> str:
        return self.told(_Python())

    def told(self, spelling: Spelling) -> str:
        """The message, with parameters spelt as where it is shown."""
        return "".join(part.spelt(spelling) if isinstance(part, Setting | Outside) else str(part) for part in self.args)


class DataError(DiscreetError, ValueError):
    """The data cannot be used as it is: unreadable, ragged, empty, of a kind that is not supported."""


class RolesError(DiscreetError, ValueError):
    """The roles do not fit the data, or contradict each other."""


class ParameterError(DiscreetError, ValueError, TypeError):
    """A parameter of a promise or a method is outside its range."""


class CannotRelease(DiscreetError):  # noqa: N818  (a word of the field, not an Error)
    """No release of this kind exists for this data and this promise."""


class PromiseBroken(DiscreetError):  # noqa: N818  (a word of the field, not an Error)
    """What was about to be published, or was found published, does not keep its promise."""


class PolicyBroken(PromiseBroken):
    """What was about to be published, or was found published, does not keep the holder's policy."""


class BudgetExceeded(DiscreetError):  # noqa: N818  (a word of the field, not an Error)
    """The privacy budget of the data set does not allow this release."""


class LedgerTampered(DataError):  # noqa: N818  (a word of the field, not an Error)
    """The ledger was changed by something else than discreet: nothing can be spent from it."""


class PrivacyLeakWarning(UserWarning):
    """Something was done that may tell more than the promise covers."""


class UnknownValuesWarning(UserWarning):
    """Many cells of new rows hold values that a release does not know."""


class LeftOutWarning(UserWarning):
    """Rows without a label are left out of a release."""


def quietly(
    build: Callable[..., Any], *arguments: Any, errors: tuple[type[Exception], ...] = (Exception,)
) -> tuple[Any, str]:
    """What `build` returns and no failure; or None and the name of the error that it raised.

    The messages of other libraries quote cells. Raising our own error while theirs is being handled would keep theirs
    as its context, for every log that follows contexts; so theirs ends here, and ours is raised after.

    >>> quietly(int, "7"), quietly(int, "secret", errors=(ValueError,))
    ((7, ''), (None, 'ValueError'))
    """
    try:
        return build(*arguments), ""
    except errors as error:
        return None, type(error).__name__


def plain(text: object) -> str:
    """Text from outside as a terminal may show it: what is not printable (escapes, bells, line breaks, signs that turn
    the direction of writing) is spelt out.

    >>> print(plain("\\x1b[31mred"), plain("a\\u202eb"), plain("naïve 数"))
    \\x1b[31mred a\\u202eb naïve 数
    """
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in str(text))


def shown(name: object) -> str:
    """A name as a message shows it: quoted, on one line, not too long.

    >>> shown("age"), shown("x" * 100) == "'" + "x" * 59 + "…'"
    ("'age'", True)
    """
    text = str(name)
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def listing(names: Iterable[object], most: int = 6) -> str:
    """Names for a message: quoted, at most `most` of them.

    >>> listing(["age", "zip"])
    "'age', 'zip'"
    >>> listing("abcdefgh", most=2)
    "'a', 'b' and 6 more"
    """
    quoted = [shown(name) for name in names]
    first = ", ".join(quoted[:most])
    return first if len(quoted) <= most else f"{first} and {len(quoted) - most} more"


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """A hint at the nearest known name, or nothing.

    >>> did_you_mean("zipcode", ["zip_code", "age"])
    " Did you mean 'zip_code'?"
    """
    near = difflib.get_close_matches(str(name)[:_LONGEST], [str(k)[:_LONGEST] for k in known], n=1, cutoff=0.6)
    return f" Did you mean {shown(near[0])}?" if near else ""
