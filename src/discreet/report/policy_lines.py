# SPDX-License-Identifier: Apache-2.0
"""The lines of a policy: for each limit what is asked, what was found, and whether it passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.errors import listing
from discreet.report.policy_figures import Figures
from discreet.report.wording import number, percent

if TYPE_CHECKING:
    from discreet.report.policy import Policy


@dataclass(frozen=True)
class PolicyLine:
    """One limit: its key in the policy, what is asked, what was found, and whether it passes.

    A limit that does not apply to the release passes, and `found` says why.
    """

    key: str
    asked: str
    found: str
    passed: bool
    applies: bool = True

    @property
    def sentence(self) -> str:
        return f"{self.asked}: {self.found}."

    def __str__(self) -> str:
        return f"{self.key}: {self.sentence}"


Check = Callable[["Policy", Figures], PolicyLine]
_NOBODY = "does not apply: the rows are drawn with noise, and nobody's"
_NO_ROWS = "does not apply: no rows are published"
_NO_SENSITIVE = "does not apply: no sensitive column is published"


def promise_line(policy: Policy, figures: Figures) -> PolicyLine:
    """Whether promises of this kind are allowed."""
    names = [promise.name for promise in figures.promises]
    allowed = policy.promises
    if allowed is not None:
        strange = [name for name in names if name not in allowed]
        return PolicyLine("promises", f"a promise among {listing(allowed)}", f"{listing(names)} found", not strange)
    limits = listing(dict.fromkeys(figures.limited_by)) or "'promises'"
    found = f"{listing(names)} found, for which the policy sets no limit ({limits})"
    return PolicyLine("promises", "a promise that the policy limits", found, False)


def _at_least(
    key: str, what: str, figure: Callable[[Figures], float | None], why_not: str, *, of_rows: bool = True
) -> Check:
    def line(policy: Policy, figures: Figures) -> PolicyLine:
        limit, found = getattr(policy, key), figure(figures)
        asked = f"{what} of at least {number(limit)}"
        if of_rows and figures.is_noisy:
            return PolicyLine(key, asked, _NOBODY, True, False)
        if found is None:
            return PolicyLine(key, asked, why_not, True, False)
        return PolicyLine(key, asked, f"{number(found)} found", found >= limit)

    return line


def _at_most(
    key: str,
    asked_for: str,
    figure: Callable[[Figures], float | None],
    why_not: str,
    *,
    write: Callable[[float], str],
    of_rows: bool = True,
) -> Check:
    def line(policy: Policy, figures: Figures) -> PolicyLine:
        limit, found = getattr(policy, key), figure(figures)
        asked = asked_for.format(write(limit))
        if of_rows and figures.is_noisy:
            return PolicyLine(key, asked, _NOBODY, True, False)
        if found is None:
            return PolicyLine(key, asked, why_not, True, False)
        return PolicyLine(key, asked, f"{write(found)} found", found <= limit)

    return line


def _label_protected(policy: Policy, figures: Figures) -> PolicyLine:
    key, least = "label_protected", policy.least_k or 2
    asked = f"k of at least {least} also for somebody who knows the label"
    if figures.is_noisy:
        return PolicyLine(key, asked, _NOBODY, True, False)
    if figures.with_label is None:
        has_label = bool(figures.certificate.names("target")) or figures.certificate.shape == "baskets"
        if not has_label:
            return PolicyLine(key, asked, "does not apply: no label is published", True, False)
        return PolicyLine(key, asked, "it was not counted for such an attacker", False)
    return PolicyLine(key, asked, f"{number(figures.with_label)} found", figures.with_label >= least)


def _never_published(policy: Policy, figures: Figures) -> PolicyLine:
    forbidden = {name.casefold() for name in policy.never_published or ()}
    names = [column.name.partition("=")[0] for column in figures.certificate.columns]
    found = [name for name in dict.fromkeys(names) if name.casefold() in forbidden]
    asked = f"none of the columns {listing(policy.never_published or ())}"
    return PolicyLine("never_published", asked, f"{listing(found) if found else 'none'} found", not found)


def _repeatable(policy: Policy, figures: Figures) -> PolicyLine:
    kind = figures.certificate.verdict.kind
    words = {"recomputed": "anyone can", "proved": "it rests on a proof about noise", "owner": "only the owner can"}
    asked = "a check that anyone can repeat from the published files"
    return PolicyLine("repeatable", asked, words[kind], kind == "recomputed")


def _signed(policy: Policy, figures: Figures) -> PolicyLine:
    found = "not signed" if figures.signer is None else "signed"
    return PolicyLine("signed", "a signed certificate", found, figures.signer is not None)


def _signers(policy: Policy, figures: Figures) -> PolicyLine:
    known = {key.lower() for key in policy.signers or ()}
    asked = f"a signature by one of {len(known)} known keys" if len(known) != 1 else "a signature by the known key"
    found = "not signed" if figures.signer is None else f"signed with the key {figures.signer}"
    return PolicyLine("signers", asked, found, figures.signer in known)


def _risk(figures: Figures) -> float | None:
    return None if not figures.k else 1 / figures.k


def _blank(policy: Policy, figures: Figures) -> PolicyLine:
    limit, blank = policy.most_blank_columns, figures.blank
    assert limit is not None
    asked = f"at most {limit:,} blank {'column' if limit == 1 else 'columns'}"
    if blank is None:
        return PolicyLine("most_blank_columns", asked, "does not apply: no table is published", True, False)
    named = f" ({listing(blank)})" if blank else ""
    return PolicyLine("most_blank_columns", asked, f"{len(blank):,} found{named}", len(blank) <= limit)


LINES: dict[str, Check] = {
    "least_k": _at_least("least_k", "k", lambda f: f.k, "no k found: the promise leaves nobody among k persons"),
    "least_l": _at_least("least_l", "l", lambda f: f.fewest_values, _NO_SENSITIVE),
    "largest_t": _at_most("largest_t", "t of at most {}", lambda f: f.t, _NO_SENSITIVE, write=number),
    "largest_epsilon": _at_most(
        "largest_epsilon",
        "epsilon of at most {}",
        lambda f: f.epsilon,
        "does not apply: the promise is not about noise",
        write=number,
        of_rows=False,
    ),
    "largest_delta": _at_most(
        "largest_delta",
        "delta of at most {}",
        lambda f: f.delta,
        "does not apply: the promise is not about noise",
        write=number,
        of_rows=False,
    ),
    "label_protected": _label_protected,
    "largest_risk": _at_most(
        "largest_risk", "a chance of at most {} to pick the right person", _risk, _NO_ROWS, write=percent
    ),
    "largest_average_risk": _at_most(
        "largest_average_risk",
        "a mean chance of at most {} to pick the right row",
        lambda f: f.average_risk,
        "does not apply: it is counted for tables whose rows are persons",
        write=percent,
    ),
    "largest_one_class_share": _at_most(
        "largest_one_class_share",
        "at most {} of the rows in groups of one class",
        lambda f: f.one_class_share,
        "does not apply: no label is published",
        write=percent,
    ),
    "most_blank_columns": _blank,
    "largest_suppressed_share": _at_most(
        "largest_suppressed_share",
        "at most {} of the cells of quasi-identifiers suppressed",
        lambda f: f.suppressed_share,
        _NO_ROWS,
        write=percent,
        of_rows=False,
    ),
    "least_rows": _at_least(
        "least_rows", "a number of rows", lambda f: f.certificate.rows or None, _NO_ROWS, of_rows=False
    ),
    "never_published": _never_published,
    "repeatable": _repeatable,
    "signed": _signed,
    "signers": _signers,
}
