# SPDX-License-Identifier: Apache-2.0
"""Conclusions of attacks, in sentences that name what the attacker was assumed to know.

"Kept" refers to the promise alone: no attacker with the knowledge it assumes got more than it allows. What attackers
who know more learn is a separate sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.attacks.case import Case
from discreet.attacks.finding import Finding, counted, in_words
from discreet.attacks.linkage import chances_of
from discreet.attacks.matching import Matching
from discreet.errors import shown


def promised(case: Case) -> str:
    """The promise and the columns it covers: "5-anonymity of age, sex and zip"."""
    published = case.published
    if published.shape != "table" or not published.quasi:
        return str(published.promise)
    return f"{published.promise} of {in_words(dict.fromkeys(map(published.source, published.quasi)))}"


def knowing(case: Case) -> str:
    """What the attacker was assumed to know, as a heading."""
    if case.shape != "table":
        return ""
    columns = in_words(dict.fromkeys(map(case.published.source, case.columns)))
    return f"Knowing {columns}" + (", which the promise covers" if case.knows is None else "")


def about_promise(case: Case, findings: Sequence[Finding]) -> str:
    """Whether an attack got more than the promise allows."""
    bounded = [finding for finding in findings if finding.bound is not None]
    broken = [finding.attack for finding in bounded if finding.breaks_promise]
    if broken:
        return f"Broken. These attacks found more than {promised(case)} allows: {', '.join(broken)}."
    if not bounded:
        return f"Not tested: {promised(case)} limits none of these results."
    held = f"None of the {len(bounded)} results that it limits is above its limit"
    if len(bounded) == 1:
        held = "The one result that it limits is not above its limit"
    others = sum(not finding.beyond for finding in findings) - len(bounded)
    silent = f"the other {others}, nor about " if others else ""
    return f"Kept: {promised(case)}. {held}. It says nothing about {silent}anyone who knows more."


def beyond(case: Case, findings: Sequence[Finding]) -> list[str]:
    """What an attacker who knows all published columns learns; empty if that was not tried."""
    before = {(one.by, one.kind, one.column): one for one in reversed(findings) if not one.beyond}
    sentences = []
    for one in findings:
        first = before.get((one.by, one.kind, one.column))
        if one.beyond and one.by == "prosecutor" and one.kind == "row" and first is not None:
            sentences.append(_linked_in_words(case, first, one))
    pairs = [(one, before[one.by, one.kind, one.column]) for one in findings if one.beyond and one.by == "homogeneity"]
    if pairs:
        most, first = max(pairs, key=lambda pair: pair[0].success.value - pair[1].success.value)
        if most.success.value - first.success.value > _WORTH_SAYING:
            sentences.append(
                f"Anyone who knows all columns but {in_words([most.column])} can read it off the matching rows for"
                f" {of_100(most.success.value)} of 100 persons, not {of_100(first.success.value)}."
            )
    return sentences


_WORTH_SAYING = 0.005  # of a share
_MOST = 12  # columns that are tried one by one


def _linked_in_words(case: Case, first: Finding, second: Finding) -> str:
    """How many persons are found with all columns, and with the most revealing one."""
    also = [name for name in second.knows or () if name not in (first.knows or ())]
    before, after = of_100(first.success.value), of_100(second.success.value)
    text = f"Anyone who also knows {in_words(also)} finds {after} of 100 persons"
    text += f", not {before}" if after != before else ", no more"
    if 1 < len(also) <= _MOST and after != before:
        chances = {name: _with(case, name) for name in also}
        most = max(chances, key=lambda name: chances[name])
        text += f"; anyone who also knows {in_words([most])} alone, {of_100(chances[most])}"
    return f"{text}. The promise does not cover {'these columns' if len(also) > 1 else 'this column'}."


def _with(case: Case, name: str) -> float:
    """Success of a prosecutor who knows one more column."""
    published = case.published
    matched = Matching(published, case.table, (*case.columns, *published.named([name])))
    return counted(chances_of(matched), case.persons(case.table))[0].value


def in_plain_words(finding: Finding, plain: str) -> str:
    """What an attacker who succeeds has done, and the name of the attack; `plain` as the registry has it.

    >>> from discreet.evaluate.confidence import Share
    >>> found = Finding("homogeneity of ill, 90% alike", "?", Share(0.1, 0.1, 0.1), 9, 0.0, column="ill")
    >>> in_plain_words(found, "reads {} off the rows that fit")
    'reads ill off the rows that fit (homogeneity, 90% alike)'
    """
    title = finding.attack.replace(f" of {finding.column}", "", 1) if finding.column else finding.attack
    column = shown(finding.column)[1:-1] if finding.column else "a value"
    return f"{plain.replace('{}', column)} ({title})" if plain else title


def of_100(share: float) -> str:
    """How many of 100, in words that do not round to none or to all.

    >>> of_100(0.974), of_100(0.0004), of_100(0.9999), of_100(0.0)
    ('97', 'fewer than 1', 'more than 99', '0')
    """
    if share in (0.0, 1.0):
        return str(round(100 * share))
    if share < 0.005:
        return "fewer than 1"
    return "more than 99" if share >= 0.995 else str(round(100 * share))
